// Tests each requirement that contract.md has for a server, clause by clause, from outside.
import { Value } from '@sinclair/typebox/value'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { AuthResponse, ScreenContract } from '../schemas/index.ts'
import { stopClock } from './clock.ts'
import { ADA, bearer, host, logIn, MENU, PASSWORD } from './helpers.ts'

const get = (app: FastifyInstance, url: string, token?: string) =>
  app.inject({ url, headers: token === undefined ? {} : bearer(token) })

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

t.test('contract 1: every route except the two login routes requires a token', async t => {
  const app = await host(t)
  for (const url of ['/', '/menu/main', '/screen', '/auth', '/auth/login/', '/auth/login/x', '/AUTH/LOGIN'])
    t.equal((await get(app, url)).statusCode, 401, url)
  for (const method of METHODS) {
    const isPublic = ['GET', 'HEAD', 'POST'].includes(method)
    const { statusCode } = await app.inject({ method, url: '/auth/login', payload: { fields: {} } })
    t.equal(statusCode, isPublic ? 200 : 401, method)
  }
})

t.test('contract 1: a client needs only the fields and the action of the login form to log in', async t => {
  const app = await host(t)
  const form = (await get(app, '/auth/login')).json()
  const person: Record<string, string> = { username: ADA.username, password: PASSWORD }
  const ids = form.sections[0].fields.map(({ id }: { id: string }) => id)
  const fields = Object.fromEntries(ids.map((id: string) => [id, person[id]]))
  const { token, screen } = (await logIn(app, fields, form.auth_action)).json()
  t.equal(screen.layout, 'Menu')
  t.equal((await get(app, '/screen', token)).statusCode, 200)
})

const failed = { success: false, token: null, error: /\w/, screen: null }
const succeeded = { success: true, token: /^\S+$/, error: null, screen: { layout: 'Menu' } }
for (const [name, password, expected] of [
  ['a success has a token and a screen, and error is null', PASSWORD, succeeded],
  ['a failure has a message, and token and screen are null', 'wrong', failed]
] as const)
  t.test(`contract 2.2: ${name}`, async t => {
    const body = (await logIn(await host(t), { username: 'ada', password })).json()
    t.strictSame(Object.keys(body).sort(), ['error', 'screen', 'success', 'token'])
    t.ok(Value.Check(AuthResponse, body))
    t.match(body, expected)
  })

t.test('contract 2.3: the display name is on every screen that is served to a logged-in user', async t => {
  const app = await host(t)
  app.get('/profile', { schema: { response: { 200: ScreenContract } } }, async () => ({
    layout: 'Card',
    title: 'Profile'
  }))
  const { token, screen } = (await logIn(app)).json()
  t.equal(screen.user_display_name, ADA.displayName)
  for (const url of ['/menu/main', '/profile'])
    t.equal((await get(app, url, token)).json().user_display_name, ADA.displayName, url)
})

t.test('contract 2.6: the login form is a Card with one section of a username and a password', async t => {
  const app = await host(t, { appName: 'Demo & Søns <A/S>' })
  const response = await get(app, '/auth/login')
  t.match(response.headers['content-type'], /^application\/json; charset=utf-8$/)
  t.strictSame(response.json(), {
    layout: 'Card',
    title: 'Demo & Søns <A/S>',
    auth_action: '/auth/login',
    sections: [
      {
        id: 'login',
        label: 'Login',
        fields: [
          { id: 'username', label: 'Username', type: 'Text', value: '' },
          { id: 'password', label: 'Password', type: 'Password', value: '' }
        ]
      }
    ]
  })
  t.ok(Value.Check(ScreenContract, response.json()))
})

t.test('contract 4: the menu requires a token, and equals the menu in the login response', async t => {
  const app = await host(t)
  t.equal((await get(app, '/menu/main')).statusCode, 401)
  const { token, screen } = (await logIn(app)).json()
  const response = await get(app, '/menu/main', token)
  t.equal(response.statusCode, 200)
  t.strictSame(response.json(), { ...MENU, user_display_name: ADA.displayName })
  t.strictSame(response.json(), screen)
})

t.test('contract 4: an unknown route responds 401 without a token and 404 with one, for any method', async t => {
  const app = await host(t)
  const { token } = (await logIn(app)).json()
  for (const method of METHODS) {
    t.equal((await app.inject({ method, url: '/nowhere' })).statusCode, 401, method)
    t.equal((await app.inject({ method, url: '/nowhere', headers: bearer(token) })).statusCode, 404, method)
  }
})

t.test('contract 4: the response to HEAD of the login form has no body', async t => {
  t.equal((await (await host(t)).inject({ method: 'HEAD', url: '/auth/login' })).body, '')
})

t.test('contract 5.7: in the no-auth mode no route is guarded and there is no login', async t => {
  const app = await host(t, { enabled: false, checkCredentials: undefined })
  t.equal((await get(app, '/screen')).statusCode, 200)
  for (const url of ['/auth/login', '/nowhere']) t.equal((await get(app, url)).statusCode, 404, url)
  t.equal((await logIn(app)).statusCode, 404)
})

t.test('contract 5.8: a token that expires during a session is rejected with 401', async t => {
  const clock = stopClock(t)
  const app = await host(t, { tokenLifetime: 60 })
  const { token } = (await logIn(app)).json()
  t.equal((await get(app, '/menu/main', token)).statusCode, 200)
  clock.tick(60)
  t.equal((await get(app, '/menu/main', token)).statusCode, 401)
})

t.test('contract 7: a missing or invalid token is rejected with 401 without a body', async t => {
  const app = await host(t)
  for (const token of [undefined, 'invalid']) {
    const response = await get(app, '/menu/main', token)
    t.equal(response.statusCode, 401)
    t.equal(response.body, '')
    t.equal(response.headers['content-length'], '0')
  }
})

t.test('contract 7: an unknown user and a wrong password are rejected alike, with status 200', async t => {
  const app = await host(t)
  const wrong = await logIn(app, { username: 'ada', password: 'wrong' })
  const unknown = await logIn(app, { username: 'unknown', password: PASSWORD })
  t.strictSame([wrong.statusCode, unknown.statusCode], [200, 200])
  t.equal(wrong.body, unknown.body)
})
