import t from 'tap'
import { stopClock, turns } from '../../clock.ts'
import { deferred } from '../../helpers.ts'
import { attempt, countingHost, RIGHT, repeat, scopedHost, storeWith, together } from './attempts.ts'
import { type Fields, userOf } from './checkers.ts'

type App = Parameters<typeof attempt>[0]

const HOME = { address: '198.51.100.7' }
const AT_HOME = { ...RIGHT, ...HOME }

/** Uses up the failures of the username, from addresses that the user has never used. */
const lockOut = (app: App, username = 'ada', prefix = '') =>
  repeat(50, i => attempt(app, { username, address: `10.0.${i % 6}.1`, prefix }))

/** A user store that ignores the case of a name, spaces, and a domain. */
const checkCredentials = ({ username = '', password = '' }: Fields) =>
  userOf({ username: username.toLowerCase().trim().replace(/@.*/, ''), password })

t.test('an attacker cannot lock a user out of a network from which the user has logged in', async t => {
  const { app } = await countingHost(t)
  await attempt(app, AT_HOME)
  const others = { address: '198.51.100.8' }
  for (const username of ['bob', '\u00e1da', 'ADA']) await attempt(app, { ...RIGHT, ...others, username })
  await attempt(app, others)
  await lockOut(app)
  t.equal((await attempt(app, AT_HOME)).success, true)
  t.equal((await attempt(app, { ...RIGHT, ...others })).isBlocked, true, 'others have logged in from there')
  t.equal((await attempt(app, { ...AT_HOME, username: 'ADA' })).isBlocked, true, 'spelt otherwise')
})

t.test('in a known network, the limits of the address apply, and failures do not count elsewhere', async t => {
  const { app, checks } = await countingHost(t, { throttle: { username: { failures: 3, seconds: 60 } } })
  await repeat(5, () => attempt(app, AT_HOME))
  await repeat(15, () => attempt(app, HOME))
  t.equal(checks(), 5 + 10)
  await repeat(100, i => attempt(app, { ...HOME, username: `user-${i}` }))
  t.equal(checks(), 5 + 100)
  t.equal((await attempt(app, { ...RIGHT, address: '192.0.2.2' })).success, true)
})

t.test('failures of ADA and then of ada, in a known network, do not tell whether ada has an account', async t => {
  stopClock(t)
  const responses: unknown[] = []
  for (const password of [RIGHT.password, 'wrong']) {
    const { app } = await countingHost(t, { checkCredentials })
    await attempt(app, { ...HOME, password })
    await repeat(10, () => attempt(app, { ...HOME, username: 'ADA' }))
    responses.push(await attempt(app, HOME))
  }
  t.match(responses[0], { isBlocked: true })
  t.strictSame(responses[0], responses[1])
})

t.test('a network stays known for 30 days after the last login, also after forgetNetworks', async t => {
  const clock = stopClock(t)
  const { app } = await countingHost(t, { throttle: { store: storeWith() } })
  await app.screenAuth.forgetNetworks('ada')
  await attempt(app, AT_HOME)
  for (const days of [29, 29.9, 30.1]) {
    clock.tick(days * 86_400)
    await lockOut(app)
    t.equal((await attempt(app, AT_HOME)).success, days < 30, `after ${days} days`)
  }
})

t.test('the last twenty networks of a spelling are known', async t => {
  const { app } = await countingHost(t)
  const fromNetwork = (i: number) => attempt(app, { ...RIGHT, address: `2001:db8:0:${i}00::1` })
  await repeat(80, i => fromNetwork(Math.min(i, 59)))
  await lockOut(app)
  t.equal((await fromNetwork(40)).success, true)
  t.equal((await fromNetwork(39)).isBlocked, true)
})

