import { Type } from '@sinclair/typebox'
import type { FastifyReply, RouteHandlerMethod } from 'fastify'
import t from 'tap'
import screenAuth from '../../../lib/index.ts'
import { AuthResponse, ScreenContract } from '../../../schemas/index.ts'
import { ADA, bearer, collectLog, emptyHost, FAILURE, forge, host, logIn, MENU, options } from '../../helpers.ts'

t.test('the plugin does not modify a screen object of the host, which may be frozen', async t => {
  const app = await host(t, { mainMenu: () => Object.freeze(MENU) })
  const shared = { layout: 'Card', title: 'Shared' }
  app.get('/shared', { schema: { response: { 200: ScreenContract } } }, async () => shared)
  for (const name of ['Ada', 'Grace']) {
    const headers = bearer(forge({ sub: name, display_name: name, iat: 1, exp: 4e9 }))
    t.equal((await app.inject({ url: '/shared', headers })).json().user_display_name, name)
    t.equal((await app.inject({ url: '/menu/main', headers })).json().user_display_name, name)
  }
  t.strictSame(shared, { layout: 'Card', title: 'Shared' })
  t.notOk('user_display_name' in MENU)
})

t.test('a screen may be an instance of a class, with private members, getters or toJSON', async t => {
  class WithGetter {
    layout = 'Card'
    extra = 1
    #title = 'From a getter'
    get title() {
      return this.#title
    }
    get user_display_name() {
      return undefined
    }
  }
  class WithToJson {
    toJSON() {
      return { layout: 'Card', title: 'From toJSON' }
    }
  }
  for (const [screen, expected] of [
    [new WithGetter(), { layout: 'Card', title: 'From a getter', extra: 1 }],
    [new WithToJson(), { layout: 'Card', title: 'From toJSON' }]
  ] as const) {
    const app = await host(t, { mainMenu: () => screen })
    app.get('/own', { schema: { response: { 200: ScreenContract } } }, async () => screen as unknown as ScreenContract)
    const named = { ...expected, user_display_name: ADA.displayName }
    for (const url of ['/own', '/menu/main']) {
      t.strictSame((await app.inject({ url, headers: bearer(forge()) })).json(), named, url)
    }
    t.strictSame((await logIn(app)).json().screen, named)
    const open = await host(t, { enabled: false, mainMenu: () => screen })
    t.strictSame((await open.inject('/menu/main')).json(), expected)
  }
})

t.test('the display name is not added to a screen that a hook of the host has wrapped', async t => {
  const app = emptyHost(t)
  app.addHook('preSerialization', async (_request, _reply, payload) => ({ data: payload }))
  await app.register(screenAuth, options())
  const schema = { response: { 200: ScreenContract } }
  app.get('/wrapped', { schema, serializerCompiler: () => JSON.stringify }, async () => MENU)
  t.strictSame((await app.inject({ url: '/wrapped', headers: bearer(forge()) })).json(), { data: MENU })
})

t.test('the display name is not added to other responses', async t => {
  const app = await host(t)
  const screen = { layout: 'Card', title: 'x' }
  const any = { type: 'object', additionalProperties: true }
  const show = async () => screen
  const asJson = (value: unknown) => async (_request: unknown, reply: FastifyReply) => {
    reply.serializer(JSON.stringify)
    return value
  }
  const fail = async (_request: unknown, reply: FastifyReply) => {
    reply.code(400)
    return { layout: 'Card' }
  }
  const others: Record<string, [response: object | undefined, handler: RouteHandlerMethod, config?: object]> = {
    '/no-schema': [undefined, show],
    '/other-schema': [{ 200: any }, show],
    '/content': [{ 200: { content: { 'application/json': { schema: any } } } }, show],
    '/auth-response': [{ 200: AuthResponse }, async () => ({ ...FAILURE, error: 'x' })],
    '/error': [{ 200: ScreenContract }, fail],
    '/to-null': [{ '2xx': ScreenContract }, asJson({ toJSON: () => null })],
    '/array': [{ '2xx': ScreenContract }, asJson([screen])],
    '/open': [{ 200: ScreenContract }, show, { screenAuth: false }],
    '/null': [undefined, async () => null]
  }
  for (const [url, [response, handler, config = {}]] of Object.entries(others))
    app.get(url, { config, ...(response && { schema: { response } }) }, handler)
  for (const url of Object.keys(others)) {
    const response = await app.inject({ url, headers: bearer(forge()) })
    t.not(response.statusCode, 500, url)
    t.notMatch(response.body, /user_display_name/, url)
  }
})

