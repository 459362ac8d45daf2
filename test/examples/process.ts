import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { bearer, outsideTap } from '../helpers.ts'
import type { Scope } from '../redis-server.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The user that the server adds to an empty database. */
export const DEMO = { username: 'demo', password: 'demo-password' }

type Environment = Record<string, string>

const LISTENING = /listening at (http:\S+)/

/** Milliseconds to wait for output, enough for a slow machine. */
const TIMEOUT = 120_000

/** Starts an example as its npm script does, with only PATH, HOME and `env` in the environment. */
export function start(script: string, env: Environment, args: string[] = []): ChildProcess {
  const { PATH = '', HOME = '' } = process.env
  const command = ['--import', 'tsx', `examples/server/${script}.ts`, ...args]
  return spawn(...outsideTap(process.execPath, command), { cwd: root, env: { PATH, HOME, ...env } })
}

/** Writes `input` to a process, and waits until it exits. */
export async function end(child: ChildProcess, input: string | Buffer = '') {
  const { output, closed } = follow(child)
  child.stdin?.end(input)
  return { code: await closed, ...output }
}

/** A running example server. */
export type Server = Awaited<ReturnType<typeof startServer>>

/** Collects the output of a process until it exits. */
export function follow(child: ChildProcess) {
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.on('data', data => {
      output[name] += data
    })
  const closed = once(child, 'close').then(([code]) => code as number | null)
  return {
    output,
    /** Resolves with the exit status. */
    closed,
    /** Waits until its standard output matches. */
    async says(pattern: RegExp, timeout = TIMEOUT): Promise<void> {
      const signal = AbortSignal.timeout(timeout)
      while (!pattern.test(output.stdout)) {
        const isOver = await Promise.race([
          once(child.stdout as Readable, 'data', { signal }).then(() => false),
          closed.then(() => true)
        ])
        if (isOver && !pattern.test(output.stdout))
          throw new Error(`it exited without printing ${pattern}: ${output.stdout}${output.stderr}`)
      }
    }
  }
}

/** Returns the environment for a new, empty database, which is removed after the test. */
export function freshDatabase(scope: Scope): { SVC_DATABASE_URL: string } {
  const folder = mkdtempSync(join(tmpdir(), 'screen-auth-'))
  scope.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return { SVC_DATABASE_URL: `file:${folder}/users.db` }
}

/** Starts the example server on a free port, by default with a new database, and waits until it listens. */
export async function startServer(scope: Scope, env: Environment) {
  const child = start('main', { PORT: '0', ...freshDatabase(scope), ...env })
  scope.teardown(() => child.kill('SIGKILL'))
  const { output, closed, says } = follow(child)
  await says(LISTENING)
  const [, url = ''] = LISTENING.exec(output.stdout) ?? []
  return {
    url,
    output,
    says,
    /** Closes the pipe of standard output, as the end of `head` does. */
    closeLog: () => child.stdout?.destroy(),
    /** Sends a signal and waits for the exit. */
    async stop(signal: NodeJS.Signals = 'SIGTERM') {
      child.kill(signal)
      return { code: await closed }
    }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any property of a response, and fail if it is missing
export type Json = any

/** Sends a GET request, with the token if one is given. */
export const get = ({ url }: Pick<Server, 'url'>, path: string, token = '') =>
  fetch(url + path, token === '' ? {} : { headers: bearer(token) })

/** Returns the status of a guarded request. */
export const menu = async (server: Pick<Server, 'url'>, token: string) =>
  (await get(server, '/menu/main', token)).status

/** Posts the fields of a form. Returns the status and the properties of the body. */
export const post = (server: Pick<Server, 'url'>, path: string, fields: object, headers = {}) =>
  postJson(server, path, { fields }, headers)

/** Posts changes to an action of a Card. Returns the status and the next screen. */
export const save = (server: Pick<Server, 'url'>, path: string, changes: object, headers = {}) =>
  postJson(server, path, { changes }, headers)

async function postJson({ url }: Pick<Server, 'url'>, path: string, json: object, headers: object): Promise<Json> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(json)
  })
  return { status: response.status, ...((await response.json()) as Json) }
}
