import type { FastifyRequest } from 'fastify'
import t from 'tap'
import { type LoginLimits, loginLimits, type Store, type ThrottleOptions } from '../../../lib/index.ts'
import { foldUsername } from '../../../lib/limits/normalization.ts'
import { collectLog, logIn, PASSWORD, throwing } from '../../helpers.ts'
import { attempt, countingHost, RIGHT, repeat, scopedHost, storeWith } from './attempts.ts'
import { type Fields, userOf } from './checkers.ts'

/** Characters besides accents that Unicode collation ignores: control and invisible ones, and the tatweel group. */
const ignored = (
  '01-1f 7f-9f ad 34f 61c 640 7fa 180a-180e 1cd3 200b-200f 202a-202e 2060-206f 3164 fe00-fe0f fe73 feff ffa0 ' +
  'e000 e0001 e0100'
)
  .split(' ')
  .flatMap(range => {
    const [first = 0, last = first] = range.split('-').map(code => Number.parseInt(code, 16))
    return Array.from({ length: last - first + 1 }, (_, i) => String.fromCodePoint(first + i))
  })

t.test('case, accents, spaces, invisible characters and the script of digits do not change a name', async t => {
  for (const character of ignored)
    for (const name of [`${character}ada`, `a${character}da`, `ada${character}`])
      t.equal(foldUsername(name), 'ADA', JSON.stringify(name))
  for (const [one, other] of [
    ['user1', 'user\u0661'],
    ['user09', 'user\u0ae6\u0aef'],
    ['wei\u00df', 'wei\u1e9e'],
    ['WEISS', 'wei\u1e9e'],
    ['\u03c3\u03c2', '\u03a3\u03a3'],
    ['ada', `${'\u200b'.repeat(16_000)}a\u0301d\u0344a${' '.repeat(255)}`]
  ] as const)
    t.equal(foldUsername(one), foldUsername(other), `${one} and ${other.slice(0, 10)}`)
  t.not(foldUsername('user1'), foldUsername('user2'))
  // All names of more than 256 characters are one.
  const long = 'x'.repeat(255)
  t.not(foldUsername(`${long}a`), foldUsername(`${long}b`))
  t.equal(foldUsername(`${long}ab`), foldUsername('y'.repeat(16_000)))
})

t.test('each decimal digit of Unicode folds to its value', async t => {
  // A copy, which has not folded any digit.
  type Module = typeof import('../../../lib/limits/normalization.ts')
  const { foldUsername } = await t.mockImport<Module>('../../../lib/limits/normalization.ts', {})
  const all = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code))
  // The ten digits of a script are consecutive and begin with zero.
  const digits = all.filter(character => /\p{Nd}/u.test(character))
  t.ok(digits.length > 600)
  t.ok(digits.every((digit, i) => foldUsername(digit) === String(i % 10)))
})

t.test('names are folded after nameOf, so that no client can choose the spelling of a tenant', async t => {
  const nameOf: ThrottleOptions['nameOf'] = (username, request) => `${request?.headers.host}/${username.slice(0, 3)}`
  const { app, checks } = await countingHost(t, { throttle: { nameOf } })
  const guess = (host: string, username: string) => {
    const payload = { fields: { username, password: 'x' } }
    return app.inject({ method: 'POST', url: '/auth/login', headers: { host }, payload })
  }
  await repeat(20, i => guess(i % 2 ? 'Example.org' : 'example.ORG', `${i % 3 ? '\u00c1da' : 'ada'}@${i}.org`))
  t.equal(checks(), 10)
  await guess('example.net', 'ada')
  t.equal(checks(), 11)
})

t.test('tenants have separate failures and unlocks, but share those of an address', async t => {
  const limit = { failures: 3, seconds: 60 }
  const nameOf = (username: string, request: FastifyRequest | null) =>
    `${((request as FastifyRequest).body as { fields: Fields }).fields.company}/${username}`
  const { app } = await countingHost(t, { throttle: { nameOf, username: limit, address: { ...limit, failures: 5 } } })
  const isBlocked = async (company: string, password = PASSWORD) =>
    'retry-after' in (await logIn(app, { username: 'ada', password, company })).headers
  const unlock = (company: string) =>
    app.screenAuth.unlock({ username: 'ada' }, { body: { fields: { company } } } as FastifyRequest)
  await repeat(3, () => isBlocked('north', 'wrong'))
  t.strictSame([await isBlocked('north'), await isBlocked('south')], [true, false])
  await unlock('south')
  t.equal(await isBlocked('north'), true)
  await unlock('north')
  t.equal(await isBlocked('north'), false)
  await repeat(2, () => isBlocked('south', 'wrong'))
  t.equal(await isBlocked('north'), true)
})