const extended: [name: string, schema: object][] = [
  ['a copy without its id', { ...ScreenContract, $id: undefined, title: 'Mine' }],
  ['a composite', Type.Composite([ScreenContract, Type.Object({ more: Type.String() })] as never)],
  ['an intersection', Type.Intersect([ScreenContract, Type.Object({ more: Type.String() })] as never)],
  ['an intersection by reference', { type: 'object', allOf: [{ $ref: 'ScreenContract#' }, { type: 'object' }] }],
  ['a union', Type.Union([Type.Object({ rows: Type.Array(Type.String()) }), ScreenContract] as never)],
  ['a choice', { oneOf: [{ type: 'null' }, ScreenContract] }]
]

for (const [name, schema] of extended)
  t.test(`the display name is added to a screen whose schema is ${name} of ScreenContract`, async t => {
    const log = collectLog()
    const app = await host(t, {}, log)
    app.addSchema(ScreenContract)
    const inlined = JSON.parse(JSON.stringify(schema).replaceAll('"$id":"ScreenContract",', ''))
    app.get('/extended', { schema: { response: { 200: inlined } } }, async () => ({ layout: 'Card', more: 'x' }))
    app.get('/empty', { schema: { response: { 200: inlined } } }, async () => undefined)
    const headers = bearer(forge())
    const named = { layout: 'Card', more: 'x', user_display_name: ADA.displayName }
    t.strictSame((await app.inject({ url: '/extended', headers })).json(), named)
    t.match(await app.inject({ url: '/empty', headers }), { statusCode: 200, body: '' })
    t.notMatch(log.text(), /without the name/)
  })

t.test('each route that sends screens without a name is logged once, with the fix', async t => {
  const log = collectLog()
  const app = await host(t, {}, log)
  const own = { type: 'object', additionalProperties: true }
  const send = (payload: object, status = 200) => {
    return async (_request: unknown, reply: FastifyReply) => reply.code(status).send(payload)
  }
  const screen = { layout: 'Card' }
  const fix = 'add `schema: { response: { 200: ScreenContract } }` to the route'
  const routes: [url: string, response: object, handler: RouteHandlerMethod, fix?: string][] = [
    ['/without', {}, send(screen), fix],
    ['/only-400', { 400: ScreenContract }, send(screen), fix],
    ['/own-schema', { 200: own }, send(screen), fix],
    ['/created', { 201: ScreenContract }, send(screen, 201), `send it with status 200, and ${fix}`],
    ['/not-created', { 201: ScreenContract }, send(screen, 400)],
    ['/print', { 200: own }, send({ layout: 'A4' })],
    ['/data', {}, send({ rows: [] })],
    ['/named', {}, send({ ...screen, user_display_name: '' })]
  ]
  for (const [url, response, handler] of routes) app.get(url, { schema: { response } }, handler)
  app.setNotFoundHandler(send(screen))
  app.get('/open', { config: { screenAuth: false } }, send(screen))
  await app.inject({ method: 'HEAD', url: '/without', headers: bearer(forge()) })
  for (const url of [...routes.map(([url]) => url), '/without', '/open', '/unknown'])
    await app.inject({ url, headers: bearer(forge()) })
  t.strictSame(
    log.lines.filter(({ level }) => level === 40).map(({ msg }) => msg),
    routes.flatMap(([url, , , fix]) =>
      fix ? [`screen-auth: GET ${url} has sent a screen without the name of its user; ${fix}`] : []
    )
  )
})
