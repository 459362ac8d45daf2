// The figures of "How many guesses" in SECURITY.md.

import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import t, { type Test } from 'tap'
import type { FailureStoreOptions } from '../../../lib/index.ts'
import { attempt, countingHost, RIGHT } from './attempts.ts'
import { stopClock } from './clock.ts'

const page = readFileSync(new URL('../../../SECURITY.md', import.meta.url), 'utf8')
const HOUR = 3600

/** The figure in the row of the table that begins so. */
const promised = (row: string) =>
  Number(
    page
      .split('\n')
      .find(line => line.startsWith(`| ${row}`))
      ?.split('|')[2]
  )

type Login = Parameters<typeof attempt>[1]

/** Guesses at some seconds, and says how many were checked in the worst hour of all. */
async function worstHour(
  t: Test,
  clock: ReturnType<typeof stopClock>,
  seconds: number[],
  loginOf: (i: number) => Login,
  before?: Login
) {
  // A shared store, whose time goes on after a first try that is given back.
  const store = (options: FailureStoreOptions) => new RateLimiterMemory(options)
  const { app, checks } = await countingHost(t, { throttle: { store } })
  if (before !== undefined) await attempt(app, before)
  const checked: number[] = []
  let now = 0
  for (const [i, second] of seconds.entries()) {
    clock.tick(second - now)
    now = second
    const count = checks()
    await attempt(app, loginOf(i))
    if (checks() > count && loginOf(i)?.password === undefined) checked.push(second)
  }
  return Math.max(...checked.map((start, i) => checked.slice(i).filter(time => time < start + HOUR).length))
}

/** The worst that can be done: the time of a counter begins with a first guess, and most come shortly before its end. */
function meeting(seconds: number, more: number) {
  const end = seconds - 1
  const again = [0, 1, 2, 3].map(i => seconds + i * seconds).filter(time => time < end + HOUR)
  return [0, ...Array(more).fill(end), ...again.flatMap(time => Array(more).fill(time))]
}

/** The first login is one of an account whose name looks like it. */
const afterALogin = (loginOf: (i: number) => Login) => (i: number) =>
  i === 0 ? { ...loginOf(i), ...RIGHT, username: 'Ada' } : loginOf(i)

const everywhere = (i: number) => ({ address: `10.${i >> 8}.${i & 255}.1` })
const withRight = (i: number) => (i === 0 ? RIGHT : {})

for (const [row, seconds, loginOf, before] of [
  ['one address that the person has not used', meeting(900, 10), afterALogin(() => ({})), undefined],
  ['however many such addresses, together', meeting(HOUR, 50), afterALogin(everywhere), undefined],
  ['one network from which the person has logged in within 30 days', meeting(900, 10), withRight, RIGHT],
  [
    'one address, at all accounts together',
    meeting(HOUR, 100),
    afterALogin(i => ({ username: `user-${i}` })),
    undefined
  ]
] as const) {
  t.test(`SECURITY.md says how many guesses the worst hour has: ${row}`, async t => {
    t.equal(await worstHour(t, stopClock(t), seconds, loginOf, before), promised(row))
  })

  t.test(`no other hour has more: ${row}`, async t => {
    const clock = stopClock(t)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ pause: fc.nat(2000), burst: fc.integer({ min: 1, max: 60 }) }), {
          maxLength: 8
        }),
        async bursts => {
          let now = 0
          const times = bursts.flatMap(({ pause, burst }) => {
            now += pause
            return Array(burst).fill(now)
          })
          const hour = times.length === 0 ? 0 : await worstHour(t, clock, times, loginOf, before)
          return hour <= promised(row)
        }
      ),
      { numRuns: 5 }
    )
  })
}
