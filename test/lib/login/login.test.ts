import t from 'tap'
import { opaqueTokens } from '../../../lib/index.ts'
import { ADA, bearer, collectLog, FAILURE, host, logIn, MENU, PASSWORD, throwing } from '../../helpers.ts'
import { never } from '../limits/checkers.ts'

t.test('a login with an empty or missing username or password is rejected without a check', async t => {
  let called = 0
  const app = await host(t, { checkCredentials: () => ++called && ADA })
  const incomplete = [
    {},
    { username: 'ada' },
    { password: 'x' },
    { username: '', password: 'x' },
    { username: 'ada', password: '' }
  ]
  for (const fields of incomplete) {
    const response = await logIn(app, fields)
    t.equal(response.statusCode, 200)
    t.match(response.json(), { success: false, token: null, error: /username.*password/, screen: null })
  }
  t.equal(called, 0)
})

t.test('a login is rejected with the unchanged error of the checker, even if there is a user', async t => {
  const error = '🔑'.repeat(43)
  const app = await host(t, { checkCredentials: () => ({ ...ADA, error }) })
  t.strictSame((await logIn(app)).json(), { ...FAILURE, error })
})

t.test('the checker receives all fields unchanged, and the request', async t => {
  const seen: unknown[] = []
  const checkCredentials = (fields: object, request: { ip: string }) => seen.push(fields, request.ip) && ADA
  const app = await host(t, { checkCredentials })
  const fields = {
    username: '  Ada\t',
    password: '  p\u00e4ss \u0065\u0301 🦊\n ',
    company: 'ACME',
    '': 'empty',
    toString: 'x'
  }
  await logIn(app, fields)
  t.strictSame(seen, [fields, '127.0.0.1'])
})

const fail = throwing('the cause')
const failWith = (properties: object) => () => Promise.reject(Object.assign(new Error('the cause'), properties))

const noUser = (type: string) => new RegExp(`checkCredentials must return .* or { error }, not ${type}"`)
const noUserOf = (username: string, displayName: string) =>
  noUser(`{ username: ${username}, displayName: ${displayName} }`)
