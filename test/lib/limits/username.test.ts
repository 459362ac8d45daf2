import fc from 'fast-check'
import t, { type Test } from 'tap'
import { foldUsername } from '../../../lib/limits/fold-username.ts'
import { collectLog, host, PASSWORD } from '../../helpers.ts'
import { attempt, countingHost, RIGHT, repeat } from './attempts.ts'

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

t.test('a character that collation ignores does not change a name, at any position', t => {
  for (const character of ignored)
    for (const name of [`${character}ada`, `a${character}da`, `ada${character}`])
      t.equal(foldUsername(name), 'ADA', JSON.stringify(name))
  t.end()
})

t.test('any number of characters that collation ignores does not change a name', t => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...ignored, '\u0301', '\u0344', ' '), { maxLength: 120, size: 'max' }),
      fc.nat(),
      (noise, seed) => {
        const at = seed % (noise.length + 1)
        const name = `a${noise.slice(0, at).join('')}d${noise.slice(at).join('')}a`
        return foldUsername(name) === 'ADA'
      }
    ),
    { numRuns: 100 }
  )
  t.end()
})

t.test('names of up to 256 characters have separate counters, and all longer names share one', t => {
  const long = 'x'.repeat(255)
  t.not(foldUsername(`${long}a`), foldUsername(`${long}b`))
  t.equal(foldUsername(`${long}ab`), foldUsername('y'.repeat(16_000)))
  t.end()
})

t.test('the script of digits, the case and the spaces do not change a name', t => {
  for (const [one, other] of [
    ['user1', 'user\u0661'],
    ['user09', 'user\u0ae6\u0aef'],
    ['user7', 'user\u{1d7d5}'],
    ['wei\u00df', 'wei\u1e9e'],
    ['WEISS', 'wei\u1e9e'],
    ['\u03c3\u03c2', '\u03a3\u03a3'],
    ['ada', `ada${' '.repeat(255)}`],
    ['ada', `${'\u200b'.repeat(16_000)}ada`]
  ] as const)
    t.equal(foldUsername(one), foldUsername(other), `${one} and ${other.slice(0, 10)}`)
  t.not(foldUsername('user1'), foldUsername('user2'))
  t.end()
})

t.test('each decimal digit of Unicode folds to its value', t => {
  let digits = 0
  for (let code = 0; code <= 0x10ffff; code++) {
    const digit = String.fromCodePoint(code)
    if (!/\p{Nd}/u.test(digit)) continue
    // In Unicode, the ten digits of a script are consecutive and begin with zero.
    t.ok(foldUsername(digit) === String(digits++ % 10), digit)
  }
  t.ok(digits > 600)
  t.end()
})

t.test('nameOf replaces the default folding of names', async t => {
  const limit = { failures: 1, seconds: 60 }
  const nameOf = (username: string) => username.split('@', 1)[0] as string
  const { app } = await countingHost(t, { throttle: { nameOf, usernameAndAddress: limit } })
  await attempt(app, { username: 'ada@example.org' })
  t.equal((await attempt(app, { username: 'ada@example.com' })).isBlocked, true)
  t.equal((await attempt(app, { username: 'ADA' })).isBlocked, false)
})

t.test('throttle: false folds no name', async t => {
  const { app } = await countingHost(t, { throttle: false })
  t.intercept(String.prototype, 'normalize', { value: () => t.fail('folded') })
  t.match(await attempt(app, { ...RIGHT, username: '\u00c1DA' }), { success: true })
})

t.test('the login responds 500 without a check if nameOf throws or returns no string', async t => {
  for (const nameOf of [
    () => undefined,
    async () => 'a name',
    () => Promise.reject(new Error('late')),
    () => {
      throw Object.assign(new Error('no name'), { statusCode: 401 })
    }
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

const pairs = [
  ['admin', '\u00e1dmin'],
  ['admin', 'ADMIN'],
  ['admin', 'adm in'],
  ['admin', 'admin\u200b'],
  ['admin', '\uff41dmin'],
  ['user1', 'user\u0661'],
  ['tu', 't\u00fa'],
  ['\u0930\u093e\u092e', '\u0930\u092e\u093e'],
  ['ann lee', 'annlee'],
  ['wei\u00df', 'WEISS']
] as const

/** A host where `own` has the password, and logins with any other name count as guesses. */
async function hostOf(t: Test, own: string) {
  let guesses = 0
  const checkCredentials = ({ username, password }: Record<string, string>) => {
    if (username !== own) guesses++
    return username === own && password === PASSWORD ? { username, displayName: '' } : null
  }
  return { app: await host(t, { checkCredentials }), guesses: () => guesses }
}

for (const [victim, own] of pairs)
  for (const [addresses, promised] of [
    [1, 10],
    [100, 50]
  ] as const)
    t.test(`user ${own} gets ${promised} guesses at ${victim} from ${addresses} addresses`, async t => {
      const { app, guesses } = await hostOf(t, own)
      await repeat(200, async i => {
        const address = `10.0.0.${i % addresses}`
        if (Math.floor(i / addresses) % 9 === 0) await attempt(app, { ...RIGHT, username: own, address })
        await attempt(app, { username: victim, address })
      })
      t.equal(guesses(), promised)
    })

t.test('every success clears the failures of the name that was entered', async t => {
  const { app } = await hostOf(t, 'Ada')
  await repeat(4, async () => {
    await repeat(9, () => attempt(app, { username: 'Ada' }))
    t.equal((await attempt(app, { ...RIGHT, username: 'Ada' })).success, true)
  })
})
