import { AsyncLocalStorage } from 'node:async_hooks'
import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { ADA, bearer, collectLog, host, logIn, MENU, until } from '../../helpers.ts'
import { attempt, emitted, heldChecks, never, RIGHT, together } from './attempts.ts'
import { stopClock, turns } from './clock.ts'

t.test('at most three checks run in parallel, and the others wait', async t => {
  let [running, most] = [0, 0]
  const checkCredentials = async () => {
    most = Math.max(most, ++running)
    await turns()
    running--
    return ADA
  }
  const app = await host(t, { checkCredentials })
  const logins = await together(10, i => attempt(app, { username: `user-${i}` }))
  for (const { success } of logins) t.equal(success, true)
  t.equal(most, 3)
})

t.test('a login that exceeds checks.waiting gets an AuthResponse with 503 and Retry-After', async t => {
  const { checkCredentials, open, release } = heldChecks()
  const log = collectLog()
  const checks = { concurrency: 1, waiting: 2, timeout: 300 }
  const app = await host(t, { checkCredentials, checks }, log)
  const logins = together(3, i => attempt(app, { ...RIGHT, username: `user-${i}`, address: `10.0.0.${i}` }))
  await until(() => open.length === 1)
  await turns()
  t.match(await attempt(app, { ...RIGHT, username: 'one-too-many' }), {
    statusCode: 503,
    retryAfter: 5,
    success: false,
    token: null,
    error: /Try again later/,
    screen: null
  })
  t.match(
    log.lines.find(({ level }) => level === 40),
    { msg: 'screen-auth: login overloaded', username: 'one-too-many' }
  )
  release()
  for (const { success } of await logins) t.equal(success, true)
  t.equal((await attempt(app, { ...RIGHT, username: 'next' })).success, true)
})

t.test('one network takes at most half of the places for logins, so that others can log in', async t => {
  const { checkCredentials, open, release } = heldChecks()
  const checks = { concurrency: 3, waiting: 17, timeout: 300 }
  const app = await host(t, { checkCredentials, checks })
  const flood = together(100, i => attempt(app, { username: `user-${i % 2}` }))
  await until(() => open.length === 3)
  await turns()
  const others = together(10, i => attempt(app, { ...RIGHT, username: `other-${i}`, address: `10.0.0.${i}` }))
  await turns()
  release()
  for (const { success } of await others) t.equal(success, true)
  t.equal((await flood).filter(({ statusCode }) => statusCode === 503).length, 90)
})

