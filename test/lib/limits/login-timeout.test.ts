import t from 'tap'
import { ADA, collectLog, host, logIn, MENU, until } from '../../helpers.ts'
import { attempt, heldChecks, never, RIGHT, together } from './attempts.ts'
import { stopClock, turns } from './clock.ts'

const faults: [string, object][] = [
  ['checker', { checkCredentials: never }],
  ['menu factory', { mainMenu: never }],
  ['token service', { tokens: { issue: never, verify: () => null } }]
]
for (const [name, fault] of faults)
  t.test(`a ${name} that never ends makes the login a 503 when the time is over`, async t => {
    const clock = stopClock(t)
    const log = collectLog()
    const app = await host(t, { checkCredentials: () => ADA, ...fault, checks: { timeout: 1 } }, log)
    const answer = await clock.during(logIn(app))
    t.equal(answer.statusCode, 503)
    t.ok(answer.headers['retry-after'])
    t.match(answer.json(), { success: false, token: null, error: /try again later/, screen: null })
    t.match(
      log.lines.find(({ level }) => level === 50),
      {
        err: {
          message:
            /took too long; see what checkCredentials, mainMenu, tokens.issue or throttle.store waits for/
        }
      }
    )
  })

t.test('a login has ten seconds, and not less', async t => {
  const clock = stopClock(t)
  const checks = heldChecks()
  const app = await host(t, { checkCredentials: checks.checkCredentials })
  const login = attempt(app, RIGHT)
  await until(() => checks.open.length === 1)
  clock.tick(9.999)
  checks.letGo()
  t.equal((await login).success, true)
})

t.test('the time counts from the arrival, the waiting included', async t => {
  const clock = stopClock(t)
  let checked = 0
  const checkCredentials = async () => {
    checked++
    await clock.sleep(0.7)
    return ADA
  }
  const app = await host(t, { checkCredentials, checks: { concurrency: 1, timeout: 1 } })
  const answers = await clock.during(together(3, i => attempt(app, { username: `user-${i}` })))
  t.strictSame(
    answers.map(({ statusCode }) => statusCode),
    [200, 503, 503]
  )
  await clock.during(clock.sleep(0.5))
  t.equal(checked, 2)
})

t.test('a token that was issued too late is not in the log as a login', async t => {
  const clock = stopClock(t)
  const log = collectLog()
  const issue = async () => {
    await clock.sleep(1.2)
    return 'token'
  }
  const tokens = { issue, verify: () => null }
  const app = await host(t, { checkCredentials: () => ADA, tokens, checks: { timeout: 1 } }, log)
  t.equal((await clock.during(attempt(app))).statusCode, 503)
  await clock.during(clock.sleep(0.4))
  t.notOk(log.lines.some(({ msg }) => msg === 'screen-auth: login accepted'))
})

for (const late of ['checker', 'menu factory'])
  t.test(`a login whose ${late} took too long leaves no token behind`, async t => {
    const clock = stopClock(t)
    let issued = 0
    const after = async <T>(seconds: number, value: T) => {
      await clock.sleep(seconds)
      return value
    }
    const app = await host(t, {
      checkCredentials: () => after(late === 'checker' ? 1.2 : 0, ADA),
      mainMenu: () => after(late === 'menu factory' ? 1.2 : 0, MENU),
      tokens: { issue: () => `token-${++issued}`, verify: () => null },
      checks: { timeout: 1 }
    })
    t.equal((await clock.during(attempt(app))).statusCode, 503)
    await clock.during(clock.sleep(0.4))
    t.equal(issued, 0)
  })

t.test('no menu is made for a login that took too long', async t => {
  const clock = stopClock(t)
  let [made, ended] = [0, 0]
  const checkCredentials = async () => {
    await clock.sleep(1.2)
    ended++
    return ADA
  }
  const app = await host(t, { checkCredentials, mainMenu: () => ++made && MENU, checks: { timeout: 1 } })
  t.equal((await clock.during(attempt(app))).statusCode, 503)
  await clock.during(clock.sleep(0.4))
  t.equal(ended, 1)
  t.equal(made, 0)
})

t.test('a late failure of the checker is not an unhandled one', async t => {
  const clock = stopClock(t)
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', note)
  t.teardown(() => process.off('unhandledRejection', note))
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
  const app = await host(t)
  await app.ready()
  let set = 0
  const timers = new Set<unknown>()
  const { setTimeout, clearTimeout } = globalThis
  t.intercept(globalThis, 'setTimeout', {
    value: (...args: Parameters<typeof setTimeout>) => {
      const timer = setTimeout(...args)
      timers.add(timer)
      set++
      return timer
    }
  })
  t.intercept(globalThis, 'clearTimeout', {
    value: (timer: NodeJS.Timeout) => {
      timers.delete(timer)
      clearTimeout(timer)
    }
  })
  t.equal((await logIn(app)).statusCode, 200)
  await turns()
  t.ok(set > 0)
  t.equal(timers.size, 0)
})

t.test("the checker's signal is aborted when the time is over", async t => {
  const clock = stopClock(t)
  let signal: AbortSignal | undefined
  const checkCredentials = (_: object, __: object, given: AbortSignal) => {
    signal = given
    return never()
  }
  const app = await host(t, { checkCredentials, checks: { timeout: 1 } })
  await clock.during(attempt(app))
  t.equal(signal?.aborted, true)
  t.equal(signal?.reason.code, 'FST_SCREEN_AUTH_LOGIN_TIMED_OUT')
})

t.test("the checker's signal is not aborted when all went well, not even later", async t => {
  const clock = stopClock(t)
  let signal: AbortSignal | undefined
  const checkCredentials = (_: object, __: object, given: AbortSignal) => {
    signal = given
    return ADA
  }
  const app = await host(t, { checkCredentials, checks: { timeout: 1 } })
  t.equal((await attempt(app)).success, true)
  clock.tick(2)
  t.equal(signal?.aborted, false)
})
