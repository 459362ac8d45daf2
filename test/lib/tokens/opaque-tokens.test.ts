import { createHash } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { createKeyv } from '@keyv/redis'
import fc from 'fast-check'
import { Keyv } from 'keyv'
import { Keyv as Keyv6 } from 'keyv-6'
import t, { type Test } from 'tap'
import {
  bearerToken,
  type OpaqueTokensOptions,
  opaqueTokens,
  type ScreenUser,
  type TokenStore
} from '../../../lib/index.ts'
import { ADA, bearer, collectLog, host, logIn } from '../../helpers.ts'

const EVE: ScreenUser = { username: 'eve', displayName: 'Eve' }
const UNKNOWN = 'A'.repeat(43)

/** A store that keeps to its TTLs by the clock of the test, and whose answers the test can hold back. */
class TestStore implements TokenStore {
  readonly entries = new Map<string, { value: unknown; ends: number }>()
  readonly calls: string[] = []
  #held: { pattern: RegExp; until: Promise<void> } | undefined

  async get(key: string): Promise<unknown> {
    this.calls.push(`get ${nameOf(key)}`)
    const entry = this.entries.get(key)
    const value = entry !== undefined && entry.ends > Date.now() ? structuredClone(entry.value) : undefined
    await this.#wait('get', key)
    return value
  }

  async set(key: string, value: unknown, ttl: number): Promise<void> {
    this.calls.push(`set ${nameOf(key)} ${ttl}`)
    await this.#wait('set', key)
    this.entries.set(key, { value: structuredClone(value), ends: Date.now() + ttl })
  }

  async delete(key: string): Promise<void> {
    this.calls.push(`delete ${nameOf(key)}`)
    await this.#wait('delete', key)
    this.entries.delete(key)
  }

  /** Holds back the answers to such calls, until the function that it answers is called. */
  hold(pattern: RegExp): () => void {
    let release!: () => void
    this.#held = { pattern, until: new Promise(resolve => (release = resolve)) }
    return () => {
      this.#held = undefined
      release()
    }
  }

  async #wait(call: string, key: string): Promise<void> {
    if (this.#held?.pattern.test(`${call} ${key}`)) await this.#held.until
  }
}

const nameOf = (key: string) => key.replace(/^screen_auth_(\w+):.*/, '$1')

/** A store of which every call does this. */
const storeThat = (call: () => unknown): TokenStore => ({ get: call, set: call, delete: call })

function make(options: Partial<OpaqueTokensOptions> = {}) {
  const store = new TestStore()
  const tokens = opaqueTokens({ store, ...options })
  return { store, tokens, issue: (user = ADA) => tokens.issue(user), ...asking(tokens) }
}

/** Asks a service as the guard does, without the request. */
function asking(tokens: ReturnType<typeof opaqueTokens>) {
  return { userOf: async (token: string) => tokens.verify(token) }
}

/** Stops both clocks, so many milliseconds ahead of when it is called, at a whole one: fractions do not add up exactly. */
function stopClocks(t: Test, ahead = 0) {
  for (const clock of [Date, performance]) {
    const time = Math.floor(clock.now()) + ahead
    t.intercept(clock, 'now', { value: () => time, configurable: true })
  }
}

/** Sets both clocks so many seconds ahead. */
function shiftClocks(t: Test, seconds: number) {
  for (const clock of [Date, performance]) {
    const { now } = clock
    t.intercept(clock, 'now', { value: () => now.call(clock) + seconds * 1000, configurable: true })
  }
}

t.test('a login issues a token that the guard accepts, and no other', async t => {
  const { tokens } = make()
  const app = await host(t, { tokens })
  const { token } = (await logIn(app)).json()
  t.strictSame((await app.inject({ url: '/screen', headers: bearer(token) })).json(), ADA)
  const other = token.replace(/^./, token.startsWith('A') ? 'B' : 'A')
  for (const wrong of [UNKNOWN, other, 'short', `${token}A`, token.slice(1)])
    t.equal((await app.inject({ url: '/screen', headers: bearer(wrong) })).statusCode, 401, wrong)
})

t.test('a token is 256 random bits in Base64url', async t => {
  const { issue } = make()
  const tokens = await Promise.all(Array.from({ length: 100 }, () => issue()))
  t.equal(new Set(tokens).size, 100)
  for (const token of tokens) t.match(token, /^[\w-]{43}$/)
  t.ok(tokens.every(token => Buffer.from(token, 'base64url').length === 32))
  const characters = new Set(tokens.join(''))
  t.equal(characters.size, 64)
})

