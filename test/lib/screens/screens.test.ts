import { readFileSync } from 'node:fs'
import type { TSchema } from '@sinclair/typebox'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import type { FastifyReply } from 'fastify'
import t from 'tap'
import screenAuth, { type MainMenu } from '../../../lib/index.ts'
import { ScreenContract } from '../../../schemas/index.ts'
import { ADA, bearer, collectLog, emptyHost, forge, host, logIn, MENU, options, until } from '../../helpers.ts'

t.test('mainMenu is called with the user and the request', async t => {
  const mainMenu = async (user: unknown, { url }: { url: string }) => ({ ...MENU, user, url })
  const url = '/menu/main?a=1'
  const app = await host(t, { mainMenu })
  t.match((await app.inject({ url, headers: bearer(forge()) })).json(), { user: ADA, url })
})

t.test('mainMenu receives null in the no-auth mode, and the screen has no display name', async t => {
  const app = await host(t, { enabled: false, mainMenu: (user: unknown) => ({ ...MENU, user }) })
  t.strictSame((await app.inject('/menu/main')).json(), { ...MENU, user: null })
})

const form = {
  layout: 'Card',
  sections: [{ id: 's', label: 'S', fields: ['username', 'password'].map(id => ({ id, label: id, type: 'Text' })) }]
}
const circular: Record<string, unknown> = { ...form }
circular.self = circular
const refuse = () => {
  throw Object.assign(new Error('a secret of the host'), { statusCode: 401 })
}
const NO_OBJECT = /the toJSON of the screen that (mainMenu|loginForm) returns must return an object/
const failing: [what: string, make: () => unknown, cause: RegExp][] = [
  ['has no layout', () => ({ title: 'x' }), /(mainMenu|loginForm) must return a ScreenContract: \/layout/],
  ['is a rejection', async () => refuse(), /a secret of the host/],
  ['is a rejection without an error', () => Promise.reject('the cause'), /the cause/],
  ['has a cycle', () => circular, /circular/],
  ['has a BigInt', () => ({ ...form, big: 1n }), /BigInt/],
  ['has a part with a toJSON that throws', () => ({ ...form, part: { toJSON: refuse } }), /a secret of the host/],
  ['changes to text', () => ({ toJSON: () => ({ ...form, toJSON: () => 'no screen' }) }), NO_OBJECT],
  ['vanishes', () => ({ toJSON: () => ({ ...form, toJSON: () => undefined }) }), NO_OBJECT]
]

for (const [what, make, cause] of failing)
  t.test(`the route of a menu or form that ${what} responds 500, and only the log has the cause`, async t => {
    for (const [source, url] of Object.entries({ mainMenu: '/menu/main', loginForm: '/auth/login' })) {
      const log = collectLog()
      const app = await host(t, { [source]: make }, log)
      const response = await app.inject({ url, headers: bearer(forge()) })
      // No cache stores the error.
      t.match(response, { statusCode: 500, headers: { 'cache-control': 'no-store' } })
      t.match(response.json(), { code: 'FST_SCREEN_AUTH_SCREEN_FAILED', message: `screen-auth: ${source} failed` })
      t.notMatch(response.body, cause)
      t.match(log.text(), cause)
    }
  })

const item = (action: unknown) => ({ panel_title: 'Main', tabs: [{ label: 'A', items: [{ label: 'B', action }] }] })
const popup = (action: unknown) => item({ type: 'popup', items: [{ label: 'C', action }] })
const ACTION = '/menu/tabs/0/items/0/action'
const undrawable: [changed: object, complaint: string][] = [
  [{ title: undefined }, "must have required property 'title'"],
  [{ menu: { tabs: [] } }, "/menu must have required property 'panel_title'"],
  [{ menu: { panel_title: 'Main', tabs: null } }, "/menu must have required property 'tabs'"],
  [{ menu: { panel_title: 'Main', tabs: Promise.resolve([]) } }, '/menu/tabs must be array'],
  [{ menu: item(undefined) }, "/menu/tabs/0/items/0 must have required property 'action'"],
  [{ menu: item({ type: 'fly' }) }, `${ACTION} value of tag "type" must be in oneOf`],
  [{ menu: item({ type: 'message', url: '/a' }) }, `${ACTION} must have required property 'text'`],
  [{ menu: popup({ type: 'popup' }) }, `${ACTION}/items/0/action value of tag "type" must be in oneOf`],
  [{ locale: 'en' }, '/locale must be object']
]
const complaintOf = (complaint: string) =>
  `screen-auth: known clients cannot draw the main menu: ${complaint}; use the type \`MenuScreen\`, ` +
  'or ignore this if you have only clients of your own'

