import t from 'tap'
import { ADA, host, PASSWORD, until } from '../../helpers.ts'
import { attempt, countingHost, heldChecks, RIGHT, repeat, together } from './attempts.ts'
import { stopClock } from './clock.ts'

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
