import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { ADA, host, PASSWORD } from '../../helpers.ts'

export const RIGHT = { password: PASSWORD }

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

/** Does something so many times at once. */
export function together<T>(times: number, action: (i: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: times }, (_, i) => action(i)))
}

/** A host that counts how often its checker is called. */
export async function countingHost(t: Test, overrides: object = {}, serverOptions: object = {}) {
  let checks = 0
  const app = await host(
    t,
    {
      checkCredentials: async ({ username, password }: Record<string, string>) => {
        checks++
        await setImmediate()
        return password === PASSWORD ? { username, displayName: ADA.displayName } : null
      },
      ...overrides
    },
    serverOptions
  )
  return { app, checks: () => checks }
}

/** A checker whose checks stay open until they are let go. */
export function heldChecks() {
  const open: (() => void)[] = []
  let isHeld = true
  return {
    checkCredentials: async ({ username, password }: Record<string, string>) => {
      if (isHeld) await new Promise<void>(resolve => open.push(resolve))
      return password === 'wrong' ? null : { username, displayName: '' }
    },
    open,
    letGo() {
      isHeld = false
      for (const resolve of open.splice(0)) resolve()
    }
  }
}

export const never = () => new Promise<never>(() => {})