for (const [changed, complaint] of undrawable)
  t.test(`a menu that known clients cannot draw goes out, and the log says once: ${complaint}`, async t => {
    const log = collectLog()
    const menu = { ...MENU, ...changed }
    const app = await host(t, { mainMenu: () => menu }, log)
    const named = { ...parsed(menu), user_display_name: ADA.displayName }
    const headers = bearer(forge())
    t.strictSame((await logIn(app)).json().screen, named)
    for (let i = 0; i < 2; i++) t.strictSame((await app.inject({ url: '/menu/main', headers })).json(), named)
    await until(() => log.warnings().length > 0)
    t.strictSame(log.warnings(), [complaintOf(complaint)])
  })

// The response does not wait for the check, so each test ends with a menu whose check is later, and is told.

t.test('a menu with null, more properties, any length or any depth goes out without a warning', async t => {
  const log = collectLog()
  let menu: object = MENU
  const app = await host(t, { mainMenu: () => menu }, log)
  const menus: object[] = [
    { ...MENU, status: null, more: 1 },
    { ...MENU, status: 1, more: 'x'.repeat(100_000) }
  ]
  for (let depth = 500, deep = {}; depth < 5000; depth += 500) {
    for (let i = 0; i < 500; i++) deep = { deep }
    menus.push({ ...MENU, deep })
  }
  for (menu of [...menus, { ...MENU, locale: 'en' }]) {
    const { statusCode } = await app.inject({ url: '/menu/main', headers: bearer(forge()) })
    // V8 limits the depth of JSON.
    t.ok(statusCode === 200 || ('deep' in menu && statusCode === 500))
  }
  const told = () => log.warnings().filter(text => /cannot draw/.test(text))
  await until(() => told().length > 0)
  t.strictSame(told(), [complaintOf('/locale must be object')])
})

t.test('only the first 100 menus of a server are checked', async t => {
  const [late, told] = [collectLog(), collectLog()]
  for (const [log, count] of [
    [late, 101],
    [told, 100]
  ] as const) {
    let made = 0
    const app = await host(t, { mainMenu: () => (++made === count ? { ...MENU, locale: 'en' } : MENU) }, log)
    for (let i = 0; i < count; i++) await app.inject({ url: '/menu/main', headers: bearer(forge()) })
  }
  await until(() => told.warnings().length > 0)
  t.strictSame(late.warnings(), [])
})

t.test('a hook of the host can replace the menu with a string, or with a value that is sent as JSON', async t => {
  const app = emptyHost(t)
  app.setReplySerializer(() => 'by the host')
  await app.register(screenAuth, options({ mainMenu: () => MENU }))
  app.addHook('preHandler', async (_request, reply) => reply.send({ closed: true }))
  app.addHook('preSerialization', async (request, _reply, payload) =>
    'text' in (request.query as object) ? 'a text' : payload
  )
  const bodyOf = async (url: string) => (await app.inject({ url, headers: bearer(forge()) })).body
  t.equal(await bodyOf('/menu/main'), '{"closed":true}')
  t.equal(await bodyOf('/menu/main?text'), 'a text')
})

