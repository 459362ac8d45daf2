import t, { type Test } from 'tap'
import type { CheckLimits } from '../../../lib/index.ts'
import { host, until } from '../../helpers.ts'
import { attempt, heldChecks, RIGHT, together } from './attempts.ts'
import { clientsOf } from './clients.ts'
import { turns } from './clock.ts'

/** A host where one login is being checked and another, over a socket, waits for its turn. */
async function oneWaits(t: Test, limits: CheckLimits) {
  let addresses = 1
  const checks = heldChecks()
  const app = await host(t, {
    checkCredentials: checks.checkCredentials,
    checks: { timeout: 300, ...limits }
  })
  const clients = await clientsOf(app)
  // No network may have more than half of the places.
  const logInAs = (username: string) =>
    attempt(app, { ...RIGHT, username, address: `192.0.2.${addresses++}` })
  const first = logInAs('first')
  await until(() => checks.open.length === 1)
  const socket = await clients.sendLogin('gone')
  return { logInAs, checks, first, hangUp: () => clients.hangUp(socket) }
}

t.test('a client that hangs up while it waits is not checked', async t => {
  const { checks, first, hangUp } = await oneWaits(t, { concurrency: 1 })
  await hangUp()
  checks.open.shift()?.()
  t.equal((await first).success, true)
  await turns()
  t.equal(checks.open.length, 0)
})

t.test('clients that hang up while they wait give their places back', async t => {
  const { logInAs, checks, first, hangUp } = await oneWaits(t, { concurrency: 1, waiting: 1 })
  t.equal((await logInAs('one-too-many')).statusCode, 503)
  await hangUp()
  checks.letGo()
  await first
  const next = await together(2, i => logInAs(`user-${i}`))
  for (const { statusCode } of next) t.equal(statusCode, 200)
})

t.test('a client that hangs up while it waits gives its place back at once', async t => {
  const { logInAs, checks, first, hangUp } = await oneWaits(t, { concurrency: 1, waiting: 1 })
  await hangUp()
  const second = logInAs('second')
  await turns()
  checks.letGo()
  for (const { success } of await Promise.all([first, second])) t.equal(success, true)
})
