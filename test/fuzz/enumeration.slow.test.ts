// User enumeration: the responses to an unknown user and to a wrong password must not differ in content or in timing.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Database } from '../../examples/server/database.ts'
import { UserStore } from '../../examples/server/user-store.ts'
import type { CheckCredentials } from '../../lib/index.ts'
import { host, logIn } from '../helpers.ts'

const PAIRS = 60

const median = (times: number[] = []) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN

async function userStore(t: Test): Promise<UserStore> {
  const database = new Database(`file:${join(t.testdir(), 'users.db')}`)
  t.teardown(() => database.close())
  const users = await UserStore.open(database)
  await users.add({ username: 'ada', displayName: 'Ada' }, randomBytes(12).toString('hex'))
  return users
}

/** Logs in as a known and as an unknown user in turn. Returns the responses, and how much longer the known one takes. */
async function measure(t: Test, checkCredentials: CheckCredentials) {
  // The throttle would block many failures from one address.
  const app = await host(t, { checkCredentials, throttle: false })
  const responses = new Set<string>()
  const times: Record<string, number[]> = { ada: [], eve: [] }
  for (let pair = 0; pair < PAIRS; pair++)
    for (const username of pair % 2 === 0 ? ['ada', 'eve'] : ['eve', 'ada']) {
      const start = performance.now()
      const { statusCode, headers, body } = await logIn(app, { username, password: randomBytes(12).toString('hex') })
      times[username]?.push(performance.now() - start)
      responses.add(JSON.stringify([statusCode, { ...headers, date: '' }, body]))
    }
  return { responses, ratio: median(times.ada) / median(times.eve) }
}

t.test('an unknown user and a wrong password get the same response in the same time', async t => {
  const users = await userStore(t)
  const { responses, ratio } = await measure(t, ({ username, password }) => users.verify(username, password))
  t.equal(responses.size, 1)
  t.ok(ratio > 0.8 && ratio < 1.25, `${ratio}`)
})

t.test('a checker that is faster for an unknown user is detected', async t => {
  const users = await userStore(t)
  const leaky: CheckCredentials = async ({ username, password }) =>
    (await users.find(username)) === null ? null : users.verify(username, password)
  t.ok((await measure(t, leaky)).ratio > 1.25)
})
