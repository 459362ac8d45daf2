import t from 'tap'
import { needs } from '../needs.ts'
import { judge } from './judge.ts'

if (needs(t, 'go'))
  judge(t, {
    folder: 'go',
    manifests: ['go.mod', 'go.sum'],
    install: [['go', 'mod', 'download']],
    source: program => `${program}/main.go`,
    build: () => [['go', 'build', '-o', 'bin/', './...']],
    run: program => [`bin/${program}`]
  })
