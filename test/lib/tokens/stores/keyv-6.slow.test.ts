// Keyv 6 requires Node 22, so it is not among the packages that `npm ci` installs on Node 20.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { testKeyv } from './keyv.ts'

const folder = t.testdir()
const install = ['install', 'keyv@6.1.0', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts']
execFileSync('npm', install, { stdio: 'ignore' })
const { Keyv } = await import(pathToFileURL(join(folder, 'node_modules/keyv/dist/index.mjs')).href)

testKeyv(t, 'Keyv 6', adapter => new Keyv({ store: adapter ?? new Map() }))
