import type { Test } from 'tap'
import type { TokenStore } from '../../../../lib/index.ts'
import { ADA } from '../../../helpers.ts'
import { stopClock } from '../../../stopped-clock.ts'
import { FAILED, processWith, UNKNOWN } from '../opaque/session-store.ts'

/** An adapter on entries that processes can share: its functions are async, and its entries do not expire. */
const adapterOf = (entries: Map<string, unknown>) => ({
  opts: {},
  namespace: undefined,
  get: async (key: string) => entries.get(key),
  set: async (key: string, value: unknown) => entries.set(key, value),
  delete: async (key: string) => entries.delete(key),
  clear: async () => entries.clear(),
  has: async (key: string) => entries.has(key)
})

const fail = async () => Promise.reject(new Error('down'))

/** An adapter that is down. */
export const brokenAdapter = () => ({ ...adapterOf(new Map()), get: fail, set: fail, delete: fail })

/** Adds the tests for a Keyv of any version. */
export function testKeyv(
  t: Test,
  name: string,
  // biome-ignore lint/suspicious/noExplicitAny: an adapter that fits all versions
  makeKeyv: (adapter?: any) => TokenStore
): void {
  t.test(`${name} stores sessions until they expire or are revoked`, async t => {
    const clock = stopClock(t)
    const { tokens, issue, userOf } = processWith(makeKeyv(), { lifetime: 10, maxLifetime: 100 })
    const [one, two] = [await issue(), await issue()]
    clock.advance(5)
    t.strictSame(await userOf(one), ADA)
    clock.advance(6)
    const three = await issue()
    t.strictSame(await Promise.all([one, two, three].map(userOf)), [ADA, null, ADA])
    await tokens.revoke(one)
    t.strictSame(await Promise.all([one, three].map(userOf)), [null, ADA])
    await tokens.revokeAll('ada')
    t.equal(await userOf(three), null)
  })

  t.test(`${name} does not delete an expired session, because another process may have renewed it`, async t => {
    const clock = stopClock(t)
    const entries = new Map()
    const { issue, userOf } = processWith(makeKeyv(adapterOf(entries)), { lifetime: 10 })
    const token = await issue()
    clock.advance(11)
    t.equal(await userOf(token), null)
    t.equal(entries.size, 1)
  })

  t.test(`${name} reports the failure of its adapter`, t => hasFailed(t, makeKeyv(brokenAdapter())))
}

/** Asserts that each function of opaqueTokens rejects with the failure of the store. */
export async function hasFailed(t: Test, store: TokenStore): Promise<void> {
  const { tokens, issue, userOf } = processWith(store)
  for (const act of [() => userOf(UNKNOWN), issue, () => tokens.revoke(UNKNOWN), () => tokens.revokeAll('ada')])
    await t.rejects(act() as Promise<unknown>, { code: FAILED, cause: { message: /down/ } })
}
