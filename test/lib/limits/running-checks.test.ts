import t from 'tap'
import { ADA, host, PASSWORD, until } from '../../helpers.ts'
import { attempt, countingHost, heldChecks, isRight, never, RIGHT, repeat, storeWith, together } from './attempts.ts'
import { stopClock, turns } from './clock.ts'

const down = () => {
  throw new Error('down')
}

t.test('a success whose network cannot be stored blocks no later login', async t => {
  const clock = stopClock(t)
  let isDown = true
  const store = storeWith((memory, { keyPrefix }) => ({
    block: (key: string, seconds: number) =>
      isDown && keyPrefix === 'screen_auth_network' ? down() : memory.block(key, seconds)
  }))
  const { app } = await countingHost(t, { throttle: { store } })
  await repeat(10, async () => t.equal((await attempt(app, RIGHT)).statusCode, 503))
  isDown = false
  await repeat(9, () => attempt(app))
  t.equal((await clock.during(attempt(app, RIGHT))).success, true)
})

t.test('a check that never ends blocks no later login', async t => {
  const clock = stopClock(t)
  const checkCredentials = ({ password }: { password: string }) => {
    if (password === 'never') return never()
    return password === PASSWORD ? ADA : null
  }
  const app = await host(t, { checkCredentials, checks: { timeout: 1, concurrency: 20 } })
  const stuck = together(10, () => attempt(app, { password: 'never' }))
  for (const { statusCode } of await clock.during(stuck)) t.equal(statusCode, 503)
  await turns()
  await repeat(9, () => attempt(app))
  t.equal((await clock.during(attempt(app, RIGHT))).success, true)
})

for (const [late, what] of [
  ['wrong', 'a failure after the timeout is not counted, because the client does not learn of it'],
  [PASSWORD, 'a success after the timeout ends no block']
] as const)
  t.test(what, async t => {
    const clock = stopClock(t)
    const { checkCredentials, open, release } = heldChecks(({ password }) => password === late)
    const throttle = { usernameAndAddress: { failures: 1, seconds: 60 } }
    const app = await host(t, { checkCredentials, throttle, checks: { timeout: 1 } })
    t.equal((await clock.during(attempt(app, { password: late }))).statusCode, 503)
    t.equal(open.length, 1)
    if (late === PASSWORD) await clock.during(attempt(app))
    release()
    await turns()
    t.equal((await clock.during(attempt(app, RIGHT))).success, late === 'wrong')
  })

t.test('a check that takes longer than the duration of a limit allows no extra guesses', async t => {
  const clock = stopClock(t)
  let checks = 0
  const app = await host(t, {
    throttle: {
      address: { failures: 5, seconds: 1 },
      username: { failures: 1_000, seconds: 60 },
      store: storeWith()
    },
    checks: { concurrency: 100 },
    checkCredentials: async ({ password }: { password: string }) => {
      if (password !== PASSWORD) checks++
      await clock.sleep(password === PASSWORD ? 1.3 : 0.02)
      return password === PASSWORD ? ADA : null
    }
  })
  await clock.during(together(5, () => attempt(app, RIGHT)))
  await clock.during(together(40, i => attempt(app, { username: `user-${i}` })))
  t.equal(checks, 5)
})

t.test('a reserved attempt can be given back until shortly before its counter expires', async t => {
  const clock = stopClock(t)
  const { checkCredentials, open, release } = heldChecks()
  const app = await host(t, { checkCredentials, throttle: { address: { failures: 1, seconds: 5 } } })
  const login = attempt(app, RIGHT)
  await until(() => open.length === 1)
  clock.tick(4.4)
  release()
  await login
  t.equal((await attempt(app, RIGHT)).success, true)
})

t.test('a login that waits for others and then for a silent store leaves no reserved attempt', async t => {
  const clock = stopClock(t)
  const { checkCredentials, open, release } = heldChecks()
  let isSilent = false
  const store = storeWith(memory => ({
    penalty: (key: string, points: number) => (isSilent && points === 1 ? never() : memory.penalty(key, points))
  }))
  const app = await host(t, {
    checkCredentials: async (fields: Record<string, string>) => {
      await turns(20)
      return checkCredentials(fields)
    },
    throttle: { store, username: { failures: 1, seconds: 60 } },
    checks: { concurrency: 2, waiting: 0, timeout: 1 }
  })
  const held = attempt(app, RIGHT)
  await until(() => open.length === 1)
  const stuck = attempt(app, { ...RIGHT, address: '192.0.2.2' })
  await turns()
  isSilent = true
  await clock.during(Promise.all([held, stuck]))
  isSilent = false
  release()
  const next = together(2, i => attempt(app, { ...RIGHT, username: `user-${i}`, address: `10.0.0.${i}` }))
  for (const { success } of await clock.during(next)) t.equal(success, true)
})

