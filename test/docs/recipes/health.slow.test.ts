import t from 'tap'
import { bearer, until } from '../../helpers.ts'
import { logIn, startRecipe, tokenOf } from '../program.ts'

t.test('the health check is open, and the rest stays guarded', async t => {
  const url = await startRecipe(t, 'health.js')
  // A machine that stands still for a second is under pressure, too.
  await until(async () => (await fetch(`${url}/healthz`)).status === 200)
  t.strictSame(await (await fetch(`${url}/healthz`)).json(), { status: 'ok' })
  await until(async () => (await fetch(`${url}/menu/main`)).status !== 503)
  t.equal((await fetch(`${url}/menu/main`)).status, 401)
  t.equal((await fetch(`${url}/healthz/other`)).status, 401)
})

t.test(
  'under pressure the health check, the login and the guarded routes are 503, and nobody is logged out',
  async t => {
    const url = await startRecipe(t, 'health.js', { MAX_RSS_BYTES: '1' })
    // The memory is first looked at after a second; until then there is no pressure.
    const token = await tokenOf(url, 'ada', 'correct horse')
    await until(async () => (await fetch(`${url}/healthz`)).status === 503)

    for (const headers of [{}, bearer(token), bearer('garbage')]) {
      for (const path of ['/healthz', '/menu/main', '/unknown']) {
        const { status, headers: sent } = await fetch(url + path, { headers })
        t.equal(status, 503)
        t.equal(sent.get('retry-after'), '10')
      }
    }
    const login = await logIn(url, 'ada', 'correct horse')
    t.equal(login.status, 503)
    t.equal(login.headers.get('retry-after'), '10')
    t.match(await login.json(), { success: false, token: null, error: String, screen: null })
  }
)
