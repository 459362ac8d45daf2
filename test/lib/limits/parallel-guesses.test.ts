import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import t, { type Test } from 'tap'
import type { FailureStore, FailureStoreOptions } from '../../../lib/index.ts'
import { ADA, host, PASSWORD } from '../../helpers.ts'
import { attempt, countingHost, RIGHT, repeat } from './attempts.ts'

/** Four servers that share a store, each call of which takes its own time, there and back. */
async function fourServers(t: Test, { throttle = {}, ...options }: { checks?: object; throttle?: object }) {
  const limiters = new Map<string, FailureStore>()
  const store = (of: FailureStoreOptions) => {
    const limiter = limiters.get(of.keyPrefix) ?? slow(new RateLimiterMemory(of), Math.random)
    limiters.set(of.keyPrefix, limiter)
    return limiter
  }
  const servers: Awaited<ReturnType<typeof countingHost>>[] = []
  for (let i = 0; i < 4; i++) {
    servers.push(await countingHost(t, { ...options, throttle: { ...throttle, store } }))
  }
  return {
    apps: servers.map(({ app }) => app),
    checks: () => servers.reduce((sum, { checks }) => sum + checks(), 0)
  }
}

function slow(limiter: RateLimiterMemory, random: () => number): FailureStore {
  const wait = () => sleep(random() * 2)
  const delayed = <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) => {
    return async (...args: Args) => {
      await wait()
      const result = await call.apply(limiter, args)
      await wait()
      return result
    }
  }
  return {
    get: delayed((key: string) => limiter.get(key)),
    penalty: delayed((key: string) => limiter.penalty(key)),
    reward: delayed((key: string) => limiter.reward(key)),
    block: delayed((key: string, seconds: number) => limiter.block(key, seconds)),
    delete: delayed((key: string) => limiter.delete(key))
  }
}

const guesses = (apps: FastifyInstance[], of: (i: number) => object) =>
  Promise.all(Array.from({ length: 400 }, (_, i) => attempt(apps[i % 4] as FastifyInstance, of(i))))

const schedules: [string, (i: number) => object, number][] = [
  ['one name from one address', () => ({}), 10],
  ['one name from forty addresses', i => ({ address: `10.0.0.${i % 40}` }), 50],
  ['one name from eight addresses', i => ({ address: `10.0.0.${Math.floor(i / 50)}` }), 50],
  ['one name from four addresses', i => ({ address: `10.0.0.${i % 4}` }), 40],
  ['forty names from one address', i => ({ username: `user-${i % 40}` }), 100],
  ['twenty names from two addresses', i => ({ username: `user-${i % 20}`, address: `10.0.0.${i % 2}` }), 200]
]

for (const [name, of, expected] of schedules)
  t.test(`400 guesses at once over four servers are looked at as often as in turn: ${name}`, async t => {
    const inTurn = await countingHost(t)
    await repeat(400, i => attempt(inTurn.app, of(i)))
    t.equal(inTurn.checks(), expected)

    for (const concurrency of expected === 10 ? [3, 100] : [100]) {
      const { apps, checks } = await fourServers(t, { checks: { concurrency, timeout: 300 } })
      await guesses(apps, of)
      t.equal(checks(), expected, `${concurrency} at a time`)
    }
  })

t.test('whatever is right and wrong, at once, no more fail than may', async t => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ isRight: fc.boolean(), address: fc.nat(5), server: fc.nat(3) }), {
        minLength: 20,
        maxLength: 60
      }),
      fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
      async (logins, stream) => {
        let failed = 0
        const checkCredentials = async ({ password }: { password: string }) => {
          await sleep(1)
          if (password === PASSWORD) return ADA
          failed++
          return null
        }
        const limit = { failures: 5, seconds: 60 }
        const throttle = { username: limit, usernameAndAddress: limit, address: limit }
        const random = () => stream.next().value as number
        const limiters = new Map<string, FailureStore>()
        const store = (options: FailureStoreOptions) => {
          const limiter = limiters.get(options.keyPrefix) ?? slow(new RateLimiterMemory(options), random)
          limiters.set(options.keyPrefix, limiter)
          return limiter
        }
        const apps = [
          await host(t, { checkCredentials, throttle: { ...throttle, store }, checks: { timeout: 300 } }),
          await host(t, { checkCredentials, throttle: { ...throttle, store }, checks: { timeout: 300 } })
        ] as const
        // Nobody logs in from where the guesses come, so that all of them count for the username.
        await Promise.all(
          logins.map(({ isRight, address, server }) =>
            attempt(apps[server % 2] as FastifyInstance, {
              address: isRight ? `10.1.0.${address}` : `10.0.0.${address}`,
              ...(isRight && RIGHT)
            })
          )
        )
        return failed <= 5
      }
    ),
    { numRuns: 10 }
  )
})