t.test('a reserved attempt that cannot be given back expires with its counter', async t => {
  const clock = stopClock(t)
  let isDown = true
  const store = storeWith(memory => ({
    reward: (key: string, points: number) => (isDown ? down() : memory.reward(key, points))
  }))
  const throttle = { store, address: { failures: 2, seconds: 60 } }
  const { app } = await countingHost(t, { throttle, checks: { timeout: 1 } })
  await repeat(2, async () => t.equal((await attempt(app, RIGHT)).success, true))
  isDown = false
  t.equal((await clock.during(attempt(app, RIGHT))).statusCode, 503)
  clock.tick(60)
  t.equal((await attempt(app, RIGHT)).success, true)
})

for (const password of ['wrong', PASSWORD])
  t.test(`a check that outlasts its counter allows no extra guess, password ${password}`, async t => {
    const clock = stopClock(t)
    const { checkCredentials, open, release } = heldChecks(({ username = '' }) => username.startsWith('own'))
    let guesses = 0
    const app = await host(t, {
      throttle: { address: { failures: 5, seconds: 60 }, username: { failures: 1_000, seconds: 60 } },
      checks: { concurrency: 100, timeout: 300 },
      checkCredentials: (fields: Record<string, string>) => {
        if (fields.username === 'victim') guesses++
        return checkCredentials(fields)
      }
    })
    const own = together(5, i => attempt(app, { username: `own-${i}`, password }))
    await until(() => open.length === 5)
    clock.tick(60)
    await clock.during(attempt(app, { username: 'victim' }))
    release()
    await clock.during(own)
    await clock.during(together(20, () => attempt(app, { username: 'victim' })))
    t.equal(guesses, password === PASSWORD ? 5 : 1)
  })

for (const kind of ['address', 'username'])
  t.test(`a success does not end a block by ${kind} that affects others`, async t => {
    const clock = stopClock(t)
    const { checkCredentials, open, release } = heldChecks(isRight)
    const app = await host(t, { checkCredentials, throttle: { [kind]: { failures: 5, seconds: 60 } } })
    const address = kind === 'username' ? '192.0.2.2' : '192.0.2.1'
    const right = attempt(app, RIGHT)
    await until(() => open.length === 1)
    const wrong = together(9, () => attempt(app, { address }))
    // Four fail at once; the others wait for the check of the right password.
    await clock.during(clock.sleep(0.2))
    release()
    await clock.during(wrong)
    t.equal((await right).success, true)
    t.equal((await attempt(app, { ...RIGHT, address })).isBlocked, true)
  })

for (const concurrency of [3, 100])
  t.test(`twenty parallel right passwords succeed after nine failures, concurrency ${concurrency}`, async t => {
    const clock = stopClock(t)
    const { app } = await countingHost(t, { checks: { concurrency, timeout: 300 } })
    await repeat(9, () => attempt(app))
    const clicks = await clock.during(together(20, () => attempt(app, RIGHT)))
    t.ok(clicks.every(({ success }) => success))
  })

t.test('logins that wait for other checks count towards checks.waiting', async t => {
  const clock = stopClock(t)
  const app = await host(t, {
    checkCredentials: async () => {
      await clock.sleep(0.3)
      return ADA
    },
    checks: { concurrency: 3, waiting: 5, timeout: 300 },
    throttle: { usernameAndAddress: { failures: 1, seconds: 60 } }
  })
  const crowd = together(20, i => attempt(app, { ...RIGHT, address: `10.0.${i % 2}.1` }))
  const responses = await clock.during(crowd)
  const count = (status: number) => responses.filter(({ statusCode }) => statusCode === status).length
  t.equal(count(200), 8)
  t.equal(count(503), 12)
  t.ok(responses.every(({ statusCode, success }) => success === (statusCode === 200)))
})