t.test('the store holds the hash of a token, the user and the times, and never the token', async t => {
  const { store, issue } = make({ lifetime: 60 })
  const before = Date.now()
  const token = await issue()
  const [key, { value }] = [...store.entries][0] as [string, { value: unknown }]
  t.equal(key, `screen_auth_session:${createHash('sha256').update(token).digest('hex')}`)
  const { issued, expires, ...rest } = value as Record<string, number>
  t.strictSame(rest, { ...ADA, generation: null })
  t.ok((issued as number) >= before && (issued as number) <= Date.now())
  t.equal(expires, (issued as number) + 60_000)
})

t.test('no username is in the keys of the store', async t => {
  const { store, tokens, issue } = make({ lifetime: 10, maxLifetime: 100 })
  const token = await issue()
  shiftClocks(t, 5)
  await tokens.verify(token)
  await tokens.revokeAll('ada')
  t.equal(store.entries.size, 3)
  for (const key of store.entries.keys()) t.match(key, /^screen_auth_\w+:[0-9a-f]{64}$/)
})

t.test('what cannot be a token is refused without a look into the store', async t => {
  const { store, userOf } = make()
  for (const text of ['', 'x', 'A'.repeat(42), 'A'.repeat(44), `${'A'.repeat(42)}=`, `${'A'.repeat(42)}\n`])
    t.equal(await userOf(text), null)
  t.strictSame(store.calls, [])
})

t.test('a token of one process is good in all that share the store', async t => {
  const { store, issue } = make()
  const other = asking(opaqueTokens({ store }))
  t.strictSame(await other.userOf(await issue()), ADA)
})

t.test('a user that was found is frozen, and only its two properties are there', async t => {
  const { issue, userOf } = make()
  const user = await userOf(await issue({ ...ADA, role: 'admin' } as ScreenUser))
  t.ok(Object.isFrozen(user))
  t.strictSame(user, ADA)
})

t.test('the lifetime is 24 hours when none is given', async t => {
  const { store, issue, userOf } = make()
  const token = await issue()
  t.ok(store.calls.includes('set session 86400000'))
  shiftClocks(t, 86_399)
  t.strictSame(await userOf(token), ADA)
  shiftClocks(t, 2)
  t.equal(await userOf(token), null)
})

t.test('an expired token is refused also by a store that never forgets', async t => {
  const tokens = opaqueTokens({ store: new Map(), lifetime: 60 })
  const token = await tokens.issue(ADA)
  shiftClocks(t, 59)
  t.strictSame(await tokens.verify(token), ADA)
  shiftClocks(t, 2)
  t.equal(await tokens.verify(token), null)
})

t.test('at the very end of its lifetime a token is over', async t => {
  for (const cache of [0, 1000]) {
    const tokens = opaqueTokens({ store: new Map(), lifetime: 60, cache })
    const { userOf } = asking(tokens)
    stopClocks(t)
    const token = await tokens.issue(ADA)
    stopClocks(t, 59_999)
    t.strictSame(await userOf(token), ADA)
    stopClocks(t, 1)
    t.equal(await userOf(token), null)
  }
})

t.test('a lifetime that was lengthened holds for new tokens only', async t => {
  const store = new Map()
  const token = await opaqueTokens({ store, lifetime: 10 }).issue(ADA)
  const longer = asking(opaqueTokens({ store, lifetime: 100, maxLifetime: 1000 }))
  shiftClocks(t, 9)
  t.strictSame(await longer.userOf(token), ADA)
  shiftClocks(t, 2)
  t.equal(await longer.userOf(token), null)
})

t.test('a maxLifetime that was shortened holds for the tokens from before, too', async t => {
  const { store, issue, userOf } = make({ lifetime: 60, maxLifetime: 1000 })
  const token = await issue()
  const shorter = asking(opaqueTokens({ store, lifetime: 60, maxLifetime: 80 }))
  shiftClocks(t, 50)
  t.strictSame(await userOf(token), ADA)
  shiftClocks(t, 31)
  t.equal(await shorter.userOf(token), null)
  t.strictSame(await userOf(token), ADA)
})

t.test('a lifetime that was shortened holds for the tokens from before, too', async t => {
  const { store, issue, userOf } = make({ lifetime: 3600 })
  const token = await issue()
  const shorter = asking(opaqueTokens({ store, lifetime: 60 }))
  shiftClocks(t, 61)
  t.strictSame(await userOf(token), ADA)
  t.equal(await shorter.userOf(token), null)
})

t.test('a lifetime that was shortened holds for tokens that are renewed, too', async t => {
  const { store, issue, userOf } = make({ lifetime: 100, maxLifetime: 1000 })
  const token = await issue()
  shiftClocks(t, 50)
  t.strictSame(await userOf(token), ADA)
  const shorter = asking(opaqueTokens({ store, lifetime: 10, maxLifetime: 1000 }))
  shiftClocks(t, 11)
  t.equal(await shorter.userOf(token), null)
  t.strictSame(await userOf(token), ADA)
})

