import { AsyncLocalStorage } from 'node:async_hooks'
import { execFileSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { stopClock, turns } from '../../clock.ts'
import { ADA, bearer, collectLog, host, listen, until } from '../../helpers.ts'
import { attempt, countingHost, RIGHT, scopedHost, storeWith, together } from './attempts.ts'
import { type Fields, heldChecks, never, userOf } from './checkers.ts'

t.test('at most three logins are checked, or ask the store, and the others wait', async t => {
  const most = { check: 0, take: 0 }
  const running = { check: 0, take: 0 }
  const during = async (what: 'check' | 'take', work: () => unknown) => {
    most[what] = Math.max(most[what], ++running[what])
    await turns(3)
    running[what]--
    return work()
  }
  const store = storeWith((call, name) => (name === 'take' ? during(name, call) : call()))
  const checkCredentials = (fields: Fields) => during('check', () => userOf(fields))
  const { app } = await countingHost(t, { throttle: { store }, checkCredentials })
  const logins = together(200, i => attempt(app, { ...RIGHT, username: `user-${i}`, address: `10.0.0.${i % 2}` }))
  for (const { success } of await logins) t.equal(success, true)
  t.strictSame(most, { check: 3, take: 3 })
})

t.test('a login that exceeds checks.waiting gets a 503 with Retry-After, and is reported', async t => {
  const { checkCredentials, open, release } = heldChecks()
  const log = collectLog()
  const app = await host(t, { checkCredentials, checks: { concurrency: 1, waiting: 2, timeout: 300 } }, log)
  const logins = together(3, i => attempt(app, { ...RIGHT, username: `user-${i}`, address: `10.0.0.${i}` }))
  await until(() => open.length === 1)
  await turns()
  const events = listen(t, 'login')
  const refused = { statusCode: 503, retryAfter: 5, success: false, token: null, error: /Try again later/ }
  t.match(await attempt(app, { ...RIGHT, username: 'one-too-many' }), refused)
  const overloaded = { outcome: 'overloaded', username: 'one-too-many' }
  t.match(events, [{ ...overloaded, cause: { code: 'FST_SCREEN_AUTH_OVERLOADED' } }])
  const line = log.lines.find(({ event }) => event === 'login')
  t.match(line, { level: 40, msg: 'screen-auth: login overloaded', ...overloaded })
  release()
  for (const { success } of await logins) t.equal(success, true)
})

t.test('one network takes at most half of the places for logins, so that others can log in', async t => {
  const { checkCredentials, open, release } = heldChecks()
  const app = await host(t, { checkCredentials, checks: { concurrency: 3, waiting: 17, timeout: 300 } })
  const flood = together(100, i => attempt(app, { username: `user-${i % 2}` }))
  await until(() => open.length === 3)
  await turns()
  const others = together(10, i => attempt(app, { ...RIGHT, username: `other-${i}`, address: `10.0.0.${i}` }))
  await turns()
  release()
  for (const { success } of await others) t.equal(success, true)
  t.equal((await flood).filter(({ statusCode }) => statusCode === 503).length, 90)
})

t.test('the networks take turns, and the logins of a network keep their order', async t => {
  const property = fc.asyncProperty(fc.array(fc.nat(3), { minLength: 1, maxLength: 20 }), async arrivals => {
    const { checkCredentials, open, release } = heldChecks()
    const begun: string[] = []
    const note = (fields: Fields) => begun.push(fields.username as string) && checkCredentials(fields)
    const app = await host(t, { checkCredentials: note, checks: { concurrency: 1 } })
    const arrive = (network: number, i: number) => attempt(app, { username: `${i}`, address: `10.0.0.${network}` })
    const first = arrive(9, -1)
    await until(() => open.length === 1)
    const logins = arrivals.map(arrive)
    await turns()
    release()
    await Promise.all([first, ...logins])
    // In each round, every network that still waits has one login, in the order of their first logins.
    const networks = [...new Set(arrivals)].map(network => [...arrivals.keys()].filter(i => arrivals[i] === network))
    const rounds = arrivals.flatMap((_, round) => networks.map(logins => logins[round]))
    return begun.join() === [-1, ...rounds.filter(i => i !== undefined)].join()
  })
  await fc.assert(property, { numRuns: 10 })
})

for (const throttle of [{}, false])
  t.test(`endless checks free their turns after the timeout of their scope, throttle ${throttle && 'on'}`, async t => {
    const clock = stopClock(t)
    const scope = (timeout: number, checkCredentials: unknown) => ({ throttle, checkCredentials, checks: { timeout } })
    const app = scopedHost(t, { '/short': scope(1, never), '/long': scope(5, () => ADA) })
    const stuck = together(3, i => attempt(app, { username: `user-${i}`, prefix: '/short' }))
    const waiting = attempt(app, { prefix: '/long' })
    for (const { statusCode } of await clock.during(stuck)) t.equal(statusCode, 503)
    t.equal((await clock.during(waiting)).success, true)
  })

for (const [one, other, most] of [
  [{}, { timeout: 299 }, 3],
  [{ concurrency: 2 }, { concurrency: 1 }, 3],
  [{ waiting: 9 }, {}, 6]
] as const)
  t.test(`two scopes check ${most} logins at once, with ${JSON.stringify([one, other])}`, async t => {
    const { checkCredentials, open, release } = heldChecks()
    const scope = (checks: object) => ({ checkCredentials, checks: { timeout: 300, ...checks } })
    const app = scopedHost(t, { '/a': scope(one), '/b': scope(other) })
    const logins = together(8, i => attempt(app, { ...RIGHT, username: `user-${i}`, prefix: ['/a', '/b'][i % 2] }))
    await until(() => open.length >= most)
    await turns()
    t.equal(open.length, most)
    release()
    for (const { success } of await logins) t.equal(success, true)
  })

// Tenants and traces need this.
for (const concurrency of [1, 3, 100])
  t.test(`each check runs in the async context of its own request, concurrency ${concurrency}`, async t => {
    const context = new AsyncLocalStorage<string>()
    const seen: unknown[][] = []
    const checkCredentials = async ({ username, password }: Fields) => {
      await turns(2)
      seen.push([password, context.getStore()])
      return { username, displayName: '' }
    }
    // Between the values of `concurrency`, so that some logins wait for others.
    const throttle = { address: { failures: 4, seconds: 60 } }
    const app = await host(t, { checkCredentials, throttle, checks: { concurrency } })
    app.addHook('onRequest', ({ headers }, _reply, done) => context.run(`${headers.tenant}`, done))
    app.post('/again', async request => app.screenAuth.reauthenticate(request, `${request.headers.tenant}`))
    const authorization = bearer(await app.screenAuth.issueToken(ADA))
    await together(9, i => {
      const payload = { fields: { username: `user-${i}`, password: `${i}` } }
      const headers = { tenant: `${i}`, ...authorization }
      return app.inject({ method: 'POST', url: i % 3 === 0 ? '/again' : '/auth/login', headers, payload })
    })
    const expected = Array.from({ length: 9 }, (_, i) => [`${i}`, `${i}`])
    t.strictSame(seen.sort(), expected)
  })

t.test('a guarded route can read a file while checks block threads', async t => {
  const pipe = join(t.testdir(), 'pipe')
  execFileSync('mkfifo', [pipe])
  let writer: number | undefined
  // Opening a pipe blocks a thread until the pipe has a writer.
  const release = () => {
    writer ??= openSync(pipe, 'r+')
  }
  t.teardown(() => {
    release()
    closeSync(writer as number)
  })
  let begun = 0
  const checkCredentials = async () => {
    begun++
    await (await open(pipe, 'r')).close()
    return ADA
  }
  const app = await host(t, { checkCredentials, checks: { timeout: 300 } })
  app.get('/file', () => readFile(new URL(import.meta.url)))
  const token = await app.screenAuth.issueToken(ADA)

  const logins = together(10, i => attempt(app, { username: `user-${i}` }))
  await until(() => begun === 3)
  await turns()
  t.equal((await app.inject({ url: '/file', headers: bearer(token) })).statusCode, 200)
  release()
  for (const { success } of await logins) t.equal(success, true)
})
