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

t.test('parallel logins with the right password all succeed', async t => {
  const clock = stopClock(t)
  const { app } = await countingHost(t)
  const answers = await clock.during(together(60, () => attempt(app, RIGHT)))
  t.ok(answers.every(({ success }) => success))
})

for (const concurrency of [3, 1_000])
  t.test(
    `a crowd behind one address with right passwords is not blocked by its own attempts, ${concurrency} at a time`,
    async t => {
      const clock = stopClock(t)
      const { app } = await countingHost(t, {
        checks: { concurrency, timeout: 300 },
        throttle: { address: { failures: 20, seconds: 3600 } }
      })
      const crowd = together(50, i => attempt(app, { ...RIGHT, username: `user-${i}` }))
      for (const { success } of await clock.during(crowd)) t.equal(success, true)
      await repeat(19, i => attempt(app, { username: `guest-${i}` }))
      t.equal((await attempt(app, RIGHT)).success, true, 'nothing of it is left')
    }
  )

for (const kind of ['address', 'username'])
  t.test(`a success gives back what it has counted for the ${kind}`, async t => {
    const { app } = await countingHost(t, { throttle: { [kind]: { failures: 2, seconds: 60 } } })
    await repeat(5, async i =>
      t.equal(
        (await attempt(app, { ...RIGHT, address: `10.0.0.${kind === 'username' ? i : 0}` })).success,
        true
      )
    )
  })

for (const kind of ['address', 'username'])
  t.test(`a success does not end what others are blocked for by ${kind}`, async t => {
    const clock = stopClock(t)
    const checks = heldChecks()
    const app = await host(t, {
      checkCredentials: (fields: Record<string, string>) =>
        fields.password === PASSWORD ? checks.checkCredentials(fields) : null,
      throttle: { [kind]: { failures: 5, seconds: 60 } }
    })
    const address = kind === 'username' ? '192.0.2.2' : '192.0.2.1'
    const right = attempt(app, RIGHT)
    await until(() => checks.open.length === 1)
    const wrong = together(9, () => attempt(app, { address }))
    // Four fail at once; the others wait until the right one is checked.
    await clock.during(clock.sleep(0.2))
    checks.letGo()
    await clock.during(wrong)
    t.equal((await right).success, true)
    t.equal((await attempt(app, { ...RIGHT, address })).isBlocked, true)
  })

for (const concurrency of [3, 100]) {
  t.test(
    `the right password many times at once is right each time after nine failures, ${concurrency} at a time`,
    async t => {
      const clock = stopClock(t)
      const { app } = await countingHost(t, { checks: { concurrency, timeout: 300 } })
      await repeat(9, () => attempt(app))
      const clicks = await clock.during(together(20, () => attempt(app, RIGHT)))
      t.ok(clicks.every(({ success }) => success))
    }
  )

  t.test(`a crowd gets in when one more may fail from its address, ${concurrency} at a time`, async t => {
    const clock = stopClock(t)
    const { app } = await countingHost(t, {
      checks: { concurrency, timeout: 300 },
      throttle: { address: { failures: 20, seconds: 3600 } }
    })
    await repeat(19, i => attempt(app, { username: `guest-${i}` }))
    const crowd = together(50, i => attempt(app, { ...RIGHT, username: `user-${i}` }))
    for (const { success } of await clock.during(crowd)) t.equal(success, true)
  })
}

t.test('logins that wait until others are checked take their places among the waiting', async t => {
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
  const answers = await clock.during(crowd)
  const count = (status: number) => answers.filter(({ statusCode }) => statusCode === status).length
  t.equal(count(200), 8)
  t.equal(count(503), 12)
  t.ok(answers.every(({ statusCode, success }) => success === (statusCode === 200)))
})