t.test('a guarded route can read a file while checks block threads', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'screen-auth-'))
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  let writer: number | undefined
  // Opening a pipe blocks a thread until the pipe has a writer.
  const release = () => {
    writer ??= openSync(pipe, 'r+')
  }
  t.teardown(() => {
    release()
    closeSync(writer as number)
    rmSync(folder, { recursive: true })
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

for (const throttle of [{}, false])
  t.test(`checks that never end free their places on timeout, throttle ${throttle ? 'on' : 'off'}`, async t => {
    const clock = stopClock(t)
    let stuck = 3
    const checkCredentials = () => (stuck-- > 0 ? never() : ADA)
    const app = await host(t, { checkCredentials, throttle, checks: { timeout: 1 } })
    const logins = together(3, i => attempt(app, { username: `user-${i}` }))
    for (const { statusCode } of await clock.during(logins)) t.equal(statusCode, 503)
    t.equal((await clock.during(attempt(app))).success, true)
  })

// The timeout of a login.

for (const [name, fault] of [
  ['checker', { checkCredentials: never }],
  ['menu factory', { mainMenu: never }],
  ['token service', { tokens: { issue: never, verify: () => null } }]
] as const)
  t.test(`a login whose ${name} never ends times out with 503`, async t => {
    const clock = stopClock(t)
    const log = collectLog()
    const app = await host(t, { checkCredentials: () => ADA, ...fault, checks: { timeout: 1 } }, log)
    const response = await clock.during(logIn(app))
    t.equal(response.statusCode, 503)
    t.ok(response.headers['retry-after'])
    t.match(response.json(), { success: false, token: null, error: /Try again later/, screen: null })
    t.match(
      log.lines.find(({ level }) => level === 50),
      {
        err: {
          message: /took too long; see what checkCredentials, mainMenu, tokens.issue or throttle.store /
        }
      }
    )
  })

t.test('a login that takes almost ten seconds succeeds', async t => {
  const clock = stopClock(t)
  const { checkCredentials, open, release } = heldChecks()
  const app = await host(t, { checkCredentials })
  const login = attempt(app, RIGHT)
  await until(() => open.length === 1)
  clock.tick(9.999)
  release()
  t.equal((await login).success, true)
})

t.test('the timeout starts when the login arrives, and includes its waiting', async t => {
  const clock = stopClock(t)
  let checked = 0
  const checkCredentials = async () => {
    checked++
    await clock.sleep(0.7)
    return ADA
  }
  const app = await host(t, { checkCredentials, checks: { concurrency: 1, timeout: 1 } })
  const logins = await clock.during(together(3, i => attempt(app, { username: `user-${i}` })))
  const statuses = logins.map(({ statusCode }) => statusCode)
  t.strictSame(statuses, [200, 503, 503])
  await clock.during(clock.sleep(0.5))
  t.equal(checked, 2)
})

for (const [late, steps] of [
  ['checker', ['check']],
  ['menu factory', ['check', 'menu']],
  ['token service', ['check', 'menu', 'token']]
] as const)
  t.test(`a login whose ${late} takes too long stops there, and is not logged as accepted`, async t => {
    const clock = stopClock(t)
    const log = collectLog()
    const done: string[] = []
    const step = async <T>(name: string, value: T) => {
      if (name === steps.at(-1)) await clock.sleep(1.2)
      done.push(name)
      return value
    }
    const app = await host(
      t,
      {
        checkCredentials: () => step('check', ADA),
        mainMenu: () => step('menu', MENU),
        tokens: { issue: () => step('token', 'x'), verify: () => null },
        checks: { timeout: 1 }
      },
      log
    )
    t.equal((await clock.during(attempt(app))).statusCode, 503)
    await clock.during(clock.sleep(0.4))
    t.strictSame(done, steps)
    t.notOk(log.lines.some(({ msg }) => msg === 'screen-auth: login accepted'))
  })

t.test('a checker that rejects after the timeout causes no unhandled rejection', async t => {
  const clock = stopClock(t)
  const unhandled = emitted(t, 'unhandledRejection')
  const checkCredentials = async () => {
    await clock.sleep(1.2)
    throw new Error('late')
  }
  const app = await host(t, { checkCredentials, checks: { timeout: 1 } })
  t.equal((await clock.during(attempt(app))).statusCode, 503)
  await clock.during(clock.sleep(0.4))
  t.strictSame(unhandled, [])
})

t.test('a login leaves no timer behind', async t => {
  const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
  let during = 0
  const checkCredentials = () => {
    during = timers()
    return ADA
  }
  const app = await host(t, { checkCredentials })
  await app.ready()
  const before = timers()
  t.equal((await logIn(app)).statusCode, 200)
  await turns()
  t.ok(during > before)
  t.equal(timers(), before)
})

for (const isLate of [true, false])
  t.test(`the signal of a checker that is ${isLate ? 'late aborts' : 'in time does not abort'}`, async t => {
    const clock = stopClock(t)
    let signal: AbortSignal | undefined
    const checkCredentials = (_: object, __: object, given: AbortSignal) => {
      signal = given
      return isLate ? never() : ADA
    }
    const app = await host(t, { checkCredentials, checks: { timeout: 1 } })
    t.equal((await clock.during(attempt(app))).success, !isLate)
    clock.tick(2)
    t.equal(signal?.aborted, isLate)
    if (isLate) t.equal(signal?.reason.code, 'FST_SCREEN_AUTH_LOGIN_TIMED_OUT')
  })

// Tenants and traces need each check to run in the async context of its own request.

/** A host with two tenants, where each request has its own async context. */
async function tenants(t: Test, overrides: object = {}) {
  const context = new AsyncLocalStorage<{ tenant: string; checks: string[] }>()
  const users: Record<string, string> = { north: 'northern', south: 'southern' }
  const seen: string[][] = []
  const app = await host(t, {
    checkCredentials: async ({ username, password }: Record<string, string>) => {
      const { tenant, checks } = context.getStore() as { tenant: string; checks: string[] }
      checks.push(username as string)
      await setImmediate()
      return users[tenant] === password ? { username, displayName: tenant } : null
    },
    // Between the tested values of `concurrency`, so that some logins wait for others.
    throttle: { address: { failures: 4, seconds: 60 } },
    ...overrides
  })
  app.addHook('onRequest', (request, _reply, done) => {
    const checks: string[] = []
    seen.push(checks)
    context.run({ tenant: request.headers.tenant as string, checks }, done)
  })
  app.get('/unlock', async request => app.screenAuth.unlock({ username: 'ada' }, request))
  app.post('/again', async request => app.screenAuth.reauthenticate(request, 'northern'))
  const logIn = (tenant: string, username: string, password: string) =>
    app.inject({
      method: 'POST',
      url: '/auth/login',
      headers: { tenant },
      payload: { fields: { username, password } }
    })
  return { app, logIn, seen }
}

for (const concurrency of [1, 3, 100])
  t.test(`each login is checked in its own async context, concurrency ${concurrency}`, async t => {
    const { logIn, seen } = await tenants(t, { checks: { concurrency } })
    const logins = await together(9, i => logIn('north', `user-${i}`, 'northern'))
    for (const login of logins) t.equal(login.json().success, true)
    const names = Array.from({ length: 9 }, (_, i) => `user-${i}`)
    t.strictSame(seen.flat().sort(), names)
    for (const checks of seen) t.equal(checks.length, 1)
  })

t.test('a password of one tenant is rejected at another tenant, also during logins of the first', async t => {
  const { logIn } = await tenants(t)
  const north = together(3, i => logIn('north', `user-${i}`, 'northern'))
  t.equal((await logIn('south', 'ada', 'northern')).json().success, false)
  for (const login of await north) t.equal(login.json().success, true)
})

t.test('reauthenticate runs in the async context of its request', async t => {
  const { app, logIn } = await tenants(t)
  const token = await app.screenAuth.issueToken({ username: 'ada', displayName: '' })
  const north = together(3, i => logIn('north', `user-${i}`, 'northern'))
  const again = app.inject({ method: 'POST', url: '/again', headers: { tenant: 'south', ...bearer(token) } })
  await north
  t.match((await again).json(), { error: /wrong/ })
})

const tenantOf = (username: string, request: { headers: { tenant?: string } } | null) =>
  `${request?.headers.tenant} ${username}`

t.test('tenants on one server have separate counters if nameOf returns different names', async t => {
  const { app, logIn } = await tenants(t, {
    throttle: {
      nameOf: tenantOf,
      address: { failures: 1_000, seconds: 60 },
      username: { failures: 3, seconds: 60 }
    }
  })
  for (let i = 0; i < 5; i++) await logIn('north', 'ada', 'wrong')
  t.match((await logIn('north', 'ada', 'northern')).json(), { error: /Too many/ })
  t.equal((await logIn('south', 'ada', 'southern')).json().success, true)

  const token = await app.screenAuth.issueToken({ username: 'ada', displayName: '' })
  const unlock = (tenant: string) => app.inject({ url: '/unlock', headers: { tenant, ...bearer(token) } })
  await unlock('south')
  t.match((await logIn('north', 'ada', 'northern')).json(), { error: /Too many/ })
  await unlock('north')
  t.equal((await logIn('north', 'ada', 'northern')).json().success, true)
})

t.test('the failures of one address count together across tenants', async t => {
  const { logIn } = await tenants(t, {
    throttle: { nameOf: tenantOf, address: { failures: 4, seconds: 60 } }
  })
  for (const tenant of ['north', 'south', 'north', 'south']) await logIn(tenant, 'ada', 'wrong')
  t.match((await logIn('south', 'ada', 'southern')).json(), { error: /Too many/ })
})
