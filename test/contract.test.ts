// Requirements of contract.md that no test beside this file holds. test/examples runs the kit, which checks each clause.
import { Value } from '@sinclair/typebox/value'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { AuthResponse, ScreenContract } from '../schemas/index.ts'
import { ADA, bearer, host, logIn, PASSWORD } from './helpers.ts'

const get = (app: FastifyInstance, url: string, token?: string) =>
  app.inject({ url, headers: token === undefined ? {} : bearer(token) })

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

t.test('contract 4: the response to HEAD of the login form has no body', async t => {
  t.equal((await (await host(t)).inject({ method: 'HEAD', url: '/auth/login' })).body, '')
})

t.test('contract 5.7: in the no-auth mode no route is guarded and there is no login', async t => {
  const app = await host(t, { enabled: false, checkCredentials: undefined })
  t.equal((await get(app, '/screen')).statusCode, 200)
  for (const url of ['/auth/login', '/nowhere']) t.equal((await get(app, url)).statusCode, 404, url)
  t.equal((await logIn(app)).statusCode, 404)
})

t.test('contract 7: an unknown user and a wrong password are rejected alike, with status 200', async t => {
  const app = await host(t)
  const wrong = await logIn(app, { username: 'ada', password: 'wrong' })
  const unknown = await logIn(app, { username: 'unknown', password: PASSWORD })
  t.strictSame([wrong.statusCode, unknown.statusCode], [200, 200])
  t.equal(wrong.body, unknown.body)
})
