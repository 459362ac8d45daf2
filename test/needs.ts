import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Test } from 'tap'

/** Debian has a folder for each version of PostgreSQL. */
const POSTGRESQL = '/usr/lib/postgresql'
const versions = existsSync(POSTGRESQL) ? readdirSync(POSTGRESQL).map(name => join(POSTGRESQL, name, 'bin')) : []

/**
 * Returns the path of a program that the tests of a file need, under one of its names. A missing program skips the
 * file with a message, but fails it in `.ci/run`, which installs the program.
 */
export function needs(t: Test, ...names: [string, ...string[]]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...versions]
  const found = names.flatMap(name => folders.map(folder => join(folder, name))).find(isExecutable)
  if (found === undefined && process.env.NOTHING_SKIPPED) t.fail(`${names[0]} is not installed`)
  else if (found === undefined) t.pass('tests that need it', { skip: `${names[0]} is not installed` })
  return found
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
