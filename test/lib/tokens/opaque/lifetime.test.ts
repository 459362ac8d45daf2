import { setImmediate } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import t from 'tap'
import type { OpaqueTokensOptions, SessionTimes } from '../../../../lib/index.ts'
import { ADA, bearer, host, logIn } from '../../../helpers.ts'
import { stopClock } from '../../../stopped-clock.ts'
import { processWith, setUp, setUpTwo, type TestStore } from './session-store.ts'

type Options = Partial<OpaqueTokensOptions>
const LONG = { lifetime: 100, maxLifetime: 1000 }

/** Uses of a token in seconds after the login: those that are valid, and the one that is refused. */
interface Uses {
  valid: number[]
  refused: number
  /** The options of the process that refuses the token, if it is another process. */
  elsewhere?: Options
  /** The times that `issue` receives. */
  times?: SessionTimes
}

for (const [what, options, { valid, refused, elsewhere, times }] of [
  ['a token is valid for 24 hours by default', {}, { valid: [86_399], refused: 86_400 }],
  ['a token expires at the exact millisecond', { lifetime: 60 }, { valid: [59.999], refused: 60 }],
  ['a cached token expires at the exact millisecond', { lifetime: 60, cache: 1000 }, { valid: [59.999], refused: 60 }],
  ['a use does not renew a token without maxLifetime', { lifetime: 10 }, { valid: [9], refused: 10 }],
  [
    'each use renews a token with maxLifetime, until maxLifetime has passed',
    { lifetime: 10, maxLifetime: 25 },
    { valid: [8, 16, 24], refused: 25 }
  ],
  ['an unused token with maxLifetime expires after its lifetime', LONG, { valid: [], refused: 100 }],
  ['a token that was used expires a lifetime after its last use', LONG, { valid: [90, 189], refused: 289 }],
  [
    'a longer lifetime applies only to tokens that are issued later',
    { lifetime: 10 },
    { valid: [9], refused: 10, elsewhere: LONG }
  ],
  [
    'a shorter lifetime applies also to tokens that were issued before',
    { lifetime: 3600 },
    { valid: [60], refused: 60, elsewhere: { lifetime: 60 } }
  ],
  [
    'a shorter lifetime applies also to tokens that were renewed before',
    LONG,
    { valid: [50, 59], refused: 60, elsewhere: { lifetime: 10, maxLifetime: 1000 } }
  ],
  [
    'a shorter maxLifetime applies also to tokens that were issued before',
    LONG,
    { valid: [50, 80], refused: 80, elsewhere: { lifetime: 60, maxLifetime: 80 } }
  ],
  [
    'a session keeps its idle timeout in a process with a longer one',
    { lifetime: 10, maxLifetime: 1000 },
    { valid: [9, 18], refused: 28, elsewhere: { lifetime: 500 } }
  ],
  [
    'issue can give a session a shorter lifetime than the service',
    LONG,
    { valid: [4], refused: 5, times: { lifetime: 5 } }
  ],
  [
    'issue can give a session a longer lifetime than the service',
    LONG,
    { valid: [1999], refused: 2000, times: { lifetime: 2000 } }
  ],
  [
    'issue can make a session renewable in a service without maxLifetime',
    { lifetime: 5 },
    { valid: [9, 18], refused: 25, times: { lifetime: 10, maxLifetime: 25 } }
  ],
  [
    'issue with maxLifetime alone uses the lifetime of the service',
    { lifetime: 10 },
    { valid: [9, 18], refused: 28, times: { maxLifetime: 100 } }
  ],
  [
    'the times from issue apply in a process with other times',
    { lifetime: 50 },
    { valid: [9, 18], refused: 28, times: { lifetime: 10, maxLifetime: 100 }, elsewhere: { lifetime: 5 } }
  ]
] as [string, Options, Uses][]) {
  t.test(what, async t => {
    const clock = stopClock(t)
    // This store never removes entries.
    const store = new Map()
    const here = processWith(store, options)
    const token = await here.issue(ADA, times)
    let now = 0
    const waitUntil = (seconds: number) => {
      clock.advance(seconds - now)
      now = seconds
    }
    for (const seconds of valid) {
      waitUntil(seconds)
      t.strictSame(await here.userOf(token), ADA, `after ${seconds} seconds`)
    }
    waitUntil(refused)
    t.equal(await (elsewhere ? processWith(store, elsewhere) : here).userOf(token), null)
  })
}