t.test('revoke ends one session, in every process, and leaves the others of the user', async t => {
  const { store, tokens, issue, userOf } = make()
  const other = opaqueTokens({ store })
  const [one, two] = await Promise.all([issue(), issue()])
  t.strictSame(await Promise.all([userOf(one), userOf(two), asking(other).userOf(one)]), [ADA, ADA, ADA])
  await other.revoke(one)
  t.strictSame(await Promise.all([userOf(one), userOf(two), asking(other).userOf(one)]), [null, ADA, null])
  await tokens.revoke(two)
  t.equal(await userOf(two), null)
})

t.test('revoke does nothing for what is no token', async t => {
  const { store, tokens } = make()
  for (const nothing of [null, '', 'short', `${UNKNOWN}x`]) await tokens.revoke(nothing)
  t.strictSame(store.calls, [])
  await tokens.revoke(UNKNOWN)
})

t.test('a host logs out with bearerToken and revoke', async t => {
  const { tokens } = make()
  const app = await host(t, { tokens })
  app.post('/auth/logout', async (request, reply) => {
    await tokens.revoke(bearerToken(request))
    return reply.code(204).send()
  })
  const { token } = (await logIn(app)).json()
  const logOut = () => app.inject({ method: 'POST', url: '/auth/logout', headers: bearer(token) })
  t.equal((await logOut()).statusCode, 204)
  t.equal((await logOut()).statusCode, 401)
})

t.test('revokeAll ends all sessions of one user, known or not, and no later one', async t => {
  const { store, tokens, issue, userOf } = make()
  const other = asking(opaqueTokens({ store }))
  const [one, two, eves] = await Promise.all([issue(), issue(), issue(EVE)])
  await userOf(one)
  await other.userOf(one)
  await tokens.revokeAll('ada')
  t.strictSame(await Promise.all([one, two, eves].map(userOf)), [null, null, EVE])
  t.strictSame(await Promise.all([one, two, eves].map(other.userOf)), [null, null, EVE])

  const later = await issue()
  t.strictSame(await Promise.all([userOf(later), other.userOf(later)]), [ADA, ADA])
  await tokens.revokeAll('ada')
  t.strictSame(await Promise.all([userOf(later), other.userOf(later), userOf(one)]), [null, null, null])
})

t.test('revokeAll holds for the sessions of a process with longer times', async t => {
  const { store, issue, userOf } = make({ lifetime: 20 * 86_400 })
  const token = await issue()
  await opaqueTokens({ store, lifetime: 1 }).revokeAll('ada')
  shiftClocks(t, 19 * 86_400)
  t.equal(await userOf(token), null)
})

t.test('what revokeAll has written stays 24 days, or as long as the longest session', async t => {
  for (const [maxLifetime, ttl] of [
    [100, 2_073_600_000],
    [9_000_000, 9_000_000_000]
  ]) {
    const { store, tokens } = make({ lifetime: 10, maxLifetime })
    await tokens.revokeAll('ada')
    t.strictSame(store.calls, [`set generation ${ttl}`])
  }
})

t.test('a session that was ended while it began does not come back at its end', async t => {
  const lifetime = 30 * 86_400
  const { store, tokens, issue, userOf } = make({ lifetime })
  const release = store.hold(/^get .*generation/)
  const login = issue()
  await setImmediate()
  await tokens.revokeAll('ada')
  shiftClocks(t, 1)
  release()
  const token = await login
  t.equal(await userOf(token), null)
  shiftClocks(t, lifetime - 1)
  t.equal(await userOf(token), null)
})

t.test('sessions from after a revokeAll outlive what it has written', async t => {
  const day = 86_400
  const { store, tokens, issue, userOf } = make({ lifetime: 30 * day })
  await tokens.revokeAll('ada')
  shiftClocks(t, 20 * day)
  const token = await issue()
  shiftClocks(t, 11 * day)
  const [generation] = [...store.entries.values()] as [{ ends: number }, ...unknown[]]
  t.ok(generation.ends < Date.now())
  t.strictSame(await userOf(token), ADA)
  await tokens.revokeAll('ada')
  t.equal(await userOf(token), null)
})

t.test('without maxLifetime a use does not renew a token', async t => {
  const { store, issue, userOf } = make({ lifetime: 10 })
  const token = await issue()
  shiftClocks(t, 9)
  t.strictSame(await userOf(token), ADA)
  t.notOk(store.calls.some(call => call.startsWith('set last_use')))
  shiftClocks(t, 2)
  t.equal(await userOf(token), null)
})

