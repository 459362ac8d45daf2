// Conforming servers pass with all profiles and all options, and null in a screen means the same as a missing property.
import t from 'tap'
import { checkServer } from '../../index.ts'
import { check, failed, optionsFor } from './check.ts'
import {
  beforeGuard,
  body,
  conforming,
  conformingReference,
  type Form,
  json,
  listen,
  type Parts,
  privateKeyOf,
  second,
  USERNAME
} from './minimal-server.ts'

const OPTIONAL = ['title', 'auth_action', 'sections', 'menu', 'user_display_name']
const OTHERS = ['lines', 'status', 'actions', 'screen_actions', 'locale', 'ui_strings', 'record_id', 'totals']
const NULLS = Object.fromEntries([...OPTIONAL, ...OTHERS].map(name => [name, null]))
const NOTHING = { ...NULLS, layout: null, screen: null }

/** Sends null wherever a response may lack a property. */
function sendingNulls(parts: Parts): Parts {
  const menuOf = ({ user_display_name = null }) => ({ ...NULLS, layout: 'Menu', menu: {}, user_display_name })
  const screen: Parts['menu'] = (...args) => menuOf(parts.menu(...args) as object)
  const preflight = beforeGuard(
    ({ method, headers }) =>
      method === 'OPTIONS' &&
      'access-control-request-method' in headers && {
        ...json(200, NOTHING),
        headers: { 'access-control-allow-origin': '*' }
      }
  )
  return {
    ...parts,
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

const servers: [name: string, Form, Parts, options?: object][] = [
  ['jwt', 'jwt', conforming('jwt', '/deep/base')],
  ['RS256', 'RS256', conforming('RS256')],
  ['ES256', 'ES256', conforming('ES256', '/%zz')],
  ['opaque', 'opaque', conforming('opaque')],
  ['opaque, null for everything that a screen lacks', 'opaque', sendingNulls(conforming('opaque'))],
  ['no-auth', 'no-auth', conforming('no-auth', '/deep/base')],
  ['no-auth, null for everything that a screen lacks', 'no-auth', sendingNulls(conforming('no-auth'))],
  ['reference', 'jwt', conformingReference, { reference: true, appName: 'Willkommen' }]
]

for (const [name, form, parts, options] of servers) {
  t.test(`an independent server conforms: ${name}`, async t => {
    const url = await listen(t, form, parts)
    const report = await checkServer(url, {
      ...optionsFor(form),
      key: privateKeyOf(form),
      ...(form !== 'no-auth' && second),
      protected: ['/screen/own'],
      hardening: true,
      advice: true,
      ...options
    })
    const wrong = report.results.filter(
      ({ status, reason }) =>
        status === 'failed' || status === 'warning' || (status === 'skipped' && reason !== 'unseen')
    )
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
  const nameless = await check(t, { menu: () => ({ layout: 'Menu' }) }, second)
  t.match(
    nameless.notJudged.filter(({ what }) => /^second-(display-name-later|menu)/.test(what)),
    [
      { why: 'it needs a user_display_name in the screen of the login' },
      { why: 'it needs a menu in the screen of the login' }
    ]
  )
  const jwt = await checkServer(await listen(t, 'jwt', { ...conforming('jwt'), ...twins }), {
    ...optionsFor('jwt'),
    ...second
  })
  t.match(
    failed(jwt),
    ['', '-later', '-at-once'].map(end => ({ id: `second-display-name${end}` }))
  )
})

t.test('a password that looks like an injection may be right', async t => {
  const checks: Parts['checks'] = (username, password) => username === USERNAME && password === '%'
  const report = await check(t, { checks }, { password: '%', only: ['guessed-password', 'password-query'] })
  t.strictSame(failed(report), [])
})