t.test('a session in the old format without its own times has those of the service', async t => {
  const clock = stopClock(t)
  const { store, issue, userOf } = setUp(LONG)
  const token = await issue()
  for (const { value } of store.entries.values())
    for (const name of ['lifetime', 'isOwn']) Reflect.deleteProperty(value as object, name)
  clock.advance(99)
  t.strictSame(await userOf(token), ADA)
  clock.advance(100)
  t.equal(await userOf(token), null)
})

t.test('issue rejects invalid times before it writes to the store', async t => {
  const { store, tokens } = setUp({ lifetime: 10 })
  for (const [name, times] of [
    ['tokens.issue.lifetime', { lifetime: 0 }],
    ['tokens.issue.lifetime', { lifetime: 315_360_001 }],
    ['tokens.issue.maxLifetime', { maxLifetime: 1.5 }],
    ['tokens.issue.maxLifetime', { maxLifetime: 9 }],
    ['tokens.issue', { maxLifeTime: 60 }],
    ['tokens.issue', null]
  ] as [string, SessionTimes][])
    await t.rejects(tokens.issue(ADA, null, times), {
      code: 'FST_SCREEN_AUTH_INVALID_OPTION',
      message: new RegExp(`option \`${name}\``)
    })
  const misplaced = { lifetime: 5 } as unknown as FastifyRequest
  await t.rejects(tokens.issue(ADA, misplaced), { message: /`tokens.issue` takes the times after the request/ })
  t.strictSame(store.calls, [])
})

for (const cache of [0, 600])
  t.test(`use: false verifies a token without renewing it, with a cache of ${cache} s`, async t => {
    const clock = stopClock(t)
    const { store, tokens, issue } = setUp({ ...LONG, cache })
    const app = await host(t, { tokens })
    await app.ready()
    const token = await issue()
    for (let i = 0; i < 9; i++) {
      clock.advance(11)
      t.strictSame(await tokens.verify(token, { use: false }), ADA)
      t.strictSame(await tokens.verify(token, null, { use: false }), ADA)
      t.strictSame(await app.screenAuth.verifyToken(token, { use: false }), ADA)
    }
    t.strictSame(renewals(store), [])
    clock.advance(1)
    t.equal(await tokens.verify(token, { use: false }), null)
  })

t.test('use: false verifies a cached session without the store until it may have expired', async t => {
  const clock = stopClock(t)
  const { store, tokens, issue, userOf } = setUp({ ...LONG, cache: 600 })
  const token = await issue()
  await userOf(token)
  clock.advance(99)
  t.strictSame(await store.callsDuring(() => tokens.verify(token, { use: false })), [])
  t.ok((await store.callsDuring(() => userOf(token))).includes('set last_use 160000'), 'a use still counts')
})

t.test('a host may decorate its requests with the names of session options', async t => {
  const clock = stopClock(t)
  const { store, tokens } = setUp(LONG)
  const app = await host(t, { tokens })
  for (const name of ['use', 'lifetime', 'maxLifetime']) app.decorateRequest(name, false)
  const { token } = (await logIn(app)).json()
  clock.advance(11)
  t.equal((await app.inject({ url: '/screen', headers: bearer(token) })).statusCode, 200)
  t.equal(renewals(store).length, 1)
})

t.test('the default and use: true count as a use', async t => {
  const clock = stopClock(t)
  const { store, tokens, issue } = setUp(LONG)
  const token = await issue()
  for (const options of [undefined, {}, { use: true }, { use: undefined }]) {
    clock.advance(11)
    await tokens.verify(token, null, options)
  }
  t.equal(renewals(store).length, 4)
})