t.test('with maxLifetime each use renews a token, until that is over', async t => {
  const { store, issue, userOf } = make({ lifetime: 10, maxLifetime: 25 })
  const token = await issue()
  t.ok(store.calls.includes('set session 25000'))
  for (let seconds = 8; seconds <= 24; seconds += 8) {
    shiftClocks(t, 8)
    t.strictSame(await userOf(token), ADA, `after ${seconds} seconds`)
  }
  shiftClocks(t, 2)
  t.equal(await userOf(token), null, 'after 26 seconds')
})

t.test('with maxLifetime a token that is not used ends after the lifetime', async t => {
  const { issue, userOf } = make({ lifetime: 10, maxLifetime: 1000 })
  const [never, once] = [await issue(), await issue()]
  shiftClocks(t, 9)
  t.strictSame(await userOf(once), ADA)
  shiftClocks(t, 2)
  t.equal(await userOf(never), null)
  shiftClocks(t, 9)
  t.equal(await userOf(once), null)
})

t.test('a renewal is written when a tenth of the lifetime has passed, and not before', async t => {
  const { store, issue, userOf } = make({ lifetime: 100, maxLifetime: 1000 })
  const renewals = () => store.calls.filter(call => call.startsWith('set last_use'))
  stopClocks(t)
  const token = await issue()
  stopClocks(t, 9_999)
  await userOf(token)
  t.strictSame(renewals(), [])
  stopClocks(t, 1)
  await userOf(token)
  await userOf(token)
  t.strictSame(renewals(), ['set last_use 100000'])
})

t.test('the last renewal lasts no longer than the session', async t => {
  const { store, issue, userOf } = make({ lifetime: 10, maxLifetime: 15 })
  const token = await issue()
  shiftClocks(t, 9)
  await userOf(token)
  const [, ttl] = /^set last_use (\d+)$/.exec(store.calls.at(-1) as string) as unknown as [string, string]
  t.ok(Number(ttl) > 5_000 && Number(ttl) <= 6_000, ttl)
  shiftClocks(t, 5)
  await userOf(token)
  t.match(store.calls.at(-1), /^get/, 'and then there is nothing to renew')
})

t.test('a renewal that fails does not refuse the request, and is done at the next use', async t => {
  const { store, issue, userOf } = make({ lifetime: 10, maxLifetime: 100 })
  const token = await issue()
  shiftClocks(t, 5)
  const { set } = store
  store.set = async () => {
    throw new Error('OOM')
  }
  t.strictSame(await userOf(token), ADA)
  store.set = set
  t.strictSame(await userOf(token), ADA)
  shiftClocks(t, 9)
  t.strictSame(await userOf(token), ADA)
})

t.test('a revocation while a use renews the token holds', async t => {
  const { store, tokens, issue, userOf } = make({ lifetime: 10, maxLifetime: 100 })
  const token = await issue()
  shiftClocks(t, 5)
  const release = store.hold(/^set .*last_use/)
  t.strictSame(await userOf(token), ADA)
  await tokens.revoke(token)
  release()
  await setImmediate()
  t.ok(store.entries.size > 0, 'the renewal was written after the revocation')
  t.equal(await userOf(token), null)
})

t.test('two logins at once make two sessions, of which each can be revoked alone', async t => {
  const { store, tokens, issue, userOf } = make()
  const release = store.hold(/^get/)
  const logins = [issue(), issue()]
  await setImmediate()
  release()
  const [one, two] = (await Promise.all(logins)) as [string, string]
  t.strictSame(await Promise.all([userOf(one), userOf(two)]), [ADA, ADA])
  await tokens.revoke(one)
  t.strictSame(await Promise.all([userOf(one), userOf(two)]), [null, ADA])
})

t.test('a login that overlaps with a revokeAll does not survive it', async t => {
  const { store, tokens, issue, userOf } = make()
  const release = store.hold(/^set .*session/)
  const login = issue()
  await setImmediate()
  await tokens.revokeAll('ada')
  release()
  t.equal(await userOf(await login), null)
})

t.test(
  'whatever the order of logins and revocations, exactly the sessions that were not ended go on',
  async t => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('login' as const), user: fc.constantFrom(ADA, EVE) }),
      fc.record({ do: fc.constant('revoke' as const), which: fc.nat(20) }),
      fc.record({ do: fc.constant('revokeAll' as const), user: fc.constantFrom(ADA, EVE) }),
      fc.record({ do: fc.constant('use' as const), which: fc.nat(20) })
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.nat(1), async (steps, cache) => {
        const { store, tokens } = make({ lifetime: 50, maxLifetime: 100 })
        // Whoever ends a session is not the only one to have remembered it.
        const others = [tokens, opaqueTokens({ store, lifetime: 50, maxLifetime: 100 })]
        const cached = opaqueTokens({ store, lifetime: 50, maxLifetime: 100, cache })
        const sessions: { token: string; user: ScreenUser; isOn: boolean }[] = []
        for (const step of steps) {
          const session = 'which' in step ? sessions[step.which % sessions.length] : undefined
          if (step.do === 'login')
            sessions.push({ token: await cached.issue(step.user), user: step.user, isOn: true })
          else if (step.do === 'use' && session) await cached.verify(session.token)
          else if (step.do === 'revoke' && session) {
            await cached.revoke(session.token)
            session.isOn = false
          } else if (step.do === 'revokeAll') {
            await cached.revokeAll(step.user.username)
            for (const one of sessions) if (one.user === step.user) one.isOn = false
          }
          for (const { token, user, isOn } of sessions)
            for (const service of [...others, cached])
              t.equal((await service.verify(token)) === null, !isOn, user.username)
        }
      }),
      { numRuns: 50 }
    )
  }
)

