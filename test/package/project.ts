// A project of a host, into which a test installs the packed tarball.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { outsideTap } from '../helpers.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))
const { PATH = '', HOME = '' } = process.env

export const folder = await mkdtemp(join(tmpdir(), 'consumer-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))

/** Runs a command in the project and returns what it prints. */
export async function inProject(command: string, args: string[], cwd = folder): Promise<string> {
  const { stdout } = await promisify(execFile)(...outsideTap(command, args), { cwd, env: { PATH, HOME } })
  return stdout.trim()
}

export const save = (name: string, text: string) => writeFile(join(folder, name), text)

/** Saves a program in the project and returns what it prints. */
export async function run(name: string, code: string): Promise<string> {
  await save(name, code)
  return inProject('node', [name])
}

/** Packs the package into the project, and returns the report of `npm pack`. */
export async function pack(): Promise<{ filename: string; size: number; files: { path: string }[] }> {
  // Without scripts: they would rebuild dist while other tests use it.
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  return JSON.parse(await inProject('npm', args, root))[0]
}
