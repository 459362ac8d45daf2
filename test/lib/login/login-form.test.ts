import type { FastifyInstance } from 'fastify'
import t from 'tap'
import screenAuth from '../../../lib/index.ts'
import type { ScreenContract } from '../../../schemas/index.ts'
import { ADA, collectLog, emptyHost, host, logIn, options } from '../../helpers.ts'
import { talk } from '../../hosts/closed.ts'

const section = (id: string) => ({ id, label: id, fields: [{ id, label: id, type: 'Text', value: '' }] })

t.test('loginForm may translate labels and add a field, whose value reaches checkCredentials', async t => {
  const app = await host(t, {
    loginForm: async (form: ScreenContract, request: { headers: Record<string, string> }) => {
      const [section] = form.sections as [NonNullable<ScreenContract['sections']>[number]]
      section.label = request.headers['accept-language'] === 'da' ? 'Log ind' : 'Login'
      section.fields.push({ id: 'company', label: 'Firma', type: 'Text', value: '', width: 3 })
      return form
    },
    checkCredentials: ({ company }: { company: string }) => (company === 'ACME' ? ADA : null)
  })
  const form = (await app.inject({ url: '/auth/login', headers: { 'accept-language': 'da' } })).json()
  t.equal(form.sections[0].label, 'Log ind')
  t.match(form.sections[0].fields[2], { id: 'company', width: 3 })
  t.equal((await app.inject('/auth/login')).json().sections[0].fields.length, 3, 'each request has a form of its own')
  t.equal((await logIn(app, { username: 'a', password: 'b', company: 'ACME' })).json().success, true)
})

t.test('a form may have another auth_action with other fields; without one, it gets the default', async t => {
  const right = { layout: 'Card', title: 'Rebuilt', sections: [section('username'), section('password')] }
  const other = { layout: 'Card', sections: [section('email')], auth_action: '/outside/auth/login' }
  for (const [form, auth_action] of [
    [right, '/auth/login'],
    [{ ...right, auth_action: undefined }, '/auth/login'],
    [other, other.auth_action]
  ] as const) {
    const app = await host(t, { loginForm: () => form })
    t.strictSame((await app.inject('/auth/login')).json(), { ...form, auth_action })
  }
})

t.test('a loginForm that returns no valid form responds 500, and the log has the cause', async t => {
  const wrong: (readonly [unknown, RegExp])[] = [
    [undefined, /loginForm must return a ScreenContract/],
    [{ layout: 'Card', sections: [{ id: 'x', label: 'x' }] }, /\/sections\/0\/fields/],
    ...[undefined, [section('username')], [section('email'), section('password')]].map(
      sections => [{ layout: 'Card', sections }, /loginForm must keep the fields `username` and `password`/] as const
    )
  ]
  for (const [result, expected] of wrong) {
    const log = collectLog()
    const app = await host(t, { loginForm: () => result }, log)
    const failed = await app.inject('/auth/login')
    t.equal(failed.statusCode, 500)
    t.notMatch(failed.body, expected, 'the cause is in the log only')
    t.match(log.text(), /loginForm failed/)
    t.match(log.text(), expected)
  }
})

t.test('HEAD of the login form is public and has no body, even when the host switches HEAD routes off', async t => {
  const app = await host(t, {}, { exposeHeadRoutes: false })
  const { statusCode, body } = await app.inject({ method: 'HEAD', url: '/auth/login' })
  t.strictSame([statusCode, body], [200, ''])
})

const delimiter: object = { routerOptions: { useSemicolonDelimiter: true } }
const rewriteUrl = ({ url = '' }) => (url === '/in?de' || url === '/in' ? '/de/auth/login' : url)
for (const [prefix, target, expected, serverOptions] of [
  ['/:lang(^(en|de)$)', '/de/auth/login', '/de/auth/login'],
  ['/v1::tenant', '/v1:tenant/auth/login', '/v1:tenant/auth/login'],
  ['/:a-:b/:c', '/x-y/%2f%C3%A9/auth/login?next=/x#y', '/x-y/%2f%C3%A9/auth/login'],
  ['/:a', '/x;y/auth/login', '/x;y/auth/login'],
  ['/:a', '/x/auth/login;y', '/x/auth/login;y', delimiter],
  ['/:a', 'http://any.example/x/auth/login', '/x/auth/login'],
  ['/:a', '/in?de', '/in', { rewriteUrl }],
  ['/x', '/x/%61uth/login?y', '/x/auth/login']
] as const)
  t.test(`auth_action below ${prefix} is the path that was asked for, and takes logins: ${target}`, async t => {
    const app = emptyHost(t, serverOptions)
    await app.register(async scope => scope.register(screenAuth, options({ prefix })))
    t.equal(await authActionOf(app, target), expected)
    t.equal((await logIn(app, undefined, expected)).json().success, true)
  })

t.test('auth_action below a prefix with parameters never points to another origin', async t => {
  const app = emptyHost(t)
  await app.register(async scope => scope.register(screenAuth, options({ prefix: '/:a/:b' })))
  const prefixes =
    '//evil.example /\\evil.example /%2f/evil.example /%5c/evil.example /%09/evil.example /\\/evil.example'
  for (const prefix of prefixes.split(' ')) {
    const action = await authActionOf(app, `${prefix}/auth/login`)
    if (action !== undefined) t.equal(new URL(action, 'http://service.example').host, 'service.example', action)
  }
  t.equal(await authActionOf(app, '//evil.example/auth/login'), '/evil.example/auth/login')
})

/** Sends the target as it is: `app.inject` would change it. */
async function authActionOf(app: FastifyInstance, target: string): Promise<string | undefined> {
  const response = await talk(app, `GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
  return /"auth_action":"(.*?)"/.exec(response)?.[1]
}
