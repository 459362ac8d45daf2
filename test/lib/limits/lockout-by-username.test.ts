import t from 'tap'
import { attempt, countingHost, RIGHT, repeat } from './attempts.ts'
import { stopClock } from './clock.ts'

t.test('fifty failures of one username from anywhere block it for an hour', async t => {
  stopClock(t)
  const { app, checks } = await countingHost(t)
  await repeat(50, i => attempt(app, { address: `10.0.0.${i}` }))
  t.match(await attempt(app, { ...RIGHT, address: '10.0.1.1' }), { isBlocked: true, retryAfter: 3600 })
  t.equal(checks(), 50)
  t.equal((await attempt(app, { ...RIGHT, username: 'bob', address: '10.0.1.1' })).success, true)
})

t.test(
  'usernames are compared in upper case, so that a letter is the same as the two it becomes',
  async t => {
    const { app } = await countingHost(t, { throttle: { username: { failures: 1, seconds: 60 } } })
    await attempt(app, { username: 'straße' })
    t.equal((await attempt(app, { username: 'STRASSE' })).isBlocked, true)
  }
)

t.test('spellings that a user store may take for one name are counted as one', async t => {
  const spellings = ['Zoë', 'zoe\u0308', ' ZOË ', '\uff3aoë', 'zo\u200be', 'z\u0301oe', 'zoe']
  const throttle = { username: { failures: spellings.length, seconds: 60 } }
  const { app } = await countingHost(t, { throttle })
  for (const username of spellings) t.equal((await attempt(app, { username })).isBlocked, false, username)
  t.equal((await attempt(app, { username: 'zoë' })).isBlocked, true)
  t.equal((await attempt(app, { username: 'zo' })).isBlocked, false)
})
