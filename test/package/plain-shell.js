#!/usr/bin/env node
/**
 * A shell for npm (its setting `script-shell`) that knows less than any other: it runs node and the commands of
 * node_modules/.bin, with plain arguments, and refuses everything else.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const [, line = ''] = process.argv.slice(2)
const [name = '', ...args] = line.split(' ')
const folders = (process.env.PATH ?? '')
  .split(delimiter)
  .filter(folder => folder.endsWith('node_modules/.bin'))
const command =
  name === 'node'
    ? process.execPath
    : folders.map(folder => join(folder, name)).find(path => existsSync(path))

if (!/^[\w@./:=*-]+( [\w@./:=*-]+)*$/.test(line) || command === undefined) {
  console.error(`refused: ${line}`)
  process.exit(1)
}
const child = spawn(command, args, { stdio: 'inherit' })
process.on('SIGTERM', signal => child.kill(signal))
child.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)))
