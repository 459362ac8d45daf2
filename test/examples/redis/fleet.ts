// Example servers that share a Redis, and functions that use them.

import { createClient } from 'redis'
import type { Test } from 'tap'
import { RedisServer } from '../../redis-server.ts'
import { DEMO, end, freshDatabase, post, type Server, start, startServer } from '../process.ts'

export const WRONG = { ...DEMO, password: 'wrong' }

/** Starts servers with a common database and a new Redis. `users` runs `npm run users` there. */
export async function fleet(t: Test, size: number, env: Record<string, string> = {}) {
  const redis = await RedisServer.start(t)
  const environment = { ...freshDatabase(t), SVC_REDIS_URL: redis.url, ...env }
  const servers = []
  for (let i = 0; i < size; i++) servers.push(await startServer(t, environment))
  const users = (args: string[], password = '') => end(start('users', environment, args), password)
  return { redis, environment, servers: servers as [Server, Server], users }
}

/** Logs in, behind a proxy from an address. */
export const logIn = (server: Server, fields: object = DEMO, address = '192.0.2.9') =>
  post(server, '/auth/login', fields, { 'x-forwarded-for': address })

/** Sends one command to Redis. */
export async function ask(redis: RedisServer, command: string[]): Promise<unknown> {
  const client = await createClient({ url: redis.url }).connect()
  try {
    return await client.sendCommand(command)
  } finally {
    client.destroy()
  }
}
