import t from 'tap'
import { needs } from '../needs.ts'
import { judge } from './judge.ts'

if (needs(t, 'python3'))
  judge(t, {
    folder: 'python',
    manifests: ['requirements.txt'],
    install: [
      ['python3', '-m', 'venv', 'venv'],
      ['venv/bin/python', '-m', 'pip', 'install', '--quiet', '--requirement', 'requirements.txt']
    ],
    source: program => `${program}.py`,
    run: program => ['venv/bin/python', `${program}.py`]
  })
