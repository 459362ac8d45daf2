import { Type } from '@sinclair/typebox'
import type { RouteHandlerMethod } from 'fastify'
import t from 'tap'
import { AuthResponse, ScreenContract } from '../../../schemas/index.ts'
import { ADA, bearer, collectLog, FAILURE, forge, host, logIn, MENU } from '../../helpers.ts'

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

const own = { ...ScreenContract, $id: undefined, title: 'Mine' }
const text = { type: 'string' }
const extended: [name: string, schema: object][] = [
  ['a copy without its id', own],
  ['a composite', Type.Composite([ScreenContract, Type.Object({ more: Type.String() })] as never)],
  ['an intersection', Type.Intersect([ScreenContract, Type.Object({ more: Type.String() })] as never)],
  ['an intersection by reference', { type: 'object', allOf: [{ $ref: 'ScreenContract#' }, { type: 'object' }] }],
  ['a union', Type.Union([Type.Object({ rows: Type.Array(Type.String()) }), ScreenContract] as never)],
  ['one of two media types', { content: { 'application/json': { schema: own }, 'text/csv': { schema: text } } }],
  ['a choice', { oneOf: [{ type: 'null' }, ScreenContract] }]
]

for (const [name, schema] of extended)
  t.test(`the display name is added to a screen whose schema is ${name} of ScreenContract`, async t => {
    const log = collectLog()
    const app = await host(t, {}, log)
    app.addSchema(ScreenContract)
    const inText = JSON.stringify(schema).replaceAll('"$id":"ScreenContract",', '')
    const inlined = JSON.parse(inText)
    class Getters {
      layout = 'Card'
      get more() {
        return 'x'
      }
    }
    app.get('/extended', { schema: { response: { 200: inlined } } }, async () => ({ layout: 'Card', more: 'x' }))
    app.get('/empty', { schema: { response: { 200: inlined } } }, async () => undefined)
    app.get('/instance', { schema: { response: { 200: inlined } } }, async () => new Getters())
    const headers = bearer(forge())
    const named = { layout: 'Card', more: 'x', user_display_name: ADA.displayName }
    t.strictSame((await app.inject({ url: '/extended', headers })).json(), named)
    const { more } = (await app.inject({ url: '/instance', headers })).json()
    t.equal(more, inText.includes('"more"') ? 'x' : undefined)
    t.match(await app.inject({ url: '/empty', headers }), { statusCode: 200, body: '' })
    t.notMatch(log.text(), /without the name/)
  })

t.test('other responses have no display name, and the log says once how each route of a screen gets it', async t => {
  const log = collectLog()
  const app = await host(t, {}, log)
  const any = { type: 'object', additionalProperties: true }
  const screen = { layout: 'Card', title: 'x' }
  const send = (payload: unknown, status = 200): RouteHandlerMethod => {
    return async (_request, reply) => reply.code(status).send(payload)
  }
  const asJson = (payload: unknown): RouteHandlerMethod => {
    return async (_request, reply) => reply.serializer(JSON.stringify).send(payload)
  }
  const fix = 'add `schema: { response: { 200: ScreenContract } }` to the route'
  const routes: [url: string, response: object, handler: RouteHandlerMethod, fix?: string][] = [
    ['/without', {}, send(screen), fix],
    ['/only-400', { 400: ScreenContract }, send(screen), fix],
    ['/own-schema', { 200: any }, send(screen), fix],
    ['/content', { 200: { content: { 'application/json': { schema: any } } } }, send(screen), fix],
    ['/created', { 201: ScreenContract }, send(screen, 201), `send it with status 200, and ${fix}`],
    ['/rare', {}, send(screen, 299), `send it with status 200, and ${fix}`],
    ['/own-layout', {}, send({ layout: 'A4' }), fix],
    ['/error', { 200: ScreenContract }, send(screen, 400)],
    ['/print', { 200: any }, send({ layout: 'A4' })],
    ['/data', {}, send({ rows: [] })],
    ['/named', {}, send({ ...screen, user_display_name: '' })],
    ['/auth-response', { 200: AuthResponse }, send({ ...FAILURE, error: 'x' })],
    ['/to-null', { '2xx': ScreenContract }, asJson({ toJSON: () => null })],
    ['/array', { '2xx': ScreenContract }, asJson([screen])],
    ['/null', {}, send(null)]
  ]
  for (const [url, response, handler] of routes) app.get(url, { schema: { response } }, handler)
  app.get('/open', { config: { screenAuth: false } }, send(screen))
  const schema = { response: { 200: ScreenContract } }
  app.get('/open-screen', { config: { screenAuth: false }, schema }, send(screen))
  app.setNotFoundHandler(send(screen))
  await app.inject({ method: 'HEAD', url: '/without', headers: bearer(forge()) })
  for (const url of [...routes.map(([url]) => url), '/without', '/open', '/open-screen', '/unknown']) {
    const { statusCode, body } = await app.inject({ url, headers: bearer(forge()) })
    t.not(statusCode, 500, url)
    t.notMatch(body, ADA.displayName, url)
  }
  const told = routes.filter(([, , , fix]) => fix)
  t.strictSame(
    log.warnings(),
    told.map(([url, , , fix]) => `screen-auth: GET ${url} has sent a screen without the name of its user; ${fix}`)
  )
})
