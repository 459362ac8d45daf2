import t from 'tap'
import { judge } from './judge.ts'

judge(t, {
  folder: 'node',
  manifests: ['package.json'],
  install: [['npm', 'install', '--no-audit', '--no-fund', '--no-package-lock']],
  source: program => `${program}.js`,
  run: program => ['node', `${program}.js`]
})
