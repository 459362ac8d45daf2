// Each check runs in the async context of its own request, as tenants and traces need it.

import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { bearer, host } from '../../helpers.ts'
import { together } from './attempts.ts'

/** A host with two tenants, in which each request has a context of its own. */
async function tenants(t: Test, overrides: object = {}) {
  const context = new AsyncLocalStorage<{ tenant: string; checks: string[] }>()
  const users: Record<string, string> = { north: 'northern', south: 'southern' }
  const seen: string[][] = []
  const app = await host(t, {
    checkCredentials: async ({ username, password }: Record<string, string>) => {
      const { tenant, checks } = context.getStore() as { tenant: string; checks: string[] }
      checks.push(username as string)
      await setImmediate()
      return users[tenant] === password ? { username, displayName: tenant } : null
    },
    // More may be checked than can be at a time, and less than that, so that some wait until others have ended.
    throttle: { address: { failures: 4, seconds: 60 } },
    ...overrides
  })
  app.addHook('onRequest', (request, _reply, done) => {
    const checks: string[] = []
    seen.push(checks)
    context.run({ tenant: request.headers.tenant as string, checks }, done)
  })
  app.get('/unlock', async request => app.screenAuth.unlock({ username: 'ada' }, request))
  app.post('/again', async request => app.screenAuth.reauthenticate(request, 'northern'))
  const logIn = (tenant: string, username: string, password: string) =>
    app.inject({
      method: 'POST',
      url: '/auth/login',
      headers: { tenant },
      payload: { fields: { username, password } }
    })
  return { app, logIn, seen }
}

for (const concurrency of [1, 3, 100])
  t.test(
    `nine logins at once have one check each in their own contexts, ${concurrency} at a time`,
    async t => {
      const { logIn, seen } = await tenants(t, { checks: { concurrency } })
      const logins = await together(9, i => logIn('north', `user-${i}`, 'northern'))
      for (const login of logins) t.equal(login.json().success, true)
      t.strictSame(
        seen.flat().sort(),
        Array.from({ length: 9 }, (_, i) => `user-${i}`)
      )
      for (const checks of seen) t.equal(checks.length, 1)
    }
  )

t.test('a password of one tenant is not accepted behind the logins of that tenant at another', async t => {
  const { logIn } = await tenants(t)
  const north = together(3, i => logIn('north', `user-${i}`, 'northern'))
  const south = logIn('south', 'ada', 'northern')
  for (const login of await north) t.equal(login.json().success, true)
  t.equal((await south).json().success, false)
})

t.test('reauthenticate runs in the context of its request, too', async t => {
  const { app, logIn } = await tenants(t)
  const token = await app.screenAuth.issueToken({ username: 'ada', displayName: '' })
  const north = together(3, i => logIn('north', `user-${i}`, 'northern'))
  const again = app.inject({ method: 'POST', url: '/again', headers: { tenant: 'south', ...bearer(token) } })
  await north
  t.match((await again).json(), { error: /wrong/ })
})

t.test('tenants that share a server do not share their counters, where nameOf tells them apart', async t => {
  const nameOf = (username: string, request: { headers: { tenant?: string } } | null) =>
    `${request?.headers.tenant} ${username}`
  const { app, logIn } = await tenants(t, {
    throttle: { nameOf, address: { failures: 1_000, seconds: 60 }, username: { failures: 3, seconds: 60 } }
  })
  for (let i = 0; i < 5; i++) await logIn('north', 'ada', 'wrong')
  t.match((await logIn('north', 'ada', 'northern')).json(), { error: /Too many/ })
  t.equal((await logIn('south', 'ada', 'southern')).json().success, true)

  const token = await app.screenAuth.issueToken({ username: 'ada', displayName: '' })
  const unlock = (tenant: string) => app.inject({ url: '/unlock', headers: { tenant, ...bearer(token) } })
  await unlock('south')
  t.match((await logIn('north', 'ada', 'northern')).json(), { error: /Too many/ })
  await unlock('north')
  t.equal((await logIn('north', 'ada', 'northern')).json().success, true)
})
