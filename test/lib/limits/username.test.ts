import fc from 'fast-check'
import t from 'tap'
import { foldUsername } from '../../../lib/limits/fold-username.ts'
import { collectLog, PASSWORD } from '../../helpers.ts'
import { attempt, countingHost, repeat } from './attempts.ts'

/** What Unicode's collation ignores beyond accents: control characters, invisible ones, and the group of the tatweel. */
const ignored = [
  ...range(0x01, 0x1f),
  ...range(0x7f, 0x9f),
  0xad,
  0x34f,
  0x61c,
  0x640,
  0x7fa,
  ...range(0x180a, 0x180e),
  0x1cd3,
  ...range(0x200b, 0x200f),
  ...range(0x202a, 0x202e),
  ...range(0x2060, 0x206f),
  0x3164,
  ...range(0xfe00, 0xfe0f),
  0xfe73,
  0xfeff,
  0xffa0,
  0xe000,
  0xe0001,
  0xe0100
].map(code => String.fromCodePoint(code))

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i)
}

t.test('what a collation ignores makes no new name, wherever it stands', t => {
  for (const character of ignored)
    for (const name of [`${character}ada`, `a${character}da`, `ada${character}`])
      t.equal(foldUsername(name), 'ADA', JSON.stringify(name))
  t.end()
})

t.test('however much of it there is, in front and between', t => {
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

t.test('the guesses of one account have the failures of one account, however its name is spelt', async t => {
  const { app, checks } = await countingHost(t)
  for (const character of ignored) await attempt(app, { username: `ad${character}a` })
  t.equal(checks(), 10)
})

t.test('names of up to 256 characters have counters of their own, longer ones are counted as one', t => {
  const long = 'x'.repeat(255)
  t.not(foldUsername(`${long}a`), foldUsername(`${long}b`))
  t.equal(foldUsername(`${long}ab`), foldUsername('y'.repeat(16_000)))
  t.end()
})

t.test('digits of every script, capitals, and any number of spaces make no new name', t => {
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

t.test('each decimal digit of Unicode has its value', t => {
  let digits = 0
  for (let code = 0; code <= 0x10ffff; code++) {
    const digit = String.fromCodePoint(code)
    if (!/\p{Nd}/u.test(digit)) continue
    // A script's digits follow each other in Unicode, and each of them begins with zero.
    t.ok(foldUsername(digit) === String(digits++ % 10), digit)
  }
  t.ok(digits > 600)
  t.end()
})

t.test('a host whose user store folds names in its own way says how', async t => {
  const limit = { failures: 1, seconds: 60 }
  const nameOf = (username: string) => username.split('@', 1)[0] as string
  const { app } = await countingHost(t, { throttle: { nameOf, usernameAndAddress: limit } })
  await attempt(app, { username: 'ada@example.org' })
  t.equal((await attempt(app, { username: 'ada@example.com' })).isBlocked, true)
  t.equal((await attempt(app, { username: 'ADA' })).isBlocked, false)
})

t.test('a nameOf that throws, or returns no string, is a 500 and not an open login', async t => {
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
    t.match(log.text(), /throttle.nameOf must return a string, and no promise/)
    await t.rejects(app.screenAuth.forgetNetworks('ada'), { code: 'FST_SCREEN_AUTH_INVALID_ANSWER' })
    t.equal(checks(), 0)
  }
})

t.test('without a throttle no name is folded', async t => {
  const { app } = await countingHost(t, { throttle: false })
  t.intercept(String.prototype, 'normalize', {
    value: () => {
      throw new Error('normalized')
    }
  })
  t.match(await attempt(app), { statusCode: 200 })
})

// An account whose name looks like another's: a user store that compares bytes holds both, and what counts failures takes
// them for one.

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

/** One person has the password; the guesses are at the account of the other. */
const hostOf = (t: Parameters<typeof countingHost>[0], own: string) => {
  let guesses = 0
  const checkCredentials = ({ username, password }: Record<string, string>) => {
    if (username !== own) guesses++
    return username === own && password === PASSWORD ? { username, displayName: '' } : null
  }
  return countingHost(t, { checkCredentials }).then(({ app }) => ({ app, guesses: () => guesses }))
}

for (const [victim, own] of pairs)
  for (const [name, addresses, promised] of [
    ['one address', 1, 10],
    ['100 addresses', 100, 50]
  ] as const)
    t.test(`whoever logs in as ${own} has ${promised} guesses at ${victim} from ${name}`, async t => {
      const { app, guesses } = await hostOf(t, own)
      await repeat(200, async i => {
        const address = `10.0.0.${i % addresses}`
        if (Math.floor(i / addresses) % 9 === 0)
          await attempt(app, { username: own, password: PASSWORD, address })
        await attempt(app, { username: victim, address })
      })
      t.equal(guesses(), promised)
    })

t.test('a success ends the row of the name that was entered, again and again', async t => {
  const { app } = await hostOf(t, 'Ada')
  await repeat(4, async () => {
    await repeat(9, () => attempt(app, { username: 'Ada' }))
    t.equal((await attempt(app, { username: 'Ada', password: PASSWORD })).success, true)
  })
})