// Servers of the public protocol send null for what a screen lacks. The published schema says where it may stand.

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../schemas/generated/json/${name}.json`, import.meta.url), 'utf8'))
const isValid = new Ajv2020({ strict: false }).compile(read('ScreenContract'))

const text = fc.string({ unit: 'grapheme' })
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value)
const json = fc.jsonValue({ maxDepth: 2 })
/** Properties that the contract does not know, which may have any value. */
const more = { lines: orNull(json), ui_strings: orNull(json), '': json }
const field = fc.record(
  { id: text, label: text, type: text, value: orNull(text), ...more },
  { requiredKeys: ['id', 'label', 'type'] }
)
const section = fc.record(
  { id: text, label: text, fields: fc.array(field, { maxLength: 3 }), ...more },
  { requiredKeys: ['id', 'label', 'fields'] }
)
const screen = fc.record(
  {
    layout: text,
    title: orNull(text),
    auth_action: orNull(text),
    sections: orNull(fc.array(section, { maxLength: 3 })),
    menu: orNull(fc.dictionary(text, json)),
    user_display_name: orNull(text),
    ...more
  },
  { requiredKeys: ['layout'] }
)

/** What a client parses from the text of a value. */
const parsed = (value: unknown) => JSON.parse(JSON.stringify(value))

for (const enabled of [true, false])
  t.test(`a screen with null goes out unchanged, enabled: ${enabled}`, async t => {
    let sent: ScreenContract
    const app = emptyHost(t)
    const schema = { response: { 200: ScreenContract } }
    app.get('/early', { schema }, async () => sent)
    await app.register(screenAuth, { ...options({ mainMenu: () => sent }), enabled } as never)
    app.get('/screen', { schema }, async () => sent)
    app.get('/public', { schema, config: { screenAuth: false } }, async () => sent)
    const headers = bearer(forge())
    await fc.assert(
      fc.asyncProperty(screen, async screen => {
        sent = screen as ScreenContract
        t.ok(isValid(screen) || t.fail(JSON.stringify(isValid.errors)))
        const named = { ...parsed(screen), user_display_name: screen.user_display_name ?? ADA.displayName }
        for (const url of ['/early', '/screen', '/menu/main', '/public']) {
          const { body } = await app.inject({ url, headers })
          t.strictSame(JSON.parse(body), enabled && url !== '/public' ? named : parsed(screen), url)
        }
        if (enabled) t.strictSame((await logIn(app)).json().screen, named)
      }),
      { numRuns: 40 }
    )
  })

t.test('a value of another type goes out as text, where the schema says text', async t => {
  const app = await host(t)
  const fields = [5, 5n].map(value => ({ id: 'a', label: 'A', type: 'Number', value }))
  const slip = { layout: 'Card', title: 7, sections: [{ id: 's', label: 'S', fields }] } as never
  app.get('/slip', { schema: { response: { 200: ScreenContract } } }, async () => slip)
  const { title, sections } = (await app.inject({ url: '/slip', headers: bearer(forge()) })).json()
  t.strictSame([title, ...sections[0].fields.map((field: { value: unknown }) => field.value)], ['7', '5', '5'])
})

t.test('a property with the name of a keyword of JSON Schema is converted like all others', async t => {
  const app = await host(t)
  const names = ['$ref', 'anyOf', 'enum', 'if', 'nullable', 'type']
  const own = Object.fromEntries(names.map(name => [name, { anyOf: [{ type: 'string' }, { type: 'null' }] }]))
  const contract: TSchema = ScreenContract
  const schema = { ...contract, properties: { ...contract.properties, ...own } }
  const values = Object.fromEntries(names.map(name => [name, 5]))
  app.get('/own', { schema: { response: { 200: schema } } }, async () => ({ ...MENU, ...values, title: 7 }) as never)
  const screen = (await app.inject({ url: '/own', headers: bearer(forge()) })).json()
  for (const name of names) t.equal(screen[name], '5', name)
})

t.test('a route that sends no screen responds 500', async t => {
  const app = await host(t)
  const nothing = [null, undefined, { toJSON: () => null }, {}, []]
  for (const [i, value] of nothing.entries())
    app.get(`/${i}`, { schema: { response: { 200: ScreenContract } } }, async () => value as never)
  for (const i of nothing.keys()) {
    const { json } = await app.inject({ url: `/${i}`, headers: bearer(forge()) })
    t.match(json(), { statusCode: 500, message: /"layout" is required|the handler has returned no screen/ }, `${i}`)
  }
})

t.test('Fastify reports a response schema that is null', async t => {
  for (const missing of [null, ...[null, { schema: null }].map(json => ({ content: { 'application/json': json } }))]) {
    const app = await host(t)
    app.get('/null', { schema: { response: { 200: ScreenContract, 404: missing } } }, async () => MENU)
    await t.rejects(async () => app.ready(), /properties of null|Schema is missing/)
  }
})

t.test('a route may send nothing with another status, or in response to HEAD', async t => {
  const app = await host(t)
  const schema = { response: { 200: ScreenContract } }
  app.get('/moved', { schema }, async (_request, reply) => reply.redirect('/screen'))
  app.head('/screen-of-head', { schema }, async (_request, reply) => reply.send(undefined as never))
  const headers = bearer(forge())
  t.equal((await app.inject({ url: '/moved', headers })).statusCode, 302)
  t.equal((await app.inject({ method: 'HEAD', url: '/screen-of-head', headers })).statusCode, 200)
})

t.test('all routes that send only screens share a serializer, whatever their server', async t => {
  const found = new Set<unknown>()
  for (const response of [{ 200: ScreenContract }, { '2xx': { ...ScreenContract } }, { default: ScreenContract }]) {
    const app = await host(t)
    const find = (reply: FastifyReply) => Object.keys(response).map(status => reply.getSerializationFunction(status))
    app.get('/shared', { schema: { response } }, async (_request, reply) => {
      for (const serialize of find(reply)) found.add(serialize)
      return MENU
    })
    for (const method of ['GET', 'HEAD'] as const)
      await app.inject({ method, url: '/shared', headers: bearer(forge()) })
  }
  t.equal(found.size, 1)
})

for (const [what, mainMenu] of [
  ['declares a third parameter', (note, _user, _request, signal) => note(signal)],
  ['returns a promise', async (note, ...args) => note(args[2])],
  ['does neither', (note, ...args) => note(args[2])]
] as [string, (note: (signal: unknown) => unknown, ...args: Parameters<MainMenu>) => unknown][])
  t.test(`each menu has a signal of its own, from the first on, for a function that ${what}`, async t => {
    const signals = new Set<unknown>()
    const note = (signal: unknown) => signals.add(signal) && MENU
    const app = await host(t, { mainMenu: mainMenu.bind(null, note) })
    for (let i = 0; i < 3; i++) await app.inject({ url: '/menu/main', headers: bearer(forge()) })
    t.equal([...signals].filter(signal => signal instanceof AbortSignal && !signal.aborted).length, 3)
  })
