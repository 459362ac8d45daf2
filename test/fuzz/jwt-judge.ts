import assert from 'node:assert/strict'
import type { Test } from 'tap'
import { host, SECRET } from '../helpers.ts'
import { TIME } from './jwt-arbitraries.ts'
import { expected, type Server, seen, userOf } from './oracle.ts'
import { MANY } from './runs.ts'

/** A host with a clock that the test sets, and functions that compare its responses with the oracle. */
export async function setUp(t: Test, secrets: (string | Buffer)[] = [SECRET]) {
  const server: Server = { secrets, time: TIME }
  t.intercept(Date, 'now', { value: () => server.time })
  const app = await host(t, { secret: secrets })
  await app.ready()
  const statuses = new Set<unknown>()
  return {
    app,
    server,
    /** The statuses so far: a property that never gets a 200 proves little. */
    statuses,
    async judge(authorization: string) {
      const response = seen(await app.inject({ url: '/screen', headers: { authorization } }))
      assert.deepEqual(response, expected(authorization, server))
      statuses.add(response[0])
    },
    async judgeToken(token: string) {
      const user = await app.screenAuth.verifyToken(token)
      assert.equal(JSON.stringify(user), JSON.stringify(userOf(token, server)))
      statuses.add(user === null ? 401 : 200)
    }
  }
}

/** Checks that both statuses occurred. A few cases may well have only one of them. */
export function meets(t: Test, statuses: Set<unknown>): void {
  if (MANY) t.strictSame([...statuses].sort(), [200, 401], 'both statuses occurred')
}
