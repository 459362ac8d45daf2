// User enumeration: the responses to an unknown user and to a wrong password must not differ in content or in timing.
// Too slow and too sensitive to noise for `npm test`, so CI runs it alone.

import { randomBytes, randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import { errorFunction, median, wilcoxonRankSum } from 'simple-statistics'
import t, { type Test } from 'tap'
import { Database } from '../../examples/server/database.ts'
import { UserStore } from '../../examples/server/user-store.ts'
import screenAuth, { type CheckCredentials } from '../../lib/index.ts'
import { MENU, SECRET } from '../helpers.ts'

const PAIRS = Number(process.env.FUZZ_PAIRS ?? 400)
const KNOWN = ['ada', 'grace', 'hedy', 'joan']

// A difference counts as a leak if it is unlikely to be noise (p-value), and large enough for an attacker with a few
// dozen attempts per name to guess right more often than not.
const CERTAIN = 1e-6
const USEFUL = 0.1

async function setUp(t: Test): Promise<{ users: UserStore; serve: (check: CheckCredentials) => FastifyInstance }> {
  const folder = await mkdtemp(join(tmpdir(), 'screen-auth-'))
  const database = new Database(`file:${join(folder, 'users.db')}`)
  const users = await UserStore.open(database)
  t.teardown(() => {
    database.close()
    return rm(folder, { recursive: true })
  })
  for (const username of KNOWN) await users.add({ username, displayName: username }, randomBytes(12).toString('hex'))
  const serve = (checkCredentials: CheckCredentials) => {
    const app = Fastify()
    t.teardown(() => app.close())
    // The throttle would block hundreds of failures from one address.
    app.register(screenAuth, { secret: SECRET, checkCredentials, mainMenu: () => MENU, throttle: false })
    return app
  }
  return { users, serve }
}

interface Attempt {
  milliseconds: number
  /** The response without the headers that may differ: `Date` and `Retry-After`. */
  response: string
}

async function attempt(app: FastifyInstance, username: string): Promise<Attempt> {
  const payload = { fields: { username, password: randomBytes(12).toString('hex') } }
  const start = performance.now()
  const { statusCode, headers, body } = await app.inject({ method: 'POST', url: '/auth/login', payload })
  const milliseconds = performance.now() - start
  const { date, 'retry-after': _, ...others } = headers
  return { milliseconds, response: JSON.stringify([statusCode, others, body]) }
}

/** Measures known and unknown users in pairs, in random order, so that a slow machine affects both equally. */
async function measure(app: FastifyInstance, pairs: number): Promise<{ known: Attempt[]; unknown: Attempt[] }> {
  const attempts: { known: Attempt[]; unknown: Attempt[] } = { known: [], unknown: [] }
  for (let warmUp = 0; warmUp < 10; warmUp++) await attempt(app, KNOWN[warmUp % KNOWN.length] as string)
  for (let pair = 0; pair < pairs; pair++) {
    const name = KNOWN[pair % KNOWN.length] as string
    // Of the same length, so that the requests have the same size.
    const stranger = randomBytes(name.length).toString('hex').slice(0, name.length)
    for (const isKnown of randomInt(2) === 0 ? [true, false] : [false, true]) {
      attempts[isKnown ? 'known' : 'unknown'].push(await attempt(app, isKnown ? name : stranger))
    }
  }
  return attempts
}

/** Mann–Whitney U test: how often a value of `a` is above one of `b` (0.5 when they are alike), and the p-value. */
function mannWhitney(a: number[], b: number[]): { superiority: number; p: number } {
  const [m, n] = [a.length, b.length]
  const u = wilcoxonRankSum(a, b) - (m * (m + 1)) / 2
  const z = (u - (m * n) / 2) / Math.sqrt((m * n * (m + n + 1)) / 12)
  return { superiority: u / (m * n), p: 1 - errorFunction(Math.abs(z) / Math.SQRT2) }
}

function judgeTimes(t: Test, { known, unknown }: { known: Attempt[]; unknown: Attempt[] }): { leaks: boolean } {
  const [a, b] = [known, unknown].map(attempts => attempts.map(({ milliseconds }) => milliseconds)) as [
    number[],
    number[]
  ]
  const { superiority, p } = mannWhitney(a, b)
  t.comment(
    `${a.length} wrong passwords: median ${median(a).toFixed(2)} ms; ${b.length} unknown users: median ` +
      `${median(b).toFixed(2)} ms; probability of superiority ${superiority.toFixed(3)}, p = ${p.toPrecision(2)}`
  )
  return { leaks: p < CERTAIN && Math.abs(superiority - 0.5) > USEFUL }
}

t.test('the Mann–Whitney U test returns the values of the textbook', async t => {
  t.match(mannWhitney([1, 2, 3], [1, 2, 3]), { superiority: 0.5 })
  t.equal(mannWhitney([4, 5, 6], [1, 2, 3]).superiority, 1)
  t.ok(Math.abs(mannWhitney([19, 22, 16, 29, 24], [20, 11, 17, 12]).p - 0.0864) < 1e-3)
})

t.test('an unknown user and a wrong password get the same response in the same time', async t => {
  const { users, serve } = await setUp(t)
  const attempts = await measure(
    serve(({ username, password }) => users.verify(username, password)),
    PAIRS
  )
  t.equal(
    new Set([...attempts.known, ...attempts.unknown].map(({ response }) => response)).size,
    1,
    'one response for all'
  )
  t.notOk(judgeTimes(t, attempts).leaks)
})

t.test('a checker that is faster for an unknown user is detected with a quarter of the attempts', async t => {
  const { users, serve } = await setUp(t)
  const leaky: CheckCredentials = async ({ username, password }) =>
    (await users.find(username)) === null ? null : users.verify(username, password)
  t.ok(judgeTimes(t, await measure(serve(leaky), PAIRS / 4)).leaks)
})

t.test('a checker that takes twice as long for a known user is detected', async t => {
  const { users, serve } = await setUp(t)
  const slower: CheckCredentials = async ({ username, password }) => {
    const [start, user] = [performance.now(), await users.verify(username, password)]
    const took = performance.now() - start
    if (await users.find(username)) while (performance.now() - start < took * 2);
    return user
  }
  t.ok(judgeTimes(t, await measure(serve(slower), PAIRS / 2)).leaks)
})