const noScreen = /mainMenu must return a ScreenContract/
const noToken = /tokens.issue must return/
const returning = (value: unknown) => ({ checkCredentials: () => value })
const failingWith = (status: unknown) => ({ checkCredentials: failWith({ statusCode: status, status }) })
const issuing = (issue: () => unknown) => ({ tokens: { issue, verify: () => null } })
const { issue } = opaqueTokens()
const cyclic: Record<string, unknown> = { ...MENU }
cyclic.self = cyclic
const broken: Record<string, [overrides: object, cause: RegExp, status?: number]> = {
  'a checker that throws': [{ checkCredentials: fail }, /the cause/],
  'a checker that rejects': [{ checkCredentials: async () => fail() }, /the cause/],
  'a checker that throws a 403': [{ checkCredentials: failWith({ statusCode: 403 }) }, /the cause/],
  'a checker that throws a 502': [failingWith(502), /the cause/],
  'a checker that throws a 503': [failingWith(503), /the cause/, 503],
  'a checker that throws a 503 as text': [failingWith('503'), /the cause/],
  'a checker that throws a 401 as text': [failingWith('401'), /the cause/],
  'a checker that throws no error': [{ checkCredentials: () => Promise.reject('the cause') }, /the cause/],
  'a menu factory that throws': [{ mainMenu: fail }, /the cause/],
  'a menu factory that rejects': [{ mainMenu: async () => fail() }, /the cause/],
  'undefined from the checker': [returning(undefined), noUser('undefined')],
  'true from the checker': [returning(true), noUser('boolean')],
  'a string from the checker': [returning(PASSWORD), noUser('string')],
  'the rows of a query': [returning([ADA]), noUser('array')],
  'a user without a display name': [returning({ username: 'ada' }), noUserOf('string', 'undefined')],
  'a user with other names': [returning({ name: 'ada', password: PASSWORD }), noUserOf('undefined', 'undefined')],
  'a promise inside a user': [returning({ ...ADA, displayName: never() }), noUserOf('string', 'promise')],
  'an empty username': [returning({ username: '', displayName: 'A' }), noUserOf('empty string', 'string')],
  'an error that is not text': [returning({ error: 1 }), noUserOf('undefined', 'undefined')],
  'an empty error': [returning({ error: '' }), noUserOf('undefined', 'undefined')],
  'no menu': [{ mainMenu: () => undefined }, /mainMenu must return a ScreenContract: screen/],
  'a menu that is null': [{ mainMenu: () => null }, noScreen],
  'a menu that is an array': [{ mainMenu: () => [] }, noScreen],
  'a menu without a layout': [{ mainMenu: () => ({ title: 'x' }) }, /a ScreenContract: \/layout/],
  'a menu with a BigInt': [{ mainMenu: () => ({ ...MENU, big: 1n }) }, /mainMenu failed.*BigInt/],
  'a menu with a cycle': [{ mainMenu: () => cyclic }, /mainMenu failed.*circular/],
  'no token': [issuing(() => undefined), noToken],
  'an empty token': [issuing(() => ''), noToken],
  'a token that no header can carry': [issuing(async () => 'a b'), noToken],
  'a lifetime that ours refuses': [issuing(() => issue(ADA, null, { lifetime: 0 })), /option `tokens.issue.lifetime`/],
  'a user that ours refuses': [issuing(() => issue({ username: '', displayName: '' })), /issue takes a user/],
  'a token service that throws': [issuing(fail), /the cause/, 503],
  'a token service that rejects with a 401': [issuing(failWith({ statusCode: 401 })), /the cause/, 503]
}
for (const [name, [overrides, cause, status = 500]] of Object.entries(broken))
  t.test(`${name} makes the login respond ${status} without a token, and the log has the cause`, async t => {
    const log = collectLog()
    const tokens = { issue: () => t.fail('issued a token'), verify: () => null }
    const response = await logIn(await host(t, { tokens, ...overrides }, log))
    t.equal(response.statusCode, status)
    t.equal(response.headers['retry-after'], status === 503 ? '5' : undefined)
    t.match(response.json(), { ...FAILURE, error: /Try again later/ })
    t.notMatch(response.body, cause)
    t.match(log.text(), cause)
    t.strictSame(log.warnings(), ['screen-auth: login failed'])
    t.notMatch(log.text(), new RegExp(PASSWORD))
  })

t.test('the menu factory and the token service receive the user of the checker, and the request', async t => {
  const seen: unknown[] = []
  const app = await host(t, {
    checkCredentials: () => ADA,
    mainMenu: (user: unknown, request: { screenUser: unknown }) => seen.push(user, request.screenUser) && MENU,
    tokens: {
      issue: (user: unknown, request: { url: string }) => seen.push(user, request.url) && 'token',
      verify: () => null
    }
  })
  await logIn(app, { username: 'ADA@example.org', password: 'x' })
  t.strictSame(seen, [ADA, ADA, ADA, '/auth/login'])
})

t.test('a login keeps only username and displayName of a user, so the menu stays the same later', async t => {
  const app = await host(t, {
    checkCredentials: () => ({ ...ADA, admin: true }),
    mainMenu: (user: object) => ({ ...MENU, for: Object.keys(user) })
  })
  const { token, screen } = (await logIn(app)).json()
  t.strictSame(screen.for, ['username', 'displayName'])
  t.strictSame((await app.inject({ url: '/menu/main', headers: bearer(token) })).json(), screen)
})

t.test('the login keeps a Retry-After that a hook of the host has set', async t => {
  const app = await host(t)
  app.addHook('preHandler', async (request, reply) => {
    if (request.method !== 'POST') return
    reply.header('retry-after', '60')
    throw Object.assign(new Error('busy'), { statusCode: 503 })
  })
  t.equal((await logIn(app)).headers['retry-after'], '60')
})
