import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { ADA, host, PASSWORD } from '../../helpers.ts'

/** Tries to log in, by default with a wrong password. */
export async function attempt(
  app: FastifyInstance,
  { username = 'ada', password = 'wrong', address = '192.0.2.1' } = {}
) {
  const answer = await app.inject({
    method: 'POST',
    url: '/auth/login',
    remoteAddress: address,
    payload: { fields: { username, password } }
  })
  return {
    statusCode: answer.statusCode,
    isBlocked: answer.headers['retry-after'] !== undefined,
    retryAfter: Number(answer.headers['retry-after']),
    ...(answer.json() as { success: boolean; token: string | null; error: string; screen: unknown })
  }
}

export async function repeat(times: number, action: (i: number) => Promise<unknown>) {
  for (let i = 0; i < times; i++) await action(i)
}

/** A host that counts how often its checker is called. */
export async function countingHost(t: Test, overrides: object = {}, serverOptions: object = {}) {
  let checks = 0
  const app = await host(
    t,
    {
      checkCredentials: async ({ username, password }: Record<string, string>) => {
        checks++
        await sleep(1)
        return password === PASSWORD ? { username, displayName: ADA.displayName } : null
      },
      ...overrides
    },
    serverOptions
  )
  return { app, checks: () => checks }
}
export const RIGHT = { password: PASSWORD }