t.test('without a cache every request asks the store, and all that is known at once', async t => {
  const { store, issue, userOf } = make()
  const token = await issue()
  store.calls.splice(0)
  await userOf(token)
  t.strictSame(store.calls, ['get session', 'get generation'])
  const release = store.hold(/^get .*session/)
  const known = userOf(token)
  await setImmediate()
  t.strictSame(store.calls.slice(2), ['get session', 'get generation'])
  release()
  await known
  t.equal(store.calls.length, 4)
})

t.test('with a cache a token that was found is believed for so many seconds, without a promise', async t => {
  const { store, tokens, issue, userOf } = make({ cache: 5 })
  stopClocks(t)
  const token = await issue()
  await userOf(token)
  const asked = store.calls.length
  stopClocks(t, 4_999)
  t.strictSame(tokens.verify(token), ADA)
  t.equal(store.calls.length, asked)
  stopClocks(t, 1)
  await userOf(token)
  t.ok(store.calls.length > asked)
})

t.test('a cached token is refused when it has expired', async t => {
  const { issue, userOf } = make({ cache: 60, lifetime: 10 })
  const token = await issue()
  await userOf(token)
  shiftClocks(t, 11)
  t.equal(await userOf(token), null)
})

t.test('where nothing is renewed the cache is used to its end', async t => {
  const { store, issue, userOf } = make({ lifetime: 100, cache: 90 })
  const token = await issue()
  await userOf(token)
  const asked = store.calls.length
  shiftClocks(t, 80)
  t.strictSame(await userOf(token), ADA)
  t.equal(store.calls.length, asked)
})

t.test('a use that is to be written down is no use of the cache', async t => {
  const { store, issue, userOf } = make({ lifetime: 20, maxLifetime: 1000, cache: 20 })
  const token = await issue()
  for (let seconds = 1; seconds <= 60; seconds++) {
    shiftClocks(t, 1)
    t.strictSame(await userOf(token), ADA, `after ${seconds} seconds`)
  }
  const written = store.calls.filter(call => call.startsWith('set last_use')).length
  const looks = store.calls.filter(call => call === 'get session').length
  t.ok(written >= 20 && written <= 30, `${written}`)
  t.ok(looks <= 35, `${looks} of 60 looks into the store`)
})

t.test('a cached token is not believed for longer because the clock was set back', async t => {
  const { store, tokens, issue, userOf } = make({ cache: 5 })
  const token = await issue()
  await userOf(token)
  await opaqueTokens({ store }).revoke(token)
  const { now } = performance
  t.intercept(performance, 'now', { value: () => now.call(performance) + 6_000, configurable: true })
  const { now: dateNow } = Date
  t.intercept(Date, 'now', { value: () => dateNow() - 3_600_000, configurable: true })
  t.equal(await tokens.verify(token), null)
})

t.test('the time of the cache counts from when the store was asked', async t => {
  const { store, tokens, issue } = make({ cache: 5, timeout: 60 })
  const token = await issue()
  const release = store.hold(/^get/)
  const slow = tokens.verify(token)
  await setImmediate()
  shiftClocks(t, 4)
  release()
  await slow
  await opaqueTokens({ store }).revoke(token)
  shiftClocks(t, 2)
  t.equal(await tokens.verify(token), null)
})

t.test(
  'with a cache a revocation holds at once where it was made, and elsewhere after that time',
  async t => {
    const { store, tokens, issue, userOf } = make({ cache: 5 })
    const other = asking(opaqueTokens({ store, cache: 5 }))
    for (const end of [(token: string) => tokens.revoke(token), () => tokens.revokeAll('ada')]) {
      const [token, eves] = await Promise.all([issue(), issue(EVE)])
      await Promise.all([userOf(token), userOf(eves), other.userOf(token)])
      await end(token)
      t.equal(await userOf(token), null)
      const asked = store.calls.length
      t.strictSame(tokens.verify(eves, null), EVE)
      t.equal(store.calls.length, asked, 'other users stay cached')
      t.strictSame(await other.userOf(token), ADA)
      shiftClocks(t, 6)
      t.equal(await other.userOf(token), null)
    }
  }
)

