// The contract from outside, clause by clause: every line of contract.md that says what a server does.
import { Value } from '@sinclair/typebox/value'
import t from 'tap'
import { AuthResponse, ScreenContract } from '../schemas/index.ts'
import { ADA, bearer, host, logIn, MENU, PASSWORD } from './helpers.ts'
import { stopClock } from './stopped-clock.ts'

t.test('contract 1: every route except the two login routes requires a token', async t => {
  const app = await host(t)
  for (const url of [
    '/',
    '/menu/main',
    '/screen',
    '/no/such/route',
    '/auth',
    '/auth/login/',
    '/auth/login/x',
    '/AUTH/LOGIN'
  ]) {
    t.equal((await app.inject(url)).statusCode, 401, url)
  }
  t.equal((await app.inject('/auth/login')).statusCode, 200)
})

t.test('contract 1: the whole login is driven by the service', async t => {
  const app = await host(t)
  t.equal((await app.inject('/menu/main')).statusCode, 401)
  const form = (await app.inject('/auth/login')).json()
  const fields = Object.fromEntries(
    form.sections[0].fields.map((field: { id: 'username' | 'password' }) => [
      field.id,
      { username: ADA.username, password: PASSWORD }[field.id]
    ])
  )
  const { token, screen } = (await logIn(app, fields, form.auth_action)).json()
  t.equal(screen.layout, 'Menu')
  t.equal((await app.inject({ url: '/screen', headers: bearer(token) })).statusCode, 200)
})

t.test('contract 2.1: an AuthRequest is a map from field id to string', async t => {
  const app = await host(t)
  t.equal((await logIn(app)).json().success, true)
})

t.test('contract 2.2: a success has a token and a screen, and error is null', async t => {
  const app = await host(t)
  const body = (await logIn(app)).json()
  t.strictSame(Object.keys(body).sort(), ['error', 'screen', 'success', 'token'])
  t.ok(Value.Check(AuthResponse, body))
  t.match(body, { success: true, token: /^\S+$/, error: null, screen: { layout: 'Menu' } })
})

t.test('contract 2.2: a failure has a message, and token and screen are null', async t => {
  const app = await host(t)
  const body = (await logIn(app, { username: 'ada', password: 'wrong' })).json()
  t.strictSame(Object.keys(body).sort(), ['error', 'screen', 'success', 'token'])
  t.ok(Value.Check(AuthResponse, body))
  t.match(body, { success: false, token: null, error: /\w/, screen: null })
})

t.test('contract 2.3: the display name is on every screen that is served to a logged-in user', async t => {
  const app = await host(t)
  app.get('/profile', { schema: { response: { 200: ScreenContract } } }, async () => ({
    layout: 'Card',
    title: 'Profile'
  }))
  const { token, screen } = (await logIn(app)).json()
  t.equal(screen.user_display_name, ADA.displayName)
  for (const url of ['/menu/main', '/profile']) {
    t.equal(
      (await app.inject({ url, headers: bearer(token) })).json().user_display_name,
      ADA.displayName,
      url
    )
  }
})

t.test('contract 2.6: the login form is a Card with one section of a username and a password', async t => {
  const app = await host(t, { appName: 'Demo & Søns <A/S>' })
  const answer = await app.inject('/auth/login')
  t.match(answer.headers['content-type'], /^application\/json; charset=utf-8$/)
  t.strictSame(answer.json(), {
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
  t.ok(Value.Check(ScreenContract, answer.json()))
})

t.test('contract 4: GET /menu/main answers 401 without a token and the main menu with one', async t => {
  const app = await host(t)
  t.equal((await app.inject('/menu/main')).statusCode, 401)
  const { token } = (await logIn(app)).json()
  const answer = await app.inject({ url: '/menu/main', headers: bearer(token) })
  t.equal(answer.statusCode, 200)
  t.strictSame(answer.json(), { ...MENU, user_display_name: ADA.displayName })
})

t.test(
  'contract 4 rule 4: the screen of a successful login is the main menu, to the last property',
  async t => {
    const app = await host(t)
    const { token, screen } = (await logIn(app)).json()
    t.strictSame(screen, (await app.inject({ url: '/menu/main', headers: bearer(token) })).json())
  }
)

t.test('contract 4: any method on an unknown route is 401 without a token and 404 with one', async t => {
  const app = await host(t)
  const { token } = (await logIn(app)).json()
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
    t.equal((await app.inject({ method, url: '/nowhere' })).statusCode, 401, method)
    t.equal((await app.inject({ method, url: '/nowhere', headers: bearer(token) })).statusCode, 404, method)
  }
})

t.test('contract 4: every method on /auth/login but GET, HEAD and POST is protected', async t => {
  const app = await host(t)
  for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
    t.equal((await app.inject({ method, url: '/auth/login' })).statusCode, 401, method)
  }
  const head = await app.inject({ method: 'HEAD', url: '/auth/login' })
  t.equal(head.statusCode, 200)
  t.equal(head.body, '')
})

t.test('contract 5.7: in the no-auth mode no route is guarded and there is no login', async t => {
  const app = await host(t, { enabled: false, checkCredentials: undefined })
  t.equal((await app.inject('/screen')).statusCode, 200)
  t.equal((await app.inject('/auth/login')).statusCode, 404)
  t.equal((await logIn(app)).statusCode, 404)
  t.equal((await app.inject('/nowhere')).statusCode, 404)
})

t.test('contract 5.8: a token that expires in the middle of a session is answered 401', async t => {
  const clock = stopClock(t)
  const app = await host(t, { tokenLifetime: 60 })
  const { token } = (await logIn(app)).json()
  t.equal((await app.inject({ url: '/menu/main', headers: bearer(token) })).statusCode, 200)
  clock.advance(60)
  t.equal((await app.inject({ url: '/menu/main', headers: bearer(token) })).statusCode, 401)
})

t.test('contract 7: a missing and an invalid token are answered 401 without a body', async t => {
  const app = await host(t)
  for (const headers of [{}, bearer('invalid')]) {
    const answer = await app.inject({ url: '/menu/main', headers })
    t.equal(answer.statusCode, 401)
    t.equal(answer.body, '')
    t.equal(answer.headers['content-length'], '0')
  }
})

t.test(
  'contract 7: rejected credentials are an AuthResponse with status 200, alike for an unknown user and a wrong password',
  async t => {
    const app = await host(t)
    const wrong = await logIn(app, { username: 'ada', password: 'wrong' })
    const unknown = await logIn(app, { username: 'nobody', password: PASSWORD })
    t.equal(wrong.statusCode, 200)
    t.equal(unknown.statusCode, 200)
    t.equal(wrong.body, unknown.body)
  }
)
