import { AsyncLocalStorage } from 'node:async_hooks'
import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { ADA, bearer, collectLog, host, until } from '../../helpers.ts'
import { attempt, heldChecks, never, RIGHT, together } from './attempts.ts'
import { stopClock, turns } from './clock.ts'

t.test('no more than three checks run at a time, and the others wait for their turn', async t => {
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

t.test('one login more than may wait is a 503 with Retry-After, an AuthResponse', async t => {
  const checks = heldChecks()
  const log = collectLog()
  const app = await host(
    t,
    { checkCredentials: checks.checkCredentials, checks: { concurrency: 1, waiting: 2, timeout: 300 } },
    log
  )
  const logins = together(3, i => attempt(app, { ...RIGHT, username: `user-${i}`, address: `10.0.0.${i}` }))
  await until(() => checks.open.length === 1)
  await turns()
  t.match(await attempt(app, { ...RIGHT, username: 'one-too-many' }), {
    statusCode: 503,
    retryAfter: 5,
    success: false,
    token: null,
    error: /try again later/,
    screen: null
  })
  t.match(
    log.lines.find(({ level }) => level === 40),
    { msg: 'screen-auth: login overloaded', username: 'one-too-many' }
  )
  checks.letGo()
  for (const { success } of await logins) t.equal(success, true)
  t.equal((await attempt(app, { ...RIGHT, username: 'next' })).success, true)
})

t.test('no network has more than half of the places, so that the others get in', async t => {
  const checks = heldChecks()
  const app = await host(t, {
    checkCredentials: checks.checkCredentials,
    checks: { concurrency: 3, waiting: 17, timeout: 300 }
  })
  const flood = together(100, i => attempt(app, { username: `user-${i % 2}` }))
  await until(() => checks.open.length === 3)
  await turns()
  const others = together(10, i => attempt(app, { ...RIGHT, username: `other-${i}`, address: `10.0.0.${i}` }))
  await turns()
  checks.letGo()
  for (const { success } of await others) t.equal(success, true)
  t.equal((await flood).filter(({ statusCode }) => statusCode === 503).length, 90)
})

t.test(
  'while each of the checks keeps a thread busy, a guarded route that reads a file does not wait for them',
  async t => {
    const folder = mkdtempSync(join(tmpdir(), 'screen-auth-'))
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    let writer: number | undefined
    // A thread that opens a pipe is busy until there is a writer.
    const letGo = () => {
      writer ??= openSync(pipe, 'r+')
    }
    t.teardown(() => {
      letGo()
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
    letGo()
    for (const { success } of await logins) t.equal(success, true)
  }
)

for (const throttle of [{}, false])
  t.test(
    `checks that never end do not keep their places, ${throttle ? 'with' : 'without'} a throttle`,
    async t => {
      const clock = stopClock(t)
      let stuck = 3
      const checkCredentials = () => (stuck-- > 0 ? never() : ADA)
      const app = await host(t, { checkCredentials, throttle, checks: { timeout: 1 } })
      const logins = together(3, i => attempt(app, { username: `user-${i}` }))
      for (const { statusCode } of await clock.during(logins)) t.equal(statusCode, 503)
      t.equal((await clock.during(attempt(app))).success, true)
    }
  )

// Each check runs in the async context of its own request, as tenants and traces need it.

/** A host with two tenants, in which each request has a context of its own. */
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
    // More may be checked than can be at a time, and less than that, so that some wait until others have ended.
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
  t.test(
    `nine logins at once have one check each in their own contexts, ${concurrency} at a time`,
    async t => {
      const { logIn, seen } = await tenants(t, { checks: { concurrency } })
      const logins = await together(9, i => logIn('north', `user-${i}`, 'northern'))
      for (const login of logins) t.equal(login.json().success, true)
      t.strictSame(
        seen.flat().sort(),
        Array.from({ length: 9 }, (_, i) => `user-${i}`)
      )
      for (const checks of seen) t.equal(checks.length, 1)
    }
  )

t.test('a password of one tenant is not accepted behind the logins of that tenant at another', async t => {
  const { logIn } = await tenants(t)
  const north = together(3, i => logIn('north', `user-${i}`, 'northern'))
  const south = logIn('south', 'ada', 'northern')
  for (const login of await north) t.equal(login.json().success, true)
  t.equal((await south).json().success, false)
})

t.test('reauthenticate runs in the context of its request, too', async t => {
  const { app, logIn } = await tenants(t)
  const token = await app.screenAuth.issueToken({ username: 'ada', displayName: '' })
  const north = together(3, i => logIn('north', `user-${i}`, 'northern'))
  const again = app.inject({ method: 'POST', url: '/again', headers: { tenant: 'south', ...bearer(token) } })
  await north
  t.match((await again).json(), { error: /wrong/ })
})

t.test('tenants that share a server do not share their counters, where nameOf tells them apart', async t => {
  const nameOf = (username: string, request: { headers: { tenant?: string } } | null) =>
    `${request?.headers.tenant} ${username}`
  const { app, logIn } = await tenants(t, {
    throttle: { nameOf, address: { failures: 1_000, seconds: 60 }, username: { failures: 3, seconds: 60 } }
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