t.test('a revocation during a verify is not undone by the cache', async t => {
  for (const end of ['revoke', 'revokeAll'] as const) {
    const { store, tokens, issue, userOf } = make({ cache: 60 })
    const token = await issue()
    const release = store.hold(/^get .*session/)
    const verifying = userOf(token)
    await setImmediate()
    await tokens[end](end === 'revoke' ? token : 'ada')
    release()
    await verifying
    t.equal(await userOf(token), null, end)
  }
})

t.test('what was refused is not remembered', async t => {
  const { store, userOf } = make({ cache: 60 })
  await userOf(UNKNOWN)
  await userOf(UNKNOWN)
  t.equal(store.calls.length, 2)
})

t.test(
  'while the store fails, guarded requests are 503 with Retry-After, and then all is well again',
  async t => {
    const { store, tokens } = make()
    const log = collectLog()
    const app = await host(t, { tokens }, log)
    const { token } = (await logIn(app)).json()
    const { get } = store
    for (const fail of [() => Promise.reject(new Error('down')), () => assertDown()]) {
      store.get = fail
      for (const sent of [token, UNKNOWN]) {
        const answer = await app.inject({ url: '/screen', headers: bearer(sent) })
        t.equal(answer.statusCode, 503)
        t.equal(answer.body, '')
        t.match(answer.headers['retry-after'], /^\d+$/)
      }
    }
    store.get = get
    t.equal((await app.inject({ url: '/screen', headers: bearer(token) })).statusCode, 200)
    t.match(log.text(), /the store of the tokens failed/)
    t.notMatch(log.text(), token)

    function assertDown(): never {
      throw new Error('down at once')
    }
  }
)

t.test('W2: while the store fails, a login is a 503 with Retry-After and an AuthResponse', async t => {
  for (const call of ['get', 'set'] as const) {
    const { store, tokens } = make()
    const app = await host(t, { tokens })
    store[call] = () => Promise.reject(new Error('down'))
    const answer = await logIn(app)
    t.equal(answer.statusCode, 503)
    t.equal(answer.headers['retry-after'], '5')
    t.match(answer.json(), { success: false, token: null, error: /try again later/, screen: null })
  }
})

t.test('a store that answers false to a set has failed', async t => {
  const { store, issue } = make()
  Object.assign(store, { set: async () => false })
  await t.rejects(issue(), {
    code: 'FST_SCREEN_AUTH_TOKEN_STORE_FAILED',
    message: /store of the tokens failed$/
  })
})

t.test('a revocation that fails throws, and in a handler that is 503 with Retry-After', async t => {
  const { store, tokens, issue, userOf } = make({ cache: 60 })
  const app = await host(t, { tokens })
  app.post('/revoke', { config: { screenAuth: false } }, async () => tokens.revoke(UNKNOWN))
  app.post('/revoke-all', { config: { screenAuth: false } }, async () => tokens.revokeAll('ada'))
  store.delete = store.set = () => Promise.reject(new Error('redis://user:hunter2@down'))
  for (const url of ['/revoke', '/revoke-all']) {
    const answer = await app.inject({ method: 'POST', url })
    t.equal(answer.statusCode, 503)
    t.match(answer.headers['retry-after'], /^\d+$/)
    t.notMatch(answer.body, /hunter2/)
  }
  store.set = TestStore.prototype.set
  const token = await issue()
  await userOf(token)
  await t.rejects(tokens.revoke(token), { code: 'FST_SCREEN_AUTH_TOKEN_STORE_FAILED' })
  t.strictSame(await userOf(token), ADA, 'the session goes on')
})

t.test('a store that never answers is given up after the timeout', async t => {
  const { tokens } = make({ store: storeThat(() => new Promise(() => {})), timeout: 1 })
  const expected = { code: 'FST_SCREEN_AUTH_TOKEN_STORE_FAILED', message: /took longer than 1 s$/ }
  const start = performance.now()
  await Promise.all([
    t.rejects(tokens.issue(ADA), expected),
    t.rejects(tokens.verify(UNKNOWN) as Promise<null>, expected),
    t.rejects(tokens.revoke(UNKNOWN), expected),
    t.rejects(tokens.revokeAll('ada'), expected)
  ])
  t.ok(performance.now() - start < 1_900)
})

t.test('what the store answers late, and fails with, does no harm', async t => {
  let fail!: (error: Error) => void
  const never = new Promise((_, reject) => (fail = reject))
  const { tokens } = make({ store: storeThat(() => never), timeout: 1 })
  await t.rejects(tokens.verify(UNKNOWN) as Promise<null>)
  fail(new Error('late'))
  await setImmediate()
})