t.test('a crowd behind one address with right passwords is not blocked by its own attempts', async t => {
  for (const concurrency of [3, 1_000]) {
    const { app } = await countingHost(t, { checks: { concurrency, timeout: 300 } })
    const crowd = Array.from({ length: 200 }, (_, i) => attempt(app, { ...RIGHT, username: `user-${i}` }))
    for (const { success } of await Promise.all(crowd)) t.equal(success, true)
    await repeat(99, i => attempt(app, { username: `guest-${i}` }))
    t.equal((await attempt(app, RIGHT)).success, true, 'nothing of it is left')
  }
})

t.test('a success gives back what it has counted for the address and the username', async t => {
  const limit = { failures: 2, seconds: 60 }
  for (const kind of ['address', 'username']) {
    const { app } = await countingHost(t, { throttle: { [kind]: limit } })
    await repeat(5, async i =>
      t.equal(
        (await attempt(app, { ...RIGHT, address: `10.0.0.${kind === 'username' ? i : 0}` })).success,
        true
      )
    )
  }
})

t.test('a success does not end what others are blocked for', async t => {
  const checkCredentials = async ({ username, password }: Record<string, string>) => {
    if (password !== PASSWORD) return null
    return sleep(100, { username, displayName: '' })
  }
  for (const kind of ['username', 'address']) {
    const app = await host(t, { checkCredentials, throttle: { [kind]: { failures: 5, seconds: 60 } } })
    const address = kind === 'username' ? '192.0.2.2' : '192.0.2.1'
    const right = attempt(app, RIGHT)
    await Promise.all(Array.from({ length: 9 }, () => attempt(app, { address })))
    t.equal((await right).success, true)
    t.equal((await attempt(app, { ...RIGHT, address })).isBlocked, true, kind)
  }
})

t.test('right ones wait for those that are being checked, however few may still fail', async t => {
  for (const concurrency of [3, 100]) {
    const { app } = await countingHost(t, { checks: { concurrency, timeout: 300 } })
    await repeat(9, () => attempt(app))
    const clicks = await Promise.all(Array.from({ length: 20 }, () => attempt(app, RIGHT)))
    t.ok(
      clicks.every(({ success }) => success),
      'nine failures, and then the right password, many times at once'
    )
    await repeat(89, i => attempt(app, { username: `guest-${i}` }))
    const crowd = Array.from({ length: 200 }, (_, i) => attempt(app, { ...RIGHT, username: `user-${i}` }))
    for (const { success } of await Promise.all(crowd)) t.equal(success, true)
  }
})

t.test('a crowd over four servers with a shared store gets in, too, and leaves nothing behind', async t => {
  const { apps } = await fourServers(t, { checks: { concurrency: 100, timeout: 300 } })
  const crowd = await guesses(apps, i => ({ ...RIGHT, username: `user-${i % 200}` }))
  t.ok(crowd.every(({ success }) => success))
  await repeat(99, i => attempt(apps[0] as FastifyInstance, { username: `guest-${i}` }))
  t.equal((await attempt(apps[1] as FastifyInstance, RIGHT)).success, true)
})

t.test('a crowd over four servers gets in one after the other when one more may fail', async t => {
  const checks = { concurrency: 20, timeout: 300 }
  const throttle = { address: { failures: 2, seconds: 60 } }
  const { apps } = await fourServers(t, { checks, throttle })
  await attempt(apps[0] as FastifyInstance)
  const crowd = Array.from({ length: 100 }, (_, i) =>
    attempt(apps[i % 4] as FastifyInstance, { ...RIGHT, username: `user-${i}` })
  )
  for (const { success } of await Promise.all(crowd)) t.equal(success, true)
})

t.test('a check that never ends, or throws, and a store that fails meanwhile, block nobody', async t => {
  const never = () => new Promise<never>(() => {})
  let isBroken = true
  const store = (options: FailureStoreOptions) => {
    const limiter = new RateLimiterMemory(options)
    const { block } = limiter
    return Object.assign(limiter, {
      block: (key: string, seconds: number) => {
        if (isBroken && options.keyPrefix === 'screen_auth_network') throw new Error('down')
        return block.call(limiter, key, seconds)
      }
    })
  }
  const checkCredentials = async ({ password }: { password: string }) => {
    if (password === 'never') return never()
    if (password === 'throws') throw new Error('down')
    return password === PASSWORD ? ADA : null
  }
  const app = await host(t, {
    checkCredentials,
    throttle: { store },
    checks: { timeout: 1, concurrency: 20 }
  })
  await repeat(10, async () => t.equal((await attempt(app, RIGHT)).statusCode, 503))
  isBroken = false
  await repeat(10, async () => t.equal((await attempt(app, { password: 'throws' })).statusCode, 500))
  const stuck = Array.from({ length: 10 }, () => attempt(app, { password: 'never' }))
  for (const { statusCode } of await Promise.all(stuck)) t.equal(statusCode, 503)
  await sleep(100)
  await repeat(9, () => attempt(app))
  t.equal((await attempt(app, RIGHT)).success, true)
})

