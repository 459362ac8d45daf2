// Null in a property that a screen may lack means the same as a missing property.
import t from 'tap'
import { checkServer } from '../../index.ts'
import { explain } from '../../report/causes.ts'
import { beforeGuard, body, menu, opens, partsOf } from './broken-parts.ts'
import { allOptionsFor, check, checkListener, failed, second } from './check.ts'
import { type Form, type Incoming, json, listen, type Parts } from './minimal-server.ts'

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

t.test('null for what the contract demands is a finding like a missing property, and so is another type', async t => {
  const field = (value: unknown) =>
    body('form')(({ sections: [one], ...form }) => ({
      ...form,
      sections: [{ ...one, fields: one.fields.map((field: object) => ({ ...field, value })) }]
    }))
  const login = (name: string) => (value: unknown) => menu({ login: { [name]: value } })
  const form = (name: string) => (value: unknown) => body('form')({ [name]: value })
  for (const [of, id, isDemanded] of [
    [form('title'), 'form-title', true],
    [form('auth_action'), 'form-auth-action', true],
    [form('sections'), 'form-one-section', true],
    [field, 'form-field-values', true],
    [login('menu'), 'login-screen-menu', true],
    [login('user_display_name'), 'login-display-name', true],
    [login('title'), 'login-screen-title', false]
  ] as const) {
    const findings = async (value: unknown) =>
      failed(await check(t, of(value), { only: ['2'] })).map(({ id, failures = [] }) => [id, failures.length])
    const ofNull = await findings(null)
    t.strictSame(ofNull, await findings(undefined), `${id}: null`)
    t.equal(
      ofNull.some(([failed]) => failed === id),
      isDemanded,
      id
    )
    for (const wrong of [7, []])
      t.ok(
        (await findings(wrong)).some(([failed]) => failed === id),
        `${id}: ${JSON.stringify(wrong)}`
      )
  }
})

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
