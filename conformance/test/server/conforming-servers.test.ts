// Conforming servers pass with all profiles and all options, and null in a screen means the same as a missing property.
import t from 'tap'
import { checkServer } from '../../index.ts'
import { explain } from '../../report/causes.ts'
import { beforeGuard, body, menu, opens, partsOf } from './broken-parts.ts'
import { conformingReference } from './broken-servers.ts'
import { allOptionsFor, check, checkListener, failed, second } from './check.ts'
import { conforming, type Form, type Incoming, json, listen, type Parts } from './minimal-server.ts'

const servers: [name: string, Form, Parts, options?: object][] = [
  ['jwt', 'jwt', conforming('jwt', '/deep/base')],
  ['RS256', 'RS256', conforming('RS256')],
  ['ES256', 'ES256', conforming('ES256', '/deep/base')],
  ['opaque', 'opaque', conforming('opaque')],
  ['no-auth', 'no-auth', conforming('no-auth', '/deep/base')],
  ['reference', 'jwt', conformingReference, { reference: true, appName: 'Willkommen' }]
]

for (const [name, form, parts, options] of servers) {
  t.test(`an independent server conforms: ${name}`, async t => {
    const url = await listen(t, form, parts)
    const report = await checkServer(url, { ...allOptionsFor(form), hardening: true, advice: true, ...options })
    const wrong = report.results.filter(
      ({ status, note }) =>
        status === 'failed' || (status === 'skipped' && note !== 'no request of this case is possible here')
    )
    t.strictSame(wrong, [])
    t.equal(report.conforms, true)
  })
}

const OPTIONAL = ['title', 'auth_action', 'sections', 'menu', 'user_display_name']
const OTHERS = ['lines', 'status', 'actions', 'screen_actions', 'locale', 'ui_strings', 'record_id', 'totals']
const NULLS = Object.fromEntries([...OPTIONAL, ...OTHERS].map(name => [name, null]))
const NOTHING = { ...NULLS, layout: null, screen: null }

/** Sends null wherever a response may lack a property. */
function sendingNulls(parts: Parts): Partial<Parts> {
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

for (const form of ['opaque', 'no-auth'] as Form[]) {
  t.test(`a server that sends null for everything that a screen lacks has no findings: ${form}`, async t => {
    const run = async (change: (parts: Parts) => Partial<Parts>) => {
      const url = await listen(t, form, partsOf({ form, prefix: '', change }))
      const { results } = await checkServer(url, { ...allOptionsFor(form), hardening: true, advice: true })
      return results.filter(({ status }) => status === 'failed' || status === 'warning').map(({ id }) => id)
    }
    t.strictSame(await run(sendingNulls), await run(() => ({})))
  })
}

t.test('a name that is null equals a missing name, and an object of nulls is no screen', async t => {
  const nameless = menu({ login: { user_display_name: null }, later: { user_display_name: undefined } })
  t.match((await check(t, nameless, { ...second, only: ['second-display-name'] })).results, [{ status: 'ok' }])
  const answer = JSON.stringify(NOTHING)
  await t.rejects(
    checkListener(t, (_, response) => response.end(answer)),
    { message: /is not a screen service/ }
  )
})

t.test('a menu with null in auth_action is not taken for the login form', async t => {
  const isMenu = ({ path }: Incoming) => path === '/menu/main'
  const report = await check(t, parts => ({ ...sendingNulls(parts), ...opens(isMenu)(parts) }))
  t.match(explain(failed(report)).causes[0]?.what, 'GET /menu/main is served without a token.')
})
