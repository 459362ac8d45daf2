import t from 'tap'
import { needs } from '../needs.ts'
import { judge } from './judge.ts'

if (needs(t, 'cargo'))
  judge(t, {
    folder: 'rust',
    manifests: ['Cargo.toml'],
    install: [],
    source: program => `src/bin/${program}.rs`,
    build: () => [['cargo', 'build', '--quiet']],
    run: program => [`target/debug/${program}`]
  })
