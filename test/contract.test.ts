// Requirements of contract.md that no test beside this file holds. test/examples runs the kit, which checks each clause.
import t from 'tap'
import { host, logIn, PASSWORD } from './helpers.ts'

t.test('contract 2.6: the login form is a Card with one section of a username and a password', async t => {
  const app = await host(t, { appName: 'Demo & Søns <A/S>' })
  const response = await app.inject('/auth/login')
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
})

t.test('contract 7: an unknown user and a wrong password are rejected alike, with status 200', async t => {
  const app = await host(t)
  const wrong = await logIn(app, { username: 'ada', password: 'wrong' })
  const unknown = await logIn(app, { username: 'unknown', password: PASSWORD })
  t.strictSame([wrong.statusCode, unknown.statusCode], [200, 200])
  t.equal(wrong.body, unknown.body)
})
