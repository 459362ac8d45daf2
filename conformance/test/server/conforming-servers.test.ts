// Conforming servers pass with all profiles and all options, and null in a screen means the same as a missing property.
import t from 'tap'
import type { CheckServerOptions } from '../../index.ts'
import { check, failed } from './check.ts'
import { beforeGuard, body, type Change, type Form, json, type Parts, privateKeyOf, second } from './minimal-server.ts'

const OPTIONAL = 'title auth_action sections menu user_display_name lines status actions screen_actions ui_strings'
const NULLS = Object.fromEntries(OPTIONAL.split(' ').map(name => [name, null]))
const NOTHING = { ...NULLS, layout: null, screen: null }

function sendingNulls(parts: Parts): Partial<Parts> {
  const menuOf = ({ user_display_name = null }) => ({ ...NULLS, layout: 'Menu', menu: {}, user_display_name })
  const screen: Parts['menu'] = (...args) => menuOf(parts.menu(...args) as object)
  const cors = json(200, NOTHING, { 'access-control-allow-origin': '*' })
  const preflight = beforeGuard(({ headers }) => 'access-control-request-method' in headers && cors)
  return {
    ...preflight(parts),
    ...body('form')((form: object) => ({ ...NULLS, ...form }))(parts),
    menu: screen,
    missing: () => json(401, NOTHING, { 'www-authenticate': 'Bearer' }),
    other: request => {
      const user = parts.userOf(String(parts.tokenOf(request)))
      const own = { ...(screen(false, user) as object), layout: 'Card', menu: null }
      return request.path === '/screen/own' ? json(200, own) : parts.other(request)
    }
  }
}

/** Has habits of real servers that the contract allows, but the advice does not. */
function ignoringAdvice(parts: Parts): Partial<Parts> {
  const sessions = new Map<string, string>()
  // A Base64 decoder ignores what follows the padding.
  const userOf = (token: string) => [...sessions].find(([, own]) => own === token.replace(/=.*/, '='))?.[0]
  return {
    // A new login ends the earlier session of the user.
    issue(username) {
      const token = `${Buffer.from(parts.issue(username)).toString('base64url')}=`
      sessions.set(username, token)
      return token
    },
    isValid: token => userOf(token) !== undefined,
    userOf: token => userOf(token) as string,
    raw(request, _, response) {
      const { headers, method } = request
      // Closes each connection after its first response, and responds to HEAD with the headers of a compressed GET.
      response.shouldKeepAlive = false
      if (method === 'HEAD') response.setHeader('content-encoding', 'gzip')
      if (headers.upgrade) response.destroy()
      else if (headers['transfer-encoding']) response.writeHead(400, { connection: 'close' }).end()
      else if (method === 'POST' && headers['content-type'] !== 'application/json' && parts.isPublic(request))
        response.writeHead(415).end()
      return response.destroyed || response.writableEnded
    }
  }
}

const servers: [name: string, Form, change?: Change, prefix?: string, options?: CheckServerOptions][] = [
  ['reference', 'jwt', {}, '/deep/base', { reference: true, appName: 'Willkommen' }],
  ['RS256', 'RS256'],
  ['ES256', 'ES256', {}, '/%zz'],
  ['opaque', 'opaque'],
  ['opaque, null for everything that a screen lacks', 'opaque', sendingNulls],
  ['opaque, against the advice', 'opaque', ignoringAdvice, '', { advice: false }],
  ['no-auth', 'no-auth', {}, '/deep/base'],
  ['no-auth, null for everything that a screen lacks', 'no-auth', sendingNulls]
]

for (const [name, form, change = {}, prefix, options] of servers) {
  t.test(`an independent server conforms: ${name}`, async t => {
    const users = form === 'no-auth' ? {} : second
    const given = { key: privateKeyOf(form), ...users, protected: ['/screen/own'], hardening: true, advice: true }
    const report = await check(t, change, { ...given, ...options }, form, prefix)
    const wrong = report.results.filter(({ status, reason }) => status !== 'ok' && reason !== 'unseen')
    t.strictSame(wrong, [])
    t.equal(report.conforms, true)
  })
}

t.test('two users whose names or menus are equal are not judged, unless the names in their JWTs differ', async t => {
  const twins = { menu: () => ({ layout: 'Menu', menu: {}, user_display_name: 'Demo User' }) }
  const { notJudged } = await check(t, twins, second)
  const own = notJudged.filter(({ what }) => what.startsWith('second-'))
  t.match(own, [
    ...Array(3).fill({ why: 'it needs two users with different names, but both have the name "Demo User"' }),
    { what: 'second-menu', why: 'it needs two users with different menus, but both have the same menu' }
  ])
  const { notJudged: nameless } = await check(t, { menu: () => ({ layout: 'Menu' }) }, second)
  t.match(
    nameless.filter(({ what }) => /^second-(display-name-later|menu)/.test(what)),
    [
      { why: 'it needs a user_display_name in the screen of the login' },
      { why: 'it needs a menu in the screen of the login' }
    ]
  )
  t.match(
    failed(await check(t, twins, second, 'jwt')),
    ['', '-later', '-at-once'].map(end => ({ id: `second-display-name${end}` }))
  )
})

t.test('a password that looks like an injection may be right', async t => {
  const username = second.secondUsername
  const checks: Parts['checks'] = (name, password) => name === username && password === '%'
  const options = { username, password: '%', only: ['guessed-password', 'password-query'] }
  t.strictSame(failed(await check(t, { checks }, options)), [])
})