for (const isParallel of [false, true])
  t.test(`many spellings of an account leave six records, parallel logins: ${isParallel}`, async t => {
    const keys = new Set<string>()
    const store = storeWith((call, name, key) => {
      if (name === 'set' || name === 'take') keys.add(key)
      if (name === 'delete') keys.delete(key)
      return call()
    })
    const { app } = await countingHost(t, { throttle: { store }, checkCredentials })
    await attempt(app, { ...AT_HOME, username: 'bob' })
    const logIn = (i: number) => attempt(app, { ...AT_HOME, username: `ada@${i}` })
    await (isParallel ? together(30, logIn) : repeat(30, logIn))
    t.equal([...keys].filter(key => /auth_networks|spellings/.test(key)).length, 6 + 2)
    await lockOut(app, 'bob')
    t.equal((await attempt(app, { ...AT_HOME, username: 'bob' })).success, true, 'of another account')
  })

t.test('five new spellings of an account become known in a day', async t => {
  const clock = stopClock(t)
  const { app } = await countingHost(t, { checkCredentials })
  const spellings = ['ada', 'Ada', 'aDa', 'adA', ' ada', 'ada ']
  const success = async () => {
    for (const username of spellings) await attempt(app, { ...AT_HOME, username })
    await lockOut(app)
    const logins = await Promise.all(spellings.map(username => attempt(app, { ...AT_HOME, username })))
    return logins.map(({ success }) => success)
  }
  t.strictSame(await success(), [true, true, true, true, true, false])
  clock.tick(86_401)
  t.strictSame(await success(), [true, true, true, true, true, true])
})

t.test('forgetNetworks forgets all spellings of an account, and no other account', async t => {
  const { app } = await countingHost(t, { checkCredentials })
  const names = ['ada', 'ADA', ' ada', '\u00e1da']
  for (const username of names) await attempt(app, { ...AT_HOME, username })
  await app.screenAuth.forgetNetworks('ada')
  await lockOut(app)
  for (const username of names)
    t.equal((await attempt(app, { ...AT_HOME, username })).success, username === '\u00e1da', username)
})

t.test('a login at the same moment does not restore what forgetNetworks forgets', async t => {
  const { promise, resolve } = deferred()
  const store = storeWith(async (call, name, key) => {
    if (name === 'set' && key.startsWith('screen_auth_networks:')) await promise
    return call()
  })
  const { app } = await countingHost(t, { throttle: { store } })
  const login = attempt(app, AT_HOME)
  await turns()
  await app.screenAuth.forgetNetworks('ada')
  resolve()
  await login
  await lockOut(app)
  t.equal((await attempt(app, AT_HOME)).isBlocked, true)
})

// The scopes of one server, and of several.

t.test('a user of another scope gets no more guesses at a namesake, from twenty networks of their own', async t => {
  let guesses = 0
  const app = scopedHost(t, {
    '/shop': { checkCredentials: userOf },
    '/admin': { checkCredentials: () => ++guesses && null }
  })
  await repeat(240, async i => {
    const login = { username: 'admin', address: `10.0.0.${i % 20}` }
    await attempt(app, { ...RIGHT, ...login, prefix: '/shop' })
    await attempt(app, { ...login, prefix: '/admin' })
  })
  t.equal(guesses, 50)
})

t.test('a network is known in each scope with the same path, also on another server', async t => {
  const throttle = { store: storeWith() }
  for (const [prefix, inner] of Object.entries({ '/a/b': '', '/a/b/': '', '/a': '/b', '/a/': '/b/', '': '/a/b' })) {
    const app = scopedHost(t, { [prefix]: { throttle, prefix: inner } })
    if (prefix === '/a/b') await attempt(app, { ...AT_HOME, prefix: '/a/b' })
    await lockOut(app, 'ada', '/a/b')
    t.equal((await attempt(app, { ...AT_HOME, prefix: '/a/b' })).success, true, `${prefix} and ${inner}`)
  }
})

t.test('forgetNetworks forgets the networks of all scopes, also from a server without their prefix', async t => {
  const throttle = { store: storeWith() }
  const app = scopedHost(t, { '/a': { throttle }, '/b': { throttle } })
  for (const prefix of ['/a', '/b']) await attempt(app, { ...AT_HOME, prefix })
  const { app: other } = await countingHost(t, { throttle })
  await other.screenAuth.forgetNetworks('ada')
  await lockOut(other)
  for (const prefix of ['/a', '/b']) t.equal((await attempt(app, { ...AT_HOME, prefix })).isBlocked, true)
})
