import { connect, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import screenAuth, { type Store } from '../../../lib/index.ts'
import { MemoryStore } from '../../../lib/stores/memory-store.ts'
import { turns } from '../../clock.ts'
import { emptyHost, host, options, PASSWORD, portOf, until } from '../../helpers.ts'
import { type Fields, userOf } from './checkers.ts'

export const RIGHT = { password: PASSWORD }

/** Tries to log in, by default with a wrong password. */
export async function attempt(
  app: FastifyInstance,
  { username = 'ada', password = 'wrong', address = '192.0.2.1', prefix = '' } = {}
) {
  const payload = { fields: { username, password } }
  const url = `${prefix}/auth/login`
  const response = await app.inject({ method: 'POST', url, remoteAddress: address, payload })
  return {
    statusCode: response.statusCode,
    isBlocked: response.headers['retry-after'] !== undefined,
    retryAfter: Number(response.headers['retry-after']),
    ...(response.json() as { success: boolean; token: string | null; error: string; screen: unknown })
  }
}

export async function repeat(times: number, action: (i: number) => Promise<unknown>) {
  for (let i = 0; i < times; i++) await action(i)
}

/** Runs an action the given number of times in parallel. */
export function together<T>(times: number, action: (i: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: times }, (_, i) => action(i)))
}

/** Creates a host that counts the calls of its checker, by default `userOf` after a turn of the event loop. */
export async function countingHost(t: Test, overrides: object = {}, serverOptions: object = {}) {
  let checks = 0
  const { checkCredentials = (fields: Fields) => setImmediate(userOf(fields)), ...others } = overrides as {
    checkCredentials?: (...args: [Fields]) => unknown
  }
  const count = (...args: [Fields]) => ++checks && checkCredentials(...args)
  const app = await host(t, { checkCredentials: count, ...others }, serverOptions)
  return { app, checks: () => checks }
}

/** Creates a server with a scope for each prefix. */
export function scopedHost(t: Test, scopes: { [prefix: string]: object }): FastifyInstance {
  const app = emptyHost(t)
  for (const [prefix, overrides] of Object.entries(scopes))
    app.register(async scope => scope.register(screenAuth, options(overrides)), { prefix })
  return app
}

const CALLS = ['get', 'set', 'delete', 'touch', 'take', 'giveBack'] as const
export type Call = (typeof CALLS)[number]

/** Returns a store in memory, which all servers of a test can share. `wrap` runs in place of each call. */
export function storeWith(
  wrap = (call: () => unknown, _name: Call, _key: string, _args: unknown[]): unknown => call()
): Store {
  const memory = new MemoryStore() as unknown as Record<Call, (...args: unknown[]) => unknown>
  const wrapped = CALLS.map(name => [
    name,
    async (key: string, ...args: unknown[]) => wrap(() => memory[name](key, ...args), name, key, args)
  ])
  return Object.freeze(Object.fromEntries(wrapped))
}

/** Starts a host, and returns functions that connect to it, send requests and disconnect. */
export async function clientsOf(app: FastifyInstance) {
  let [arrived, gone] = [0, 0]
  app.addHook('preValidation', async () => {
    arrived++
  })
  app.server.on('connection', (socket: Socket) => socket.on('close', () => gone++))
  const port = await portOf(app)

  /** Sends text over a new socket, and waits until the given number of requests have reached `preValidation`. */
  async function send(text: string, requests = 1): Promise<Socket> {
    const before = arrived
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    await until(() => arrived === before + requests)
    await turns()
    return socket
  }

  return {
    send,
    sendLogin: (username: string) => send(loginOf(username)),
    /** Closes a socket, and waits until the server has noticed. */
    async hangUp(socket: Socket) {
      const before = gone
      socket.destroy()
      await until(() => gone > before)
      await turns()
    }
  }
}

/** Returns the text of a login in HTTP/1.1. */
export function loginOf(username: string, password = 'x'): string {
  const body = JSON.stringify({ fields: { username, password } })
  const head = `Host: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  return `POST /auth/login HTTP/1.1\r\n${head}\r\n\r\n${body}`
}