t.test('a count of checks whose time is over before a check ends allows no more guesses', async t => {
  const checkCredentials = ({ password }: { password: string }) =>
    password === PASSWORD ? sleep(1_300, ADA) : sleep(20, null)
  const throttle = { address: { failures: 5, seconds: 1 }, username: { failures: 1_000, seconds: 60 } }
  let checks = 0
  const app = await host(t, {
    throttle: { ...throttle, store: (options: FailureStoreOptions) => new RateLimiterMemory(options) },
    checks: { concurrency: 100 },
    checkCredentials: (fields: { password: string }) => {
      if (fields.password !== PASSWORD) checks++
      return checkCredentials(fields)
    }
  })
  await Promise.all(Array.from({ length: 5 }, () => attempt(app, RIGHT)))
  await Promise.all(Array.from({ length: 40 }, (_, i) => attempt(app, { username: `user-${i}` })))
  t.equal(checks, 5)
})

t.test('a guess that the username refuses is not held against its address', async t => {
  const { app, checks } = await countingHost(t, { throttle: { username: { failures: 1, seconds: 60 } } })
  const limited = {
    throttle: { username: { failures: 1, seconds: 60 }, address: { failures: 3, seconds: 60 } }
  }
  await attempt(app, { address: '192.0.2.2' })
  t.equal(checks(), 1)
  const other = await countingHost(t, limited)
  await Promise.all(Array.from({ length: 9 }, () => attempt(other.app)))
  t.equal(other.checks(), 1)
  await attempt(other.app, { username: 'eve' })
  t.equal((await attempt(other.app, { ...RIGHT, username: 'bob' })).success, true)
})

t.test('those that wait until others are checked take their places among the waiting', async t => {
  const checkCredentials = async ({ password }: { password: string }) => {
    await sleep(300)
    return password === PASSWORD ? ADA : null
  }
  const app = await host(t, {
    checkCredentials,
    checks: { concurrency: 3, waiting: 5, timeout: 300 },
    throttle: { usernameAndAddress: { failures: 1, seconds: 60 } }
  })
  const answers = await Promise.all(Array.from({ length: 20 }, () => attempt(app, RIGHT)))
  const count = (status: number) => answers.filter(({ statusCode }) => statusCode === status).length
  t.equal(count(200), 8)
  t.equal(count(503), 12)
  t.ok(answers.every(({ statusCode, success }) => success === (statusCode === 200)))
})

t.test('a running check that cannot be taken back is forgotten soon', async t => {
  let isBroken = true
  const store = (options: FailureStoreOptions) => {
    const limiter = new RateLimiterMemory(options)
    const { reward } = limiter
    return Object.assign(limiter, {
      reward: (key: string) => {
        if (isBroken) throw new Error('down')
        return reward.call(limiter, key)
      }
    })
  }
  const { app } = await countingHost(t, {
    throttle: { store, usernameAndAddress: { failures: 2, seconds: 900 } },
    checks: { timeout: 1 }
  })
  await repeat(2, async () => t.equal((await attempt(app, RIGHT)).success, true))
  isBroken = false
  t.equal((await attempt(app, RIGHT)).statusCode, 503)
  const later = Date.now() + 4_000
  t.intercept(Date, 'now', { value: () => later })
  t.equal((await attempt(app, RIGHT)).success, true)
})

t.test('a store that fails in the midst of counting is a 503, and leaves nothing counted', async t => {
  const calls: string[] = []
  let failing = ''
  const store = (options: FailureStoreOptions) => {
    const limiter = new RateLimiterMemory(options)
    const { get } = limiter
    let asked = 0
    return Object.assign(limiter, {
      get: (key: string) => {
        calls.push(options.keyPrefix)
        // The first look is before the queue.
        if (options.keyPrefix === failing && ++asked % 2 === 0) throw new Error('down')
        return get.call(limiter, key)
      }
    })
  }
  const limit = { failures: 2, seconds: 60 }
  const throttle = { store, usernameAndAddress: limit, address: limit, username: limit }
  for (const name of ['usernameAndAddress', 'address', 'username']) {
    failing = `screen_auth_${name}`
    const { app } = await countingHost(t, { throttle })
    await repeat(5, async () => t.equal((await attempt(app)).statusCode, 503))
    failing = ''
    t.equal((await attempt(app, RIGHT)).success, true, name)
  }
  failing = 'screen_auth_running'
  const { app } = await countingHost(t, { throttle })
  t.equal((await attempt(app, RIGHT)).statusCode, 503)
})

t.test('a check that began in the slot of time before is still counted', async t => {
  let [running, most] = [0, 0]
  const checkCredentials = async () => {
    most = Math.max(most, ++running)
    await sleep(300)
    running--
    return ADA
  }
  const app = await host(t, {
    checkCredentials,
    throttle: { usernameAndAddress: { failures: 1, seconds: 60 } }
  })
  const start = Date.now()
  const first = attempt(app, RIGHT)
  await sleep(50)
  // Twice the `timeout` of ten seconds.
  t.intercept(Date, 'now', { value: () => start + 20_000 })
  for (const { success } of await Promise.all([first, attempt(app, RIGHT)])) t.equal(success, true)
  t.equal(most, 1)
})
