import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { Test } from 'tap'
import type { FailureStore, FailureStoreOptions } from '../../../lib/index.ts'
import { ADA, host, PASSWORD } from '../../helpers.ts'

export const RIGHT = { password: PASSWORD }

/** Tries to log in, by default with a wrong password. */
export async function attempt(
  app: FastifyInstance,
  { username = 'ada', password = 'wrong', address = '192.0.2.1' } = {}
) {
  const response = await app.inject({
    method: 'POST',
    url: '/auth/login',
    remoteAddress: address,
    payload: { fields: { username, password } }
  })
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

/** Creates a host that counts the calls of its checker. */
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

/**
 * Creates a checker whose checks wait until `release` is called.
 *
 * @param waits whether a check waits. Default: every check waits
 */
export function heldChecks(waits = (_fields: Record<string, string>) => true) {
  const open: (() => void)[] = []
  let isHeld = true
  return {
    checkCredentials: async (fields: Record<string, string>) => {
      if (isHeld && waits(fields)) await new Promise<void>(resolve => open.push(resolve))
      return fields.password === 'wrong' ? null : { username: fields.username, displayName: '' }
    },
    open,
    release() {
      isHeld = false
      for (const resolve of open.splice(0)) resolve()
    }
  }
}

export const isRight = ({ password }: Record<string, string>) => password === PASSWORD

/** Returns a factory of in-memory stores that all servers of a test share, with some methods replaced. */
export function storeWith(replaced: (memory: RateLimiterMemory, options: FailureStoreOptions) => object = () => ({})) {
  const memories = new Map<string, RateLimiterMemory>()
  return (options: FailureStoreOptions): FailureStore => {
    const memory = memories.get(options.keyPrefix) ?? new RateLimiterMemory(options)
    memories.set(options.keyPrefix, memory)
    return Object.assign(Object.create(memory), replaced(memory, options))
  }
}

/** Collects the warnings or the unhandled rejections of the process during a test. */
export function emitted(t: Test, event: 'warning' | 'unhandledRejection'): unknown[] {
  const seen: unknown[] = []
  const note = (value: unknown) => seen.push(value)
  process.on(event, note)
  t.teardown(() => process.off(event, note))
  return seen
}

export const never = () => new Promise<never>(() => {})
