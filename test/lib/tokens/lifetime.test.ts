import { setImmediate } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import t from 'tap'
import type { OpaqueTokensOptions, SessionTimes } from '../../../lib/index.ts'
import { stopClock } from '../../clock.ts'
import { ADA, bearer, host, logIn } from '../../helpers.ts'
import { processWith, setUp, TestStore } from './sessions.ts'

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
  ['a use does not renew a token without maxLifetime', { lifetime: 10 }, { valid: [9], refused: 10 }],
  [
    'each use renews a token with maxLifetime, until maxLifetime has passed',
    { lifetime: 10, maxLifetime: 25 },
    { valid: [8, 16, 24], refused: 25 }
  ],
  ['an unused token with maxLifetime expires after its lifetime', LONG, { valid: [], refused: 100 }],
  ['a token that was used expires a lifetime after its last use', LONG, { valid: [90, 189], refused: 289 }],
  ['the longest session lasts for 400 days', { lifetime: 34_560_000 }, { valid: [34_559_999], refused: 34_560_000 }],
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
    'issue with times that are undefined uses those of the service',
    { lifetime: 3600 },
    { valid: [60], refused: 60, times: { lifetime: undefined }, elsewhere: { lifetime: 60 } }
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
    const store = new TestStore()
    const here = processWith(store, options)
    const token = await here.issue(ADA, times)
    let now = 0
    const waitUntil = (seconds: number) => {
      clock.tick(seconds - now)
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

t.test('a use in a process with a shorter lifetime shortens a session', async t => {
  const clock = stopClock(t)
  const { store, issue } = setUp(LONG)
  const token = await issue()
  const { userOf } = processWith(store, { lifetime: 10, maxLifetime: 1000 })
  t.strictSame(await userOf(token), ADA)
  clock.tick(10)
  t.equal(await userOf(token), null)
})

t.test('a session ends in time even in a store that never drops it', async t => {
  const clock = stopClock(t)
  const { store, issue, userOf } = setUp(LONG)
  const token = await issue()
  for (const entry of store.entries.values()) entry.ends = Infinity
  clock.tick(999.999)
  t.strictSame(await userOf(token), ADA)
  clock.tick(0.001)
  for (const entry of store.entries.values()) entry.ends = Infinity
  t.equal(await userOf(token), null)
})

t.test('issue rejects invalid times before it writes to the store', async t => {
  const { store, tokens } = setUp({ lifetime: 10 })
  for (const [name, times] of [
    ['tokens.issue.lifetime', { lifetime: 0 }],
    ['tokens.issue.lifetime', { lifetime: 34_560_001 }],
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

const renewals = (store: TestStore) => store.calls.filter(call => call.startsWith('touch'))

t.test('use: false verifies a token without renewing it', async t => {
  const clock = stopClock(t)
  const { store, tokens, issue } = setUp(LONG)
  const app = await host(t, { tokens })
  await app.ready()
  const token = await issue()
  for (let i = 0; i < 9; i++) {
    clock.tick(11)
    t.strictSame(await tokens.verify(token, null, { use: false }), ADA)
    t.strictSame(await app.screenAuth.verifyToken(token, { use: false }), ADA)
  }
  t.strictSame(renewals(store), [])
  clock.tick(1)
  t.equal(await tokens.verify(token, null, { use: false }), null)
})

t.test('verify rejects options in place of the request', async t => {
  const { store, tokens, issue } = setUp(LONG)
  const token = await issue()
  for (const misplaced of [{ use: false }, { use: true }])
    await t.rejects(tokens.verify(token, misplaced as never), {
      code: 'FST_SCREEN_AUTH_WRONG_ARGUMENT',
      message: /^screen-auth: tokens.verify takes the options after the request, which may be null$/
    })
  for (const request of [null, undefined, { headers: {} } as never])
    t.strictSame(await tokens.verify(token, request), ADA)
  t.equal(renewals(store).length, 1)
})

t.test('a host may decorate its requests with the names of session options', async t => {
  const { store, tokens } = setUp(LONG)
  const app = await host(t, { tokens })
  for (const name of ['use', 'lifetime', 'maxLifetime']) app.decorateRequest(name, false)
  const { token } = (await logIn(app)).json()
  t.equal((await app.inject({ url: '/screen', headers: bearer(token) })).statusCode, 200)
  t.equal(renewals(store).length, 1)
})

t.test('a process writes further uses once a tenth of the lifetime has passed, and not before', async t => {
  const clock = stopClock(t)
  const { store, issue, userOf } = setUp(LONG)
  const token = await issue()
  for (const seconds of [0, 0, 1, 8.999, 0.001, 9]) {
    clock.tick(seconds)
    await userOf(token)
  }
  t.strictSame(renewals(store), ['touch session 100000', 'touch session 100000'])
})

t.test('the first use after the clock was set back renews the session', async t => {
  const { store, issue, userOf } = setUp(LONG)
  const token = await issue()
  const now = Date.now()
  for (const time of [now, now - 1000, now - 999]) {
    t.intercept(Date, 'now', { value: () => time })
    await userOf(token)
  }
  t.equal(renewals(store).length, 2)
})

t.test('a use moves the end of a session, but not beyond maxLifetime', async t => {
  const clock = stopClock(t)
  const { store, issue, userOf } = setUp({ lifetime: 10, maxLifetime: 15 })
  const token = await issue()
  clock.tick(9)
  await userOf(token)
  t.strictSame(renewals(store), ['touch session 6000'])
})

t.test('the default and use: true count as a use', async t => {
  const clock = stopClock(t)
  const { store, tokens, issue } = setUp(LONG)
  const token = await issue()
  for (const options of [undefined, {}, { use: true }, { use: undefined }]) {
    clock.tick(11)
    await tokens.verify(token, null, options)
  }
  t.equal(renewals(store).length, 4)
})

t.test('the next use retries a renewal that failed', async t => {
  const clock = stopClock(t)
  const { store, issue, userOf } = setUp({ lifetime: 10, maxLifetime: 100 })
  const token = await issue()
  clock.tick(9.5)
  const { touch } = store
  store.touch = async () => {
    throw new Error('READONLY')
  }
  t.strictSame(await userOf(token), ADA, 'and the request is not refused')
  await setImmediate()
  store.touch = touch
  t.strictSame(await userOf(token), ADA)
  clock.tick(9)
  t.strictSame(await userOf(token), ADA)
})
