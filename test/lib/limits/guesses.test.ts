import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { Taken } from '../../../lib/stores/store.ts'
import { stopClock, turns } from '../../clock.ts'
import { collectWarnings, deferred, until } from '../../helpers.ts'
import { attempt, countingHost, RIGHT, repeat, storeWith, together } from './attempts.ts'
import { type Fields, heldChecks, userOf } from './checkers.ts'

type Clock = ReturnType<typeof stopClock>
type Login = Parameters<typeof attempt>[1]

/** Servers with one store, which takes up to 2 ms until a call, and as long until the reply. */
async function servers(t: Test, clock: Clock, count: number, overrides: object, random = Math.random) {
  const delay = () => clock.sleep(random() * 0.002)
  const store = storeWith(async call => {
    await delay()
    const result = call()
    return delay().then(() => result)
  })
  const { throttle, checks, ...others } = overrides as { throttle?: object; checks?: object }
  const all = { ...others, throttle: { ...throttle, store }, checks: { timeout: 300, ...checks } }
  const hosts = await together(count, () => countingHost(t, all))
  return {
    app: (i: number) => (hosts[i % count] as (typeof hosts)[number]).app,
    checks: () => hosts.reduce((sum, { checks }) => sum + checks(), 0)
  }
}

const sameLogin = () => ({})
const otherNames = (i: number) => ({ username: `user-${i}` })
const otherAddresses = (i: number) => ({ address: `10.0.${i >> 8}.${i & 255}` })

for (const [name, loginOf, concurrency, expected] of [
  ['one name from one address', sameLogin, 99, 10],
  ['one name from forty addresses', i => otherAddresses(i % 40), 3, 50],
  ['forty names from one address', i => otherNames(i % 40), 99, 100],
  ['forty names from two addresses', i => ({ ...otherNames(i % 40), ...otherAddresses(i % 2) }), 3, 200]
] as [string, (i: number) => Login, number, number][])
  t.test(`250 guesses at once get ${expected} checks on four servers: ${name}, concurrency ${concurrency}`, async t => {
    const clock = stopClock(t)
    const { app, checks } = await servers(t, clock, 4, { checks: { concurrency } })
    const responses = await clock.during(together(250, i => attempt(app(i), loginOf(i))))
    t.equal(checks(), expected)
    t.equal(responses.filter(({ isBlocked }) => isBlocked).length, 250 - expected)
  })

t.test('parallel right and wrong passwords never exceed the limit of failures', async t => {
  const clock = stopClock(t)
  const limit = { failures: 5, seconds: 60 }
  const throttle = { username: limit, usernameAndAddress: limit, address: limit }
  const logins = fc.array(fc.record({ isRight: fc.boolean(), address: fc.nat(5) }), { minLength: 20, maxLength: 60 })
  const delays = fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true }))
  const property = fc.asyncProperty(logins, delays, async (logins, delays) => {
    let failed = 0
    const checkCredentials = (fields: Fields) => turns(1).then(() => userOf(fields) ?? (++failed && null))
    const random = () => delays.next().value as number
    const { app } = await servers(t, clock, 2, { throttle, checkCredentials }, random)
    // The right passwords come from other addresses, so that all guesses count for the username.
    const responses = logins.map(({ isRight, address }, i) =>
      attempt(app(i), isRight ? { ...RIGHT, address: `10.1.0.${address}` } : { address: `10.0.0.${address}` })
    )
    await clock.during(Promise.all(responses))
    return failed <= 5
  })
  await fc.assert(property, { numRuns: 10 })
})

for (const [loginOf, failures, count, concurrency] of [
  [sameLogin, 9, 1, 3],
  [otherAddresses, 49, 1, 3],
  [otherNames, 80, 4, 4]
] as [(i: number) => Login, number, number, number][])
  t.test(`100 right passwords at once get in after ${failures} failures: ${count} x ${concurrency}`, async t => {
    const clock = stopClock(t)
    const warnings = collectWarnings(t)
    // Like Redis, the store replies in the order of the calls.
    const { app } = await servers(t, clock, count, { checks: { concurrency } }, () => 1)
    await clock.during(repeat(failures, i => attempt(app(i), loginOf(i + 200))))
    const crowd = together(100, i => attempt(app(i), { ...RIGHT, ...loginOf(i) }))
    for (const { success } of await clock.during(crowd)) t.equal(success, true)
    t.strictSame(warnings, [])
  })

t.test(
  'a login gets in if another one gives its place back before the reply that refuses the place is read',
  async t => {
    stopClock(t)
    const { checkCredentials, open, release } = heldChecks()
    const [refused, reply] = [deferred(), deferred()]
    const store = storeWith(async (call, name) => {
      const result = await call()
      if (name !== 'take' || (result as Taken).taken) return result
      refused.resolve()
      return reply.promise.then(() => result)
    })
    const { app } = await countingHost(t, {
      throttle: { usernameAndAddress: { failures: 1, seconds: 60 }, store },
      checkCredentials
    })
    const first = attempt(app, RIGHT)
    await until(() => open.length === 1)
    const second = attempt(app, RIGHT)
    await refused.promise
    release()
    t.equal((await first).success, true)
    reply.resolve()
    t.equal((await second).success, true)
  }
)

// The figures of "How many guesses" in SECURITY.md.

