import t, { type Test } from 'tap'
import { bearer, until } from '../../helpers.ts'
import { startRecipe } from '../program.ts'

async function start(t: Test, env: Record<string, string> = {}) {
  const url = await startRecipe(t, 'remember-me.js', env)
  return {
    url,
    async logIn(fields: Record<string, string>) {
      const response = await fetch(`${url}/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ fields: { username: 'ada', password: 'correct horse', ...fields } })
      })
      return ((await response.json()) as { token: string }).token
    },
    statusOf: async (token: string) => (await fetch(`${url}/menu/main`, { headers: bearer(token) })).status,
    logOut: async (token: string) =>
      (await fetch(`${url}/auth/logout`, { method: 'POST', headers: bearer(token) })).status
  }
}

t.test('the form asks, and proposes no', async t => {
  const { url } = await start(t)
  const form = (await (await fetch(`${url}/auth/login`)).json()) as { sections: [{ fields: object[] }] }
  t.match(form.sections[0].fields, [
    { id: 'username' },
    { id: 'password' },
    { id: 'remember', type: 'Boolean', value: 'false' }
  ])
})

t.test('a session that was asked for lives on when the others have ended', async t => {
  const { logIn, statusOf } = await start(t, { SESSION_SECONDS: '1' })
  const remembered = await logIn({ remember: 'true' })
  const others = [await logIn({ remember: 'false' }), await logIn({})]
  for (const token of others) await until(async () => (await statusOf(token)) === 401)
  t.equal(await statusOf(remembered), 200)
})

t.test('both kinds of sessions open the menu, and a logout ends them', async t => {
  const { logIn, statusOf, logOut } = await start(t)
  for (const remember of ['true', 'false']) {
    const token = await logIn({ remember })
    t.equal(await statusOf(token), 200)
    t.equal(await logOut(token), 204)
    t.equal(await statusOf(token), 401)
  }
})

t.test('who asks for it still needs the password', async t => {
  const { logIn } = await start(t)
  t.equal(await logIn({ remember: 'true', password: 'wrong' }), null)
})
