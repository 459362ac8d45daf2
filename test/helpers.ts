import { createHmac } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import type { Test } from 'tap'
import type { LoginEvent, RefusalEvent, SessionEvent, ThrottleEvent } from '../lib/index.ts'
import screenAuth, { type ScreenAuthOptions, type ScreenUser } from '../lib/index.ts'
import type { ScreenContract } from '../schemas/index.ts'

export const SECRET = 'test-secret-of-at-least-32-bytes!'
export const ADA: ScreenUser = { username: 'ada', displayName: 'Ada Lovelace' }
export const PASSWORD = 'correct horse'
export const MENU: ScreenContract = {
  layout: 'Menu',
  title: 'Main Menu',
  menu: {
    panel_title: 'Main',
    tabs: [{ label: 'A', items: [{ label: 'B', action: { type: 'open_screen', url: '/screen' } }] }]
  },
  footer: { deep: [{ er: 1 }] }
}

/** The properties that every AuthResponse of a failed login has. */
export const FAILURE = { success: false, token: null, screen: null }

/** Options of a host with one user. */
export function options(overrides: object = {}): ScreenAuthOptions {
  return {
    secret: SECRET,
    checkCredentials: ({ username, password }) => (username === ADA.username && password === PASSWORD ? ADA : null),
    mainMenu: () => MENU,
    ...overrides
  } as ScreenAuthOptions
}

/** Creates a host without the plugin. It closes when the test ends. */
export function emptyHost(t: Test, serverOptions: FastifyServerOptions = {}): FastifyInstance {
  const app = Fastify(serverOptions)
  t.teardown(() => app.close())
  return app
}

/** Creates a host with the plugin and one guarded route, `/screen`. It closes when the test ends. */
export async function host(
  t: Test,
  overrides: object = {},
  serverOptions: FastifyServerOptions = {}
): Promise<FastifyInstance> {
  const app = emptyHost(t, serverOptions)
  await app.register(screenAuth, options(overrides))
  app.get('/screen', async request => request.screenUser)
  return app
}

/** Collects the warnings of this process. */
export function collectWarnings(t: Test): string[] {
  const warnings: string[] = []
  t.intercept(process, 'emitWarning', { value: (text: string) => warnings.push(text) })
  return warnings
}

/** Collects the log lines of a server. */
export function collectLog(): {
  logger: { stream: { write(line: string): void } }
  lines: Record<string, unknown>[]
  text(): string
  /** Returns the messages of all warnings and errors. */
  warnings(): string[]
} {
  const lines: Record<string, unknown>[] = []
  return {
    lines,
    logger: { stream: { write: line => lines.push(JSON.parse(line)) } },
    text: () => JSON.stringify(lines),
    warnings: () => lines.filter(({ level }) => Number(level) >= 40).map(({ msg }) => String(msg))
  }
}

interface Events {
  login: LoginEvent
  refusal: RefusalEvent
  session: SessionEvent
  throttle: ThrottleEvent
}

/**
 * Collects the events that are published on a channel during a test.
 *
 * @param select returns the value to collect of an event. Default: the event itself
 */
export function listen<Name extends keyof Events, Seen = Events[Name]>(
  t: Test,
  name: Name,
  select = (event: Events[Name]) => event as unknown as Seen
): Seen[] {
  const seen: Seen[] = []
  const listener = (event: unknown) => void seen.push(select(event as Events[Name]))
  subscribe(`fastify-screen-auth.${name}`, listener)
  t.teardown(() => unsubscribe(`fastify-screen-auth.${name}`, listener))
  return seen
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** Posts credentials, by default valid ones. */
export function logIn(
  app: FastifyInstance,
  fields: object = { username: ADA.username, password: PASSWORD },
  url = '/auth/login'
) {
  return app.inject({ method: 'POST', url, payload: { fields } })
}

export const now = () => Math.floor(Date.now() / 1000)

/** The claims of a token that is valid for an hour. */
export const claims = () => ({ sub: 'ada', display_name: 'Ada Lovelace', iat: now(), exp: now() + 3600 })

export const base64url = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** Signs any payload by hand, because the tests must not rely on the library under test. */
export function forge(
  payload: unknown = claims(),
  header: unknown = { alg: 'HS256', typ: 'JWT' },
  { secret = SECRET, hash = 'sha256' }: { secret?: string | Buffer; hash?: string } = {}
): string {
  const input = `${base64url(header)}.${base64url(payload)}`
  return `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`
}

/** Returns a function that throws an error with this message and these properties. */
export const throwing =
  (message: string, properties: object = {}) =>
  (): never => {
    throw Object.assign(new Error(message), properties)
  }

/** Starts the server if needed, and returns its port. */
export async function portOf(app: FastifyInstance): Promise<number> {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  return (app.server.address() as AddressInfo).port
}

/** Returns a promise and the function that resolves it. */
export function deferred<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void
  const promise = new Promise<T>(done => {
    resolve = done
  })
  return { promise, resolve }
}

/** Waits until a condition holds, for at most a minute, because the machine may be busy. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const start = process.hrtime.bigint()
  while (!(await holds())) {
    if (process.hrtime.bigint() - start > 60_000_000_000n) throw new Error(`timed out waiting until ${holds}`)
    await setImmediate()
  }
}

/**
 * Returns the command line of a program that tap must not instrument: other tools compile the same files differently,
 * so their coverage would mix with that of the tests.
 */
export function outsideTap(command: string, args: string[]): [string, string[]] {
  return ['env', ['-u', 'NODE_OPTIONS', command, ...args]]
}
