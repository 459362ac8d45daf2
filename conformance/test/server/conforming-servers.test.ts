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
  menu,
  type Parts,
  privateKeyOf,
  second
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
    missing: () => json(401, NOTHING),
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
    const skipped = ['no request of this case is possible here', 'there was nothing to check']
    const wrong = report.results.filter(
      ({ status, note = '' }) => status === 'failed' || (status === 'skipped' && !skipped.includes(note))
    )
    t.strictSame(wrong, [])
    t.equal(report.conforms, true)
  })
}

t.test('a name that is null equals a missing name', async t => {
  const nameless = menu({ login: { user_display_name: null }, later: { user_display_name: undefined } })
  t.strictSame(failed(await check(t, nameless, { ...second, only: ['second-display-name', 'second-name'] })), [])
})
