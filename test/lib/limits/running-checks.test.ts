import { RateLimiterMemory } from 'rate-limiter-flexible'
import t from 'tap'
import type { FailureStoreOptions } from '../../../lib/index.ts'
import { ADA, host, PASSWORD, until } from '../../helpers.ts'
import { attempt, countingHost, heldChecks, never, RIGHT, repeat, together } from './attempts.ts'
import { stopClock, turns } from './clock.ts'

t.test('a success that cannot be remembered blocks nobody', async t => {
  const clock = stopClock(t)
  let isDown = true
  const store = (options: FailureStoreOptions) => {
    const limiter = new RateLimiterMemory(options)
    const { block } = limiter
    return Object.assign(limiter, {
      block: (key: string, seconds: number) => {
        if (isDown && options.keyPrefix === 'screen_auth_network') throw new Error('down')
        return block.call(limiter, key, seconds)
      }
    })
  }
  const { app } = await countingHost(t, { throttle: { store } })
  await repeat(10, async () => t.equal((await attempt(app, RIGHT)).statusCode, 503))
  isDown = false
  await repeat(9, () => attempt(app))
  t.equal((await clock.during(attempt(app, RIGHT))).success, true)
})

t.test('a check that throws blocks nobody', async t => {
  const clock = stopClock(t)
  const checkCredentials = ({ password }: { password: string }) => {
    if (password === 'throws') throw new Error('down')
    return password === PASSWORD ? ADA : null
  }
  const app = await host(t, { checkCredentials })
  await repeat(10, async () => t.equal((await attempt(app, { password: 'throws' })).statusCode, 500))
  await repeat(9, () => attempt(app))
  t.equal((await clock.during(attempt(app, RIGHT))).success, true)
})

t.test('a check that never ends blocks nobody', async t => {
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

t.test('a failure that comes after the time is not counted, because nobody is told of it', async t => {
  const clock = stopClock(t)
  const late: ((user: null) => void)[] = []
  const checkCredentials = ({ password }: { password: string }) =>
    password === PASSWORD ? ADA : new Promise<null>(resolve => late.push(resolve))
  const limits = { usernameAndAddress: { failures: 2, seconds: 60 } }
  const app = await host(t, { checkCredentials, throttle: limits, checks: { timeout: 1 } })
  const tries = together(2, () => attempt(app))
  for (const { statusCode } of await clock.during(tries)) t.equal(statusCode, 503)
  for (const end of late) end(null)
  await turns()
  t.equal((await clock.during(attempt(app, RIGHT))).success, true)
})

t.test('a success that comes after the time ends no block', async t => {
  const clock = stopClock(t)
  const late: ((user: typeof ADA) => void)[] = []
  const checkCredentials = ({ password }: { password: string }) =>
    password === 'late' ? new Promise<typeof ADA>(resolve => late.push(resolve)) : null
  const limits = { usernameAndAddress: { failures: 1, seconds: 60 } }
  const app = await host(t, { checkCredentials, throttle: limits, checks: { timeout: 1 } })
  t.equal((await clock.during(attempt(app, { password: 'late' }))).statusCode, 503)
  await clock.during(attempt(app))
  late[0]?.(ADA)
  await turns()
  t.match((await clock.during(attempt(app, RIGHT))).error, /Too many tries/)
})

t.test('a check that takes longer than the time of the failures allows no more guesses', async t => {
  const clock = stopClock(t)
  let checks = 0
  const app = await host(t, {
    throttle: {
      address: { failures: 5, seconds: 1 },
      username: { failures: 1_000, seconds: 60 },
      store: (options: FailureStoreOptions) => new RateLimiterMemory(options)
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

t.test('a place is given back until shortly before its counter starts again', async t => {
  const clock = stopClock(t)
  const checks = heldChecks()
  const throttle = { address: { failures: 1, seconds: 5 } }
  const app = await host(t, { checkCredentials: checks.checkCredentials, throttle })
  const login = attempt(app, RIGHT)
  await until(() => checks.open.length === 1)
  clock.tick(4.4)
  checks.letGo()
  await login
  t.equal((await attempt(app, RIGHT)).success, true)
})

t.test(
  'a login that waits until others are checked, for a store that never responds, keeps no place',
  async t => {
    const clock = stopClock(t)
    const checks = heldChecks()
    let isSilent = false
    const store = (options: FailureStoreOptions) => {
      const limiter = new RateLimiterMemory(options)
      const { penalty } = limiter
      return Object.assign(limiter, {
        penalty: (key: string, points: number) =>
          isSilent && points === 1 ? never() : penalty.call(limiter, key, points)
      })
    }
    const app = await host(t, {
      checkCredentials: async (fields: Record<string, string>) => {
        await turns(20)
        return checks.checkCredentials(fields)
      },
      throttle: { store, username: { failures: 1, seconds: 60 } },
      checks: { concurrency: 2, waiting: 0, timeout: 1 }
    })
    const held = attempt(app, RIGHT)
    await until(() => checks.open.length === 1)
    const stuck = attempt(app, { ...RIGHT, address: '192.0.2.2' })
    await turns()
    isSilent = true
    await clock.during(Promise.all([held, stuck]))
    isSilent = false
    checks.letGo()
    const next = together(2, i => attempt(app, { ...RIGHT, username: `user-${i}`, address: `10.0.0.${i}` }))
    for (const { success } of await clock.during(next)) t.equal(success, true)
  }
)

t.test('a check that cannot be taken back is forgotten when the time of its counter is over', async t => {
  const clock = stopClock(t)
  let isDown = true
  const store = (options: FailureStoreOptions) => {
    const limiter = new RateLimiterMemory(options)
    const { reward } = limiter
    return Object.assign(limiter, {
      reward: (key: string, points: number) => {
        if (isDown) throw new Error('down')
        return reward.call(limiter, key, points)
      }
    })
  }
  const throttle = { store, address: { failures: 2, seconds: 60 } }
  const { app } = await countingHost(t, { throttle, checks: { timeout: 1 } })
  await repeat(2, async () => t.equal((await attempt(app, RIGHT)).success, true))
  isDown = false
  t.equal((await clock.during(attempt(app, RIGHT))).statusCode, 503)
  clock.tick(60)
  t.equal((await attempt(app, RIGHT)).success, true)
})

for (const password of ['wrong', PASSWORD])
  t.test(
    `a check that ends after its counter has started again gains no guess: the password was ${password}`,
    async t => {
      const clock = stopClock(t)
      const late: (() => void)[] = []
      let guesses = 0
      const app = await host(t, {
        throttle: { address: { failures: 5, seconds: 60 }, username: { failures: 1_000, seconds: 60 } },
        checks: { concurrency: 100, timeout: 300 },
        checkCredentials: async (fields: Record<string, string>) => {
          if (fields.late) await new Promise<void>(resolve => late.push(resolve))
          if (fields.username === 'victim') guesses++
          return fields.password === PASSWORD ? { ...ADA, username: fields.username } : null
        }
      })
      const own = together(5, i =>
        app.inject({
          method: 'POST',
          url: '/auth/login',
          remoteAddress: '192.0.2.1',
          payload: { fields: { username: `own-${i}`, password, late: 'yes' } }
        })
      )
      await until(() => late.length === 5)
      clock.tick(60)
      await clock.during(attempt(app, { username: 'victim' }))
      for (const end of late) end()
      await clock.during(own)
      await clock.during(together(20, () => attempt(app, { username: 'victim' })))
      t.equal(guesses, password === PASSWORD ? 5 : 1)
    }
  )
