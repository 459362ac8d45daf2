// Tests of your own guarded routes, without a network or a password: `requestAs` sends a request as any user. Run the
// tests with `node --test testing.js`. In Jest, `app.inject` of Fastify 5.12 fails: use `fetch`, as nest.md shows.
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

/** Sends a request as a user. It needs no login, so it is fast, and the user need not exist. */
async function requestAs(app, user, request) {
  const authorization = `Bearer ${await app.screenAuth.issueToken(user)}`
  return app.inject({ ...request, headers: { ...request.headers, authorization } })
}

const logIn = (app, username, password) =>
  app.inject({ method: 'POST', url: '/auth/login', payload: { fields: { username, password } } })

test('the profile needs a token', async () => {
  const app = await buildApp()
  assert.equal((await app.inject('/screen/profile')).statusCode, 401)
})

test('the profile is that of the user', async () => {
  const bob = { username: 'bob', displayName: 'Bob' }
  const response = await requestAs(await buildApp(), bob, { url: '/screen/profile' })
  assert.equal(response.statusCode, 200)
  assert.deepEqual(response.json(), { layout: 'Card', title: 'bob', user_display_name: 'Bob' })
})

test('only the right name and password log in', async () => {
  // A new app for each test has counted no failed logins.
  const app = await buildApp()
  assert.equal((await logIn(app, 'ada', 'correct horse')).json().screen.title, 'Main Menu')
  // A check that forgot an `await` accepts the wrong password. Some checks throw for an unknown user.
  for (const [username, password] of Object.entries({ ada: 'wrong', nobody: 'correct horse' })) {
    // A rejected login is a 200, too: look at `success`.
    const { success, error } = (await logIn(app, username, password)).json()
    assert.deepEqual({ success, error }, { success: false, error: 'Wrong username or password.' })
  }
})

test('an altered token is rejected', async () => {
  const app = await buildApp()
  const token = await app.screenAuth.issueToken({ username: 'ada', displayName: 'Ada Lovelace' })
  // A `verify` of your own that only decodes a token, and does not check its signature, accepts this one.
  const authorization = `Bearer ${token.slice(0, -20)}${'A'.repeat(20)}`
  assert.equal((await app.inject({ url: '/screen/profile', headers: { authorization } })).statusCode, 401)
})
