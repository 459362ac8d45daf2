// Tests of your own guarded routes, without a network or a password: `requestAs` sends a request as any user. Run the
// tests with `node --test testing.js`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'

// In your project, put this function into its own file, which your server imports, too.
async function buildApp() {
  const app = Fastify()
  await app.register(screenAuth, {
    checkCredentials: ({ username, password }) =>
      username === 'ada' && password === 'correct horse' ? { username: 'ada', displayName: 'Ada Lovelace' } : null,
    mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
  })
  app.get('/screen/profile', { schema: { response: { 200: ScreenContract } } }, async request => ({
    layout: 'Card',
    title: request.screenUser.username
  }))
  return app
}

/** Returns a new app for one test: it has counted no failed logins. */
async function start(t) {
  const app = await buildApp()
  t.after(() => app.close())
  return app
}

const bearer = token => ({ authorization: `Bearer ${token}` })

/** Sends a request as a user. It needs no login, so it is fast, and the user need not exist. */
const requestAs = async (app, user, { headers, ...request }) =>
  app.inject({ ...request, headers: { ...headers, ...bearer(await app.screenAuth.issueToken(user)) } })

test('the profile needs a token', async t => {
  const app = await start(t)
  assert.equal((await app.inject('/screen/profile')).statusCode, 401)
  const headers = bearer('no-token-of-ours')
  assert.equal((await app.inject({ url: '/screen/profile', headers })).statusCode, 401)
})

test('the profile is that of the user', async t => {
  const app = await start(t)
  const bob = { username: 'bob', displayName: 'Bob' }
  const response = await requestAs(app, bob, { url: '/screen/profile' })
  assert.equal(response.statusCode, 200)
  assert.deepEqual(response.json(), { layout: 'Card', title: 'bob', user_display_name: 'Bob' })
})

const logIn = (app, username, password) =>
  app.inject({ method: 'POST', url: '/auth/login', payload: { fields: { username, password } } })

test('a login gives a token that opens the profile', async t => {
  const app = await start(t)
  const { success, token, screen } = (await logIn(app, 'ada', 'correct horse')).json()
  assert.equal(success, true)
  assert.equal(screen.title, 'Main Menu')
  const response = await app.inject({ url: '/screen/profile', headers: bearer(token) })
  assert.equal(response.json().user_display_name, 'Ada Lovelace')
})

test('a wrong password gives none', async t => {
  const app = await start(t)
  const response = await logIn(app, 'ada', 'wrong')
  // A rejected login is a 200, too: look at `success`.
  assert.equal(response.statusCode, 200)
  assert.equal(response.json().success, false)
  assert.equal(response.json().token, null)
})