for (const ahead of [-5, 5])
  t.test(`a process whose clock is ${ahead} s ahead accepts, revokes and expires sessions correctly`, async t => {
    const clock = stopClock(t)
    const { one, two } = await setUpTwo({ lifetime: 60 })
    const there = async (token: string) => {
      clock.advanceTimeOfDay(ahead)
      const user = await two.userOf(token)
      clock.advanceTimeOfDay(-ahead)
      return user
    }
    const [token, ended] = [await one.issue(), await one.issue()]
    for (const each of [token, ended]) t.strictSame(await there(each), ADA)
    await one.tokens.revoke(ended)
    t.equal(await there(ended), null)
    clock.advance(59.999 - ahead)
    t.strictSame(await there(token), ADA)
    clock.advance(0.001)
    t.equal(await there(token), null)
  })

t.test('the store keeps a session until it can no longer be renewed', async t => {
  for (const [options, milliseconds] of [
    [{}, 86_400_000],
    [{ lifetime: 10, maxLifetime: 25 }, 25_000]
  ] as [Options, number][]) {
    const { store, issue } = setUp(options)
    t.strictSame(await store.callsDuring(issue), ['get generation', `set session ${milliseconds}`])
  }
})

t.test('a session that ends while the store responds is refused', async t => {
  const clock = stopClock(t)
  const { store, issue, userOf } = setUp({ lifetime: 10, maxLifetime: 30 })
  const token = await issue()
  const release = store.hold(/^get/)
  const reading = userOf(token)
  await setImmediate()
  clock.advance(30)
  release()
  t.equal(await reading, null)
})

const renewals = (store: TestStore) => store.calls.filter(call => call.startsWith('set last_use'))

t.test('a use is written to the store once a tenth of the lifetime has passed, and not before', async t => {
  const clock = stopClock(t)
  const { store, issue, userOf } = setUp(LONG)
  const token = await issue()
  clock.advance(9.999)
  await userOf(token)
  t.strictSame(renewals(store), [])
  clock.advance(0.001)
  await userOf(token)
  await userOf(token)
  t.strictSame(renewals(store), ['set last_use 160000'])
})

t.test('the last renewal is stored no longer than the session lasts', async t => {
  const clock = stopClock(t)
  const { store, issue, userOf } = setUp({ lifetime: 10, maxLifetime: 15 })
  const token = await issue()
  clock.advance(9)
  await userOf(token)
  t.strictSame(renewals(store), ['set last_use 66000'])
  clock.advance(5)
  await userOf(token)
  t.equal(renewals(store).length, 1, 'then there is nothing left to renew')
})

for (const cache of [0, 60]) {
  t.test(`the next use retries a renewal that failed, with a cache of ${cache} s`, async t => {
    const clock = stopClock(t)
    const { store, issue, userOf } = setUp({ lifetime: 10, maxLifetime: 100, cache })
    const token = await issue()
    clock.advance(9.5)
    const { set } = store
    store.set = async () => {
      throw new Error('OOM')
    }
    t.strictSame(await userOf(token), ADA, 'and the request is not refused')
    await setImmediate()
    store.set = set
    t.strictSame(await userOf(token), ADA)
    clock.advance(1.1)
    t.strictSame(await userOf(token), ADA)
  })
}

t.test('a renewal that is written after a revocation does not restore the session', async t => {
  const clock = stopClock(t)
  const { store, tokens, issue, userOf } = setUp({ lifetime: 10, maxLifetime: 100 })
  const token = await issue()
  clock.advance(5)
  const release = store.hold(/^set .*last_use/)
  t.strictSame(await userOf(token), ADA)
  await tokens.revoke(token)
  release()
  await setImmediate()
  t.ok(store.entries.size > 0, 'the renewal was written after the revocation')
  t.equal(await userOf(token), null)
})

t.test('a session that another process renews while the store responds is valid', async t => {
  const clock = stopClock(t)
  const { store, issue, userOf } = setUp({ lifetime: 10, maxLifetime: 100 })
  const token = await issue()
  clock.advance(9)
  const release = store.hold(/^get/)
  const late = userOf(token)
  await setImmediate()
  store.hold(/^nothing/)
  t.strictSame(await userOf(token), ADA)
  clock.advance(5)
  release()
  t.strictSame(await late, ADA)
})