t.test('a store that answers something else than it was given throws', async t => {
  const session = { ...ADA, issued: Date.now(), expires: Date.now() + 9e5, generation: null }
  const wrong = [
    '[object Object]',
    0,
    false,
    {},
    { ...session, username: '' },
    { ...session, displayName: 1 },
    { ...session, issued: '1' },
    { ...session, expires: null },
    { ...session, generation: 1 },
    { ...session, generation: undefined }
  ]
  const expected = {
    code: 'FST_SCREEN_AUTH_INVALID_ANSWER',
    message: /must return what was set; give it a Keyv/
  }
  for (const value of wrong) {
    const get = (key: string) => (key.includes('session') ? value : undefined)
    const { userOf } = make({ store: { ...storeThat(() => {}), get } })
    await t.rejects(userOf(UNKNOWN), expected, JSON.stringify(value))
  }
  for (const [name, value] of Object.entries({ last_use: 'now', generation: 7 })) {
    const get = (key: string) => (key.includes(name) ? value : key.includes('session') ? session : undefined)
    const { userOf } = make({ store: { ...storeThat(() => {}), get }, maxLifetime: 1e6 })
    await t.rejects(userOf(UNKNOWN), expected, name)
  }
})

t.test('null for a missing value is as good as undefined', async t => {
  const { userOf } = make({ store: storeThat(() => null), maxLifetime: 1e6 })
  t.equal(await userOf(UNKNOWN), null)
})

t.test('issue is for users only', async t => {
  const { tokens } = make()
  await t.rejects(tokens.issue({} as ScreenUser), {
    message: /tokens.issue must be given a user/
  })
})

// Keyv makes misses of failures: each version in its own way.

/** An adapter that is down. */
const brokenAdapter = () => ({
  opts: {},
  namespace: undefined,
  get: async () => Promise.reject(new Error('down')),
  set: async () => Promise.reject(new Error('down')),
  delete: async () => Promise.reject(new Error('down')),
  clear: async () => {},
  has: async () => false
})

// biome-ignore lint/suspicious/noExplicitAny: an adapter that is good enough for both
const keyvs: Record<string, (adapter?: any) => TokenStore> = {
  'Keyv 5': adapter => new Keyv({ store: adapter ?? new Map() }),
  'Keyv 5 that throws': adapter => new Keyv({ store: adapter ?? new Map(), throwOnErrors: true }),
  'Keyv 6': adapter => new Keyv6({ store: adapter ?? new Map() })
}

for (const [name, makeKeyv] of Object.entries(keyvs)) {
  t.test(`${name} keeps the sessions`, async t => {
    const { tokens, issue, userOf } = make({ store: makeKeyv(), lifetime: 10, maxLifetime: 100 })
    const [one, two, three] = [await issue(), await issue(), await issue()]
    shiftClocks(t, 5)
    t.strictSame(await userOf(one), ADA)
    shiftClocks(t, 6)
    t.strictSame(await Promise.all([userOf(one), userOf(two)]), [ADA, null])
    await tokens.revoke(one)
    t.equal(await userOf(one), null)
    await tokens.revokeAll('ada')
    t.equal(await userOf(three), null)
  })

  t.test(`${name} fails loudly when its adapter is down`, async t => {
    const store = makeKeyv(brokenAdapter())
    const { tokens, issue, userOf } = make({ store })
    const expected = { code: 'FST_SCREEN_AUTH_TOKEN_STORE_FAILED', cause: { message: /down/ } }
    await t.rejects(userOf(UNKNOWN), expected)
    await t.rejects(issue(), expected)
    await t.rejects(tokens.revoke(UNKNOWN), expected)
    await t.rejects(tokens.revokeAll('ada'), expected)
  })
}

t.test('a Keyv is left as it was for whoever else uses it', async t => {
  const keyv = new Keyv({ store: brokenAdapter() })
  keyv.on('error', () => {})
  await t.rejects(make({ store: keyv }).userOf(UNKNOWN))
  t.equal(keyv.throwOnErrors, false)
  t.equal(await keyv.get('mine'), undefined)
})

t.test('a Redis that is not there is a failure, however @keyv/redis is made', async t => {
  const url = 'redis://127.0.0.1:1'
  for (const options of [{}, { throwOnErrors: true }, { throwOnConnectError: false }]) {
    const store = createKeyv({ url, socket: { reconnectStrategy: false } }, options)
    const { issue, userOf } = make({ store })
    await t.rejects(userOf(UNKNOWN), { code: 'FST_SCREEN_AUTH_TOKEN_STORE_FAILED' }, JSON.stringify(options))
    await t.rejects(issue(), { code: 'FST_SCREEN_AUTH_TOKEN_STORE_FAILED' })
  }
})