t.test('the login responds 500 without a check if nameOf throws or returns no string', async t => {
  for (const nameOf of [
    () => undefined,
    async () => 'a name',
    () => Promise.reject(new Error('late')),
    throwing('no name', { statusCode: 401 })
  ]) {
    const log = collectLog()
    const { app, checks } = await countingHost(t, { throttle: { nameOf } }, log)
    t.match(await attempt(app), { statusCode: 500, success: false })
    t.equal(log.text().match(/throttle.nameOf must return a string, not a promise/g)?.length, 2, 'message and stack')
    await t.rejects(app.screenAuth.forgetNetworks('ada'), { code: 'FST_SCREEN_AUTH_INVALID_ANSWER' })
    t.equal(checks(), 0)
  }
})

// Accounts with similar names: a user store that compares bytes has both, but the limiter counts them as one.

for (const [victim, own, addresses] of [
  ['admin', '\u00e1dmin', 1],
  ['user1', 'user\u0661', 100],
  ['\u0930\u093e\u092e', '\u0930\u092e\u093e', 1],
  ['wei\u00df', 'WEISS', 100]
] as const)
  t.test(`user ${own} gets no more guesses at ${victim} than others, from ${addresses} addresses`, async t => {
    let guesses = 0
    const checkCredentials = (fields: Fields) => (fields.username === own ? userOf(fields) : ++guesses && null)
    const { app } = await countingHost(t, { checkCredentials })
    await repeat(addresses === 1 ? 40 : 120, async i => {
      const address = `10.0.0.${i % addresses}`
      if (Math.floor(i / addresses) % 9 === 0) await attempt(app, { ...RIGHT, username: own, address })
      await attempt(app, { username: victim, address })
    })
    t.equal(guesses, addresses === 1 ? 10 : 50)
  })

// The scopes of one server.

const oneName = (username: string) => username
const ownName = () => ({ nameOf: (username: string) => username })
for (const [what, throttleOf, guesses] of [
  ['with the defaults share their failures', () => ({}), 10],
  ['with one store share their failures', store => ({ store }), 10],
  ['with one store and their own nameOf share their failures', store => ({ store, ...ownName() }), 10],
  ['with one nameOf share their failures', () => ({ nameOf: oneName }), 10],
  ['with a loginLimits each of one store share their failures', store => loginLimits({ store, ...ownName() }), 10],
  ['with a loginLimits each in memory have separate failures', () => loginLimits(), 30],
  ['with their own stores have separate failures', () => ({ store: storeWith() }), 30],
  ['with their own nameOf have separate failures', ownName, 30]
] as [string, (store: Store) => ThrottleOptions | LoginLimits, number][])
  t.test(`three scopes ${what}, and another server shares none of them`, async t => {
    let checks = 0
    const checkCredentials = () => ++checks && null
    for (const expected of [guesses, 2 * guesses]) {
      const store = storeWith()
      const scope = () => ({ throttle: throttleOf(store), checkCredentials })
      const app = scopedHost(t, { '/a': scope(), '/b': scope(), '/c': scope() })
      await repeat(45, i => attempt(app, { prefix: `/${'abc'[i % 3]}` }))
      t.equal(checks, expected)
    }
  })

t.test('scopes and servers with one loginLimits share their failures, and its unlock applies to all', async t => {
  const throttle = loginLimits({ usernameAndAddress: { failures: 3, seconds: 60 } })
  const { app } = await countingHost(t, { throttle })
  const scopes = scopedHost(t, { '/a': { throttle }, '/b': { throttle } })
  await repeat(3, i => attempt(i ? scopes : app, { prefix: ['', '/a', '/b'][i] as string }))
  t.equal((await attempt(app, RIGHT)).isBlocked, true)
  await throttle.unlock({ username: 'ada' })
  t.equal((await attempt(scopes, { ...RIGHT, prefix: '/a' })).success, true)
})
