// Example servers that share a Redis, and functions that use them.

import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'
import type { Test } from 'tap'
import { bearer } from '../../helpers.ts'
import { RedisServer } from '../../redis-server.ts'
import { DEMO, type Ended, end, freshDatabase, menu, post, type Server, start, startServer } from '../process.ts'

export const WRONG = { ...DEMO, password: 'wrong' }

/** Milliseconds to wait for a condition, enough for a slow machine. */
const TIMEOUT = 120_000

/** Starts servers with a common database and Redis, by default a new one. `users` runs `npm run users` there. */
export async function fleet(t: Test, size: number, env: Record<string, string> = {}, given?: RedisServer) {
  const redis = given ?? (await RedisServer.start(t))
  const environment = { ...freshDatabase(t), SVC_REDIS_URL: redis.url, ...env }
  const servers = []
  for (let i = 0; i < size; i++) servers.push(await startServer(t, environment))
  const users = (args: readonly string[], password = ''): Promise<Ended> =>
    end(start('users', environment, [...args]), password)
  return { redis, environment, servers: servers as [Server, Server], users }
}

export const logIn = (server: Server, fields: object = DEMO) => post(server, '/auth/login', fields)

export const logOut = (server: Server, token = '') =>
  fetch(`${server.url}/auth/logout`, { method: 'POST', headers: token === '' ? {} : bearer(token) })

/** Polls until a condition is true. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + TIMEOUT
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`this did not become true: ${condition}`)
    await sleep(50)
  }
}

/** Waits until a guarded request returns this status. */
export const untilMenu = (status: number, server: Server, token: string) =>
  until(async () => (await menu(server, token)) === status)

/** Sends one command to Redis. */
export async function ask(redis: RedisServer, command: string[], password?: string): Promise<unknown> {
  const client = await createClient({ url: redis.url, ...(password !== undefined && { password }) }).connect()
  try {
    return await client.sendCommand(command)
  } finally {
    client.destroy()
  }
}
