import t from 'tap'
import { collectLog, host, until } from '../../helpers.ts'
import { attempt, countingHost, heldChecks, RIGHT, repeat } from './attempts.ts'
import { stopClock } from './clock.ts'

t.test(
  'W1: after ten failures of a username from an address a login is a rejection that says how long to wait',
  async t => {
    stopClock(t)
    const { app, checks } = await countingHost(t)
    await repeat(10, async () => t.equal((await attempt(app)).isBlocked, false))
    t.strictSame(await attempt(app), {
      statusCode: 200,
      isBlocked: true,
      retryAfter: 900,
      success: false,
      token: null,
      error: 'Too many tries. Try again in 15 minutes.',
      screen: null
    })
    t.equal(checks(), 10)
  }
)

t.test('while a login is blocked the checker is not called, not even for the right password', async t => {
  const { app, checks } = await countingHost(t)
  await repeat(10, () => attempt(app))
  t.match(await attempt(app, RIGHT), { isBlocked: true, success: false, token: null })
  t.equal(checks(), 10)
})

t.test(
  'the same username from another address, and another username from the same, are not blocked',
  async t => {
    const { app } = await countingHost(t)
    await repeat(10, () => attempt(app))
    t.equal((await attempt(app, { ...RIGHT, address: '192.0.2.2' })).success, true)
    t.equal((await attempt(app, { ...RIGHT, username: 'bob' })).success, true)
  }
)

t.test('a success starts the row of failures again', async t => {
  const { app } = await countingHost(t)
  await repeat(3, async () => {
    await repeat(9, () => attempt(app))
    t.equal((await attempt(app, RIGHT)).success, true)
  })
})

for (const kind of ['usernameAndAddress', 'address', 'username'])
  t.test(`a blocked login is told so while no place for a check is free: ${kind}`, async t => {
    stopClock(t)
    const checks = heldChecks()
    const app = await host(t, {
      checkCredentials: checks.checkCredentials,
      checks: { concurrency: 1, waiting: 0 },
      throttle: { [kind]: { failures: 1, seconds: 60 } }
    })
    const failure = attempt(app)
    await until(() => checks.open.length === 1)
    checks.open.shift()?.()
    await failure
    const other = attempt(app, { ...RIGHT, username: 'bob', address: '192.0.2.2' })
    await until(() => checks.open.length === 1)
    t.match(await attempt(app), { statusCode: 200, isBlocked: true, retryAfter: 60 })
    checks.letGo()
    await other
  })

t.test('when the time is over a login is possible again', async t => {
  const clock = stopClock(t)
  const limit = { failures: 2, seconds: 1 }
  const { app } = await countingHost(t, { throttle: { usernameAndAddress: limit } })
  await repeat(2, () => attempt(app))
  clock.tick(0.999)
  t.match(await attempt(app, RIGHT), { error: / in 1 second\.$/, retryAfter: 1 })
  clock.tick(0.001)
  t.equal((await attempt(app, RIGHT)).success, true)
})

t.test(
  'the time begins with the first failure, and what is tried while blocked makes it no longer',
  async t => {
    const clock = stopClock(t)
    const limit = { failures: 2, seconds: 60 }
    const { app } = await countingHost(t, { throttle: { usernameAndAddress: limit } })
    await attempt(app)
    clock.tick(20)
    await attempt(app)
    t.equal((await attempt(app)).retryAfter, 40)
    clock.tick(30)
    t.equal((await attempt(app)).retryAfter, 10)
    clock.tick(10)
    t.equal((await attempt(app, RIGHT)).success, true)
  }
)

for (const [seconds, words] of [
  [119, '119 seconds'],
  [120, '2 minutes'],
  [121, '3 minutes'],
  [7199, '120 minutes'],
  [7200, '2 hours'],
  [2_147_483, '597 hours']
] as const)
  t.test(
    `the message counts in the largest unit of which there are two: ${seconds} are ${words}`,
    async t => {
      stopClock(t)
      const { app } = await countingHost(t, { throttle: { usernameAndAddress: { failures: 1, seconds } } })
      await attempt(app)
      const { error } = await attempt(app)
      t.match(error, ` in ${words}.`)
      t.ok(error.length <= 42, error)
    }
  )

t.test('an unknown user is limited like a known one, with the same responses', async t => {
  stopClock(t)
  const checkCredentials = async ({ username }: Record<string, string>) => {
    if (username === 'ada') await Promise.resolve()
    return null
  }
  const { app } = await countingHost(t, { checkCredentials })
  const responsesTo = async (username: string) => {
    const responses: unknown[] = []
    await repeat(12, async () => responses.push(await attempt(app, { username })))
    return responses
  }
  t.strictSame(await responsesTo('ada'), await responsesTo('eve'))
})

t.test('throttle: false does not limit', async t => {
  const { app, checks } = await countingHost(t, { throttle: false })
  await repeat(110, () => attempt(app))
  t.equal(checks(), 110)
  t.equal((await attempt(app, RIGHT)).success, true)
})

t.test('a limit that is set leaves the others as they are', async t => {
  const limit = { failures: 1000, seconds: 60 }
  const { app, checks } = await countingHost(t, { throttle: { usernameAndAddress: limit, username: limit } })
  await repeat(101, () => attempt(app))
  t.equal(checks(), 100)
})

t.test('a blocked login is in the audit trail as such', async t => {
  const log = collectLog()
  const { app } = await countingHost(t, { throttle: { address: { failures: 1, seconds: 60 } } }, log)
  await repeat(2, () => attempt(app))
  const events = log.lines.filter(({ msg }) => String(msg).startsWith('screen-auth: login'))
  t.match(events, [
    { msg: 'screen-auth: login rejected', username: 'ada', address: '192.0.2.1' },
    { msg: 'screen-auth: login blocked', username: 'ada', address: '192.0.2.1' }
  ])
})