t.test('a store that reports an error and answers as if nothing were there has failed', async t => {
  for (const nothing of [undefined, null]) {
    const emitter = new EventEmitter()
    const call = async () => {
      emitter.emit('error', new Error('down'))
      return nothing
    }
    const { tokens, userOf, issue } = make({ store: Object.assign(emitter, storeThat(call)) })
    const expected = {
      code: 'FST_SCREEN_AUTH_TOKEN_STORE_FAILED',
      message: /store of the tokens failed$/,
      cause: { message: 'down' }
    }
    await t.rejects(userOf(UNKNOWN), expected)
    await t.rejects(tokens.revoke(UNKNOWN), expected)
    await t.rejects(tokens.revokeAll('ada'), expected)
    await t.rejects(issue(), expected)
  }
})

t.test('a store that says false and has reported why has failed for that', async t => {
  const emitter = new EventEmitter()
  const { tokens } = make({
    store: Object.assign(
      emitter,
      storeThat(() => false)
    )
  })
  emitter.emit('error', new Error('down'))
  await t.rejects(tokens.revokeAll('ada'), { message: /failed$/, cause: { message: 'down' } })
})

t.test('a Keyv that keeps the errors of its adapter quiet fails all the same', async t => {
  const adapter = Object.assign(new EventEmitter(), brokenAdapter(), {
    get: silent,
    set: silent,
    delete: silent
  })
  async function silent() {
    adapter.emit('error', new Error('down'))
    return undefined
  }
  const { tokens, userOf, issue } = make({ store: new Keyv({ store: adapter, emitErrors: false }) })
  const expected = { code: 'FST_SCREEN_AUTH_TOKEN_STORE_FAILED', cause: { message: 'down' } }
  await t.rejects(userOf(UNKNOWN), expected)
  await t.rejects(issue(), expected)
  await t.rejects(tokens.revoke(UNKNOWN), expected)
  await t.rejects(tokens.revokeAll('ada'), expected)
})

t.test('a store of a class with private fields works, whatever it is called like in Keyv', async t => {
  class PrivateStore {
    readonly #entries = new Map<string, unknown>()
    throwOnErrors = true
    get = (key: string) => this.#entries.get(key)
    set = (key: string, value: unknown) => this.#entries.set(key, value)
    delete = (key: string) => this.#entries.delete(key)
  }
  const { issue, userOf } = make({ store: Object.freeze(new PrivateStore()) })
  t.strictSame(await userOf(await issue()), ADA)
})

t.test('a value that the store has is believed, whatever error it reports meanwhile', async t => {
  const keyv = new Keyv()
  const { issue, userOf } = make({ store: keyv })
  const token = await issue()
  const get = keyv.get.bind(keyv)
  t.intercept(keyv, 'get', {
    value: async (key: string) => {
      const value = await get(key)
      if (value !== undefined) keyv.emit('error', new Error('of somebody else'))
      return value ?? null
    }
  })
  t.strictSame(await userOf(token), ADA)
})

t.test('options that are wrong stop the start, and the message names the setting', t => {
  const store = new Map()
  for (const [options, message] of [
    [undefined, /`opaqueTokens` must be an object with store, lifetime/],
    [{}, /`opaqueTokens.store` must be a Keyv/],
    [{ store: {} }, /`opaqueTokens.store`/],
    [{ store: { get() {}, set() {} } }, /`opaqueTokens.store`/],
    [{ store, lifetime: 0 }, /`opaqueTokens.lifetime` must be a whole number of seconds/],
    [{ store, lifetime: 1.5 }, /`opaqueTokens.lifetime`/],
    [{ store, lifetime: '60' }, /`opaqueTokens.lifetime`/],
    [{ store, lifetime: Number.POSITIVE_INFINITY }, /`opaqueTokens.lifetime`/],
    [{ store, lifetime: 60, maxLifetime: 59 }, /`opaqueTokens.maxLifetime` must be .* `lifetime` or more/],
    [{ store, maxLifetime: '90000' }, /`opaqueTokens.maxLifetime`/],
    [{ store, cache: -1 }, /`opaqueTokens.cache` must be a whole number of seconds, 0 or greater/],
    [{ store, cache: 0.5 }, /`opaqueTokens.cache`/],
    [{ store, timeout: 0 }, /`opaqueTokens.timeout` must be .* at most 2147483/],
    [{ store, timeout: 2_147_484 }, /`opaqueTokens.timeout`/],
    [{ store, lifetim: 60 }, /`opaqueTokens` has no setting `lifetim`/]
  ] as [OpaqueTokensOptions, RegExp][]) {
    t.throws(() => opaqueTokens(options), { code: 'FST_SCREEN_AUTH_INVALID_OPTION', message })
  }
  opaqueTokens({ store, lifetime: 60, maxLifetime: 60, cache: 0, timeout: 2_147_483 })
  t.end()
})
