// The runbook of the README: two running servers with one user store get a new secret, one after the other.

import t from 'tap'
import { bearer } from '../../helpers.ts'
import { DEMO, freshDatabase, post, type Server, startServer } from '../process.ts'

const [OLD, NEW] = ['old-secret-of-at-least-32-bytes!!', 'new-secret-of-at-least-32-bytes!!']

t.test('a secret is replaced in two running servers, and no token is refused meanwhile', async t => {
  const database = freshDatabase(t)
  const tokens: string[] = []
  const statuses: number[] = []
  const fleet: Server[] = []

  const logInEverywhere = async () => {
    for (const server of fleet) tokens.push((await post(server, '/auth/login', DEMO)).token)
  }
  const sendEverywhere = async () => {
    for (const token of tokens)
      for (const server of fleet)
        statuses.push((await fetch(`${server.url}/menu/main`, { headers: bearer(token) })).status)
  }
  const roll = async (secrets: Record<string, string>) => {
    for (const i of [0, 1]) {
      const before = fleet[i]
      fleet[i] = await startServer(t, { ...database, ...secrets })
      await logInEverywhere()
      await sendEverywhere()
      await before?.stop()
    }
  }

  await roll({ SVC_AUTH_SECRET: OLD })
  await roll({ SVC_AUTH_SECRET: OLD, SVC_AUTH_SECRET_PREVIOUS: NEW })
  await roll({ SVC_AUTH_SECRET: NEW, SVC_AUTH_SECRET_PREVIOUS: OLD })
  t.strictSame(new Set(statuses), new Set([200]))
  t.ok(statuses.length > 50)

  // The tokens of the old secret have expired by now, so to speak.
  tokens.splice(0)
  await logInEverywhere()
  const old = await startServer(t, { ...database, SVC_AUTH_SECRET: OLD })
  await roll({ SVC_AUTH_SECRET: NEW })
  t.strictSame(new Set(statuses), new Set([200]))

  fleet.splice(0, 2, old)
  await sendEverywhere()
  t.ok(statuses.includes(401), 'a server that has only the old secret would have refused them')
})
