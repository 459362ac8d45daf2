import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { outsideTap } from '../helpers.ts'
import type { Scope } from '../redis-server.ts'
import { temporaryFolder } from './program.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Creates a project outside the checkout, with this package and others. Returns a function that names its files. */
export async function createProject(scope: Scope, packages: string[]): Promise<(name: string) => string> {
  const folder = temporaryFolder(scope, tmpdir())
  const npm = (cwd: string, ...args: string[]) => promisify(execFile)(...outsideTap('npm', args), { cwd })
  const { stdout } = await npm(root, 'pack', '--json', '--ignore-scripts', '--pack-destination', folder)
  const [{ filename }] = JSON.parse(stdout)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  await npm(folder, 'install', '--ignore-scripts', '--no-audit', '--no-fund', `./${filename}`, ...packages)
  return name => join(folder, name)
}

/** Saves a file, and returns its path. */
export function save(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}