const read = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8')
const page = read('SECURITY.md')
/** Returns the number of guesses that a row of the table promises. */
const promisedTo = (row: string) => Number(page.split(`\n| ${row} | `)[1]?.split(' ')[0])
const HOUR = 3600

/**
 * Guesses at the given seconds, and returns the highest number of checks in an hour. A right login, of an account with
 * a similar name if the network is not known, starts the counts, and gives its places back after the first guess.
 */
async function worstHour(t: Test, clock: Clock, seconds: number[], loginOf: (i: number) => Login, isKnown: boolean) {
  const { checkCredentials, open, release } = heldChecks(({ password }) => password === 'held')
  const guesses: number[] = []
  let now = 0
  const check = (fields: Fields) => (fields.password !== 'wrong' || guesses.push(now)) && checkCredentials(fields)
  const { app } = await countingHost(t, { checkCredentials: check })
  if (isKnown) await attempt(app, { ...loginOf(0), ...RIGHT })
  const held = attempt(app, { ...loginOf(0), password: 'held', ...(!isKnown && { username: 'Ada' }) })
  await until(() => open.length === 1)
  for (const [i, second] of seconds.entries()) {
    clock.tick(second - now)
    now = second
    await attempt(app, loginOf(i))
    release()
    await held
  }
  return Math.max(...guesses.map((start, i) => guesses.slice(i).filter(time => time < start + HOUR).length))
}

/** The worst case: most guesses of the first period come late, and those of the others come at once. */
function meeting(period: number, guesses: number) {
  const times = [9, ...[1, 2, 3, 4].map(i => i * period).filter(time => time < 9 + HOUR)]
  return times.flatMap(time => Array(guesses).fill(time))
}

for (const [row, worst, loginOf, isKnown] of [
  ['one address that the person has not used', meeting(900, 10), sameLogin, false],
  ['any number of such addresses, together', meeting(HOUR, 50), otherAddresses, false],
  ['one network from which the person has logged in within 30 days', meeting(900, 10), sameLogin, true],
  ['one address, at all accounts together', meeting(HOUR, 100), otherNames, false]
] as [string, number[], (i: number) => Login, boolean][])
  t.test(`the highest number of guesses in an hour is the one in SECURITY.md: ${row}`, async t => {
    const clock = stopClock(t)
    const promised = promisedTo(row)
    t.equal(await worstHour(t, clock, worst, loginOf, isKnown), promised)

    const burst = fc.tuple(fc.nat(8000), fc.integer({ min: 1, max: 60 }))
    const property = fc.asyncProperty(fc.array(burst, { minLength: 1, maxLength: 8 }), async bursts => {
      const seconds = bursts.flatMap(([second, guesses]) => Array<number>(guesses).fill(second)).sort((a, b) => a - b)
      return (await worstHour(t, clock, seconds, loginOf, isKnown)) <= promised
    })
    await fc.assert(property, { numRuns: 2 })
  })

/** Returns the limit that 200 guesses at once reach, as docs/logins.md writes it, and its number of failures. */
async function limitOf(t: Test, loginOf: (i: number) => Login) {
  const { app, checks } = await countingHost(t)
  await repeat(200, i => attempt(app, loginOf(i)))
  const { retryAfter } = await attempt(app, loginOf(200))
  return { failures: checks(), written: `{ failures: ${checks()}, seconds: ${retryAfter} }` }
}

t.test('the other figures in SECURITY.md and docs/logins.md follow from the limits and from the table', async t => {
  stopClock(t)
  const [pair, name, address] = [
    await limitOf(t, sameLogin),
    await limitOf(t, otherAddresses),
    await limitOf(t, otherNames)
  ]
  const { app } = await countingHost(t)
  const fromNetwork = (i: number) => attempt(app, { ...RIGHT, address: `2001:db8:0:${i}00::1` })
  await repeat(40, fromNetwork)
  await repeat(name.failures, i => attempt(app, otherAddresses(i)))
  let networks = 0
  await repeat(40, async i => (await fromNetwork(i)).success && networks++)

  const known = promisedTo('one network from which the person has logged in within 30 days')
  const strangers = promisedTo('any number of such addresses, together')
  const all = promisedTo('one address, at all accounts together')
  const text = (page + read('docs/logins.md')).replace(/\s+/g, ' ')
  for (const figure of [
    `from one address | \`${pair.written}\` |`,
    `from all addresses | \`${name.written}\` |`,
    `except link-local ones | \`${address.written}\` |`,
    `A login checks ${pair.failures} of them.`,
    `: ${pair.failures} from one address, ${name.failures} from all addresses together,`,
    `, ${address.failures} at all accounts together.`,
    `gets ${networks * pair.failures} guesses at once instead of ${name.failures}.`,
    ` ${name.failures} failed logins with the username are enough`,
    `After ${name.failures} failures from elsewhere,`,
    `an attacker needs ${50_000 / address.failures} addresses`,
    ` × ${pair.failures} |`,
    ` × ${name.failures} |`,
    ` 256 × ${all} = ${(256 * all).toLocaleString('en')} guesses`,
    ` ${networks} × ${known} + ${strangers} = ${(networks * known + strangers).toLocaleString('en')} guesses`
  ])
    t.match(text, figure)
})
