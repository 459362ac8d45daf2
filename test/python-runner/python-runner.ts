import { execFile, spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import type { CheckServerOptions } from '../../conformance/index.ts'
import { cacheFor } from '../cache.ts'

const run = promisify(execFile)
const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/** Python with the packages of requirements.txt, in a virtual environment that is kept. */
export async function installPython(python: string): Promise<string> {
  const wanted = readFileSync(path('requirements.txt'), 'utf8')
  const folder = cacheFor('python-runner')
  const done = join(folder, 'done')
  if (!existsSync(done) || readFileSync(done, 'utf8') !== wanted) {
    rmSync(folder, { recursive: true, force: true })
    await run(python, ['-m', 'venv', folder])
    const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
    await run(`${folder}/bin/python`, [...install, '-r', path('requirements.txt')])
    writeFileSync(done, wanted)
  }
  return `${folder}/bin/python`
}

/** Sends a job to loop.py and returns its results. */
export type Loop = (job: object) => Promise<unknown>

/** Starts a process of loop.py, which does one job after the other. */
export function startLoop(t: Test, python: string): Loop {
  const child = spawn(python, ['-B', path('loop.py')], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.teardown(() => child.kill())
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return async job => {
    child.stdin.write(`${JSON.stringify(job)}\n`)
    const { value, done } = await lines.next()
    if (done) throw new Error('runner.py has ended')
    return JSON.parse(value)
  }
}

/** The arguments of runner.py for the options of the kit. Keys and tokens go through files in the folder. */
export function argumentsFor(url: string, options: CheckServerOptions, folder: string): string[] {
  const { noAuth, reference, protected: paths = [], key, publicKey, expiredToken, timeout, ...rest } = options
  const files = Object.entries({ key, 'public-key': publicKey, 'expired-token': expiredToken })
  return [
    url,
    ...(noAuth ? ['--no-auth'] : []),
    ...(reference ? ['--reference'] : []),
    ...paths.flatMap(one => ['--protected', one]),
    ...files.flatMap(([name, content]) => {
      if (content === undefined) return []
      writeFileSync(`${folder}/${name}`, content)
      return [`--${name}`, `${folder}/${name}`]
    }),
    ...Object.entries(rest).flatMap(([name, value]) =>
      value === undefined
        ? []
        : [`--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}=${value}`]
    )
  ]
}
