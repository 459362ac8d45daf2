import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import t from 'tap'
import { z } from 'zod'
import { errorCodes, jwtTokens, type LoginFields, type ScreenUser } from '../../lib/index.ts'
import type { AuthRequest } from '../../schemas/index.ts'
import { turns } from '../clock.ts'
import { ADA, bearer, collectLog, deferred, FAILURE, forge, logIn, PASSWORD, SECRET, throwing } from '../helpers.ts'
import { closed, hostWith, loginWorks } from './closed.ts'

const EARLY = ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const

const failing = throwing('a secret of the host', { statusCode: 418 })
const broken = throwing('the host is in the way')
const any = { type: 'object' }

/** An onRoute hook that sets options of all routes. */
const setting = (optionsOf: (route: RouteOptions) => object) => (app: FastifyInstance) =>
  void app.addHook('onRoute', route => void Object.assign(route, optionsOf(route)))

/** An onRoute hook that adds to the schemas of all routes. */
const adding = (schema: object) => setting(route => ({ schema: { ...route.schema, ...schema } }))

/** An onRequest hook that changes the request of the server. */
const changing = (property: string, value: unknown) => (app: FastifyInstance) =>
  app.addHook('onRequest', async ({ raw }) => void Object.defineProperty(raw, property, { value }))

/** Hosts with hooks and settings for all routes, the three of the plugin included. */
const HOSTS: Record<string, (app: FastifyInstance) => unknown> = {
  attachValidation: setting(() => ({ attachValidation: true })),
  'a validator that accepts everything': setting(() => ({ validatorCompiler: () => () => true })),
  'a validator that accepts nothing': setting(() => ({ validatorCompiler: () => () => false })),
  'a validator for schemas of another kind': setting(() => ({ validatorCompiler: broken })),
  'a serializer for schemas of another kind': setting(() => ({ serializerCompiler: broken })),
  'a serializer of its own': setting(() => ({ serializerCompiler: () => () => '"other"' })),
  'no schemas': setting(() => ({ schema: undefined })),
  'a body schema that accepts nothing': setting(({ method }) => (method === 'POST' ? { schema: { body: false } } : {})),
  'schemas of headers, query and parameters': adding({ headers: any, querystring: any, params: any }),
  'schemas of responses': adding({ response: { 200: any, '4xx': any, '5xx': any } }),
  'zod schemas': app => {
    app.setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler)
    adding({ headers: z.object({}), querystring: z.object({}) })(app)
  },
  'a large bodyLimit': setting(() => ({ bodyLimit: 1e6 })),
  'a small bodyLimit': setting(() => ({ bodyLimit: 1 })),
  'an errorHandler of each route': setting(() => ({ errorHandler: async () => 'fine' })),
  'another config': setting(() => ({ config: {} })),
  'a config that opens all routes': setting(() => ({ config: { screenAuth: false } })),
  'a config in all scopes': app =>
    app.addHook(
      'onRegister',
      setting(() => ({ config: { screenAuth: false } }))
    ),
  'a list of methods': setting(({ method }) => ({ method: [method].flat() })),
  'other settings': setting(() => ({ exposeHeadRoute: false, logLevel: 'silent', schemaErrorFormatter: broken })),
  'hooks in place of others': setting(() => Object.fromEntries(EARLY.map(name => [name, async () => {}]))),
  'a wrapped handler': setting(({ handler }) => ({ handler: (...args: never) => Reflect.apply(handler, null, args) })),
  'a preHandler hook that reads the fields': app =>
    app.addHook('preHandler', async ({ body }) => void (body && Object.keys((body as AuthRequest).fields))),
  'a preSerialization hook that wraps payloads': app =>
    app.addHook('preSerialization', async (_, __, data) => ({ data })),
  'parsers of its own': app => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('application/json', broken)
    app.addContentTypeParser('*', (_request, _body, done) => done(null, { fields: { username: 'ada', password: 'x' } }))
  },
  'compilers of its own': app => app.setValidatorCompiler(broken).setSerializerCompiler(broken),
  'a serializer of replies': app => app.setReplySerializer(() => '"enveloped"'),
  'handlers of errors': app => app.setSchemaErrorFormatter(broken).setErrorHandler(async () => 'fine'),
  'an adapter without a socket': changing('socket', undefined),
  'an adapter whose socket is a plain object': changing('socket', { remoteAddress: '192.0.2.1', readable: false }),
  'a server without rawHeaders': changing('rawHeaders', undefined)
}

const loginWith = (password: unknown) => JSON.stringify({ fields: { username: 'ada', password } })
const HOSTILE = ['null', '[]', '{}', ...[1, { $ne: null }, 'x\0', '\ud800'].map(loginWith)]

for (const [name, add] of Object.entries(HOSTS))
  for (const isBefore of [true, false])
    t.test(`${name}, set ${isBefore ? 'before' : 'after'} the plugin, does not change its routes`, async t => {
      const checked: unknown[] = []
      const checkCredentials = ({ password }: LoginFields) =>
        checked.push(password) && (password === PASSWORD ? ADA : null)
      const { app } = await hostWith(t, add, { isBefore, checkCredentials })
      await loginWorks(t, app)
      t.equal((await app.inject('/menu/main')).statusCode, 401)
      for (const [status, payload, type = 'application/json'] of [
        ...HOSTILE.map(payload => [400, payload] as const),
        [413, loginWith('x'.repeat(17_000))] as const,
        [415, loginWith(PASSWORD), 'text/plain'] as const
      ]) {
        const headers = { 'content-type': type }
        const login = await app.inject({ method: 'POST', url: '/auth/login', headers, payload })
        t.match([login.statusCode, login.json()], [status, FAILURE], payload.slice(0, 60))
      }
      t.strictSame(checked, ['wrong', PASSWORD])
    })

for (const hook of ['preValidation', 'preHandler'] as const)
  t.test(`a body that a ${hook} hook has replaced is validated`, async t => {
    const { app } = await hostWith(t, app =>
      app.addHook(hook, async request => {
        request.body = JSON.parse(String(request.headers['x-body']))
      })
    )
    for (const payload of HOSTILE) {
      const headers = { 'x-body': payload }
      const login = await app.inject({ method: 'POST', url: '/auth/login', headers, payload: { fields: {} } })
      t.match([login.statusCode, login.json()], [400, FAILURE], payload)
    }
  })

t.test('a header that a host requires of all requests is required of a login', async t => {
  const headers = { type: 'object', required: ['x-tenant'], properties: { 'x-tenant': { type: 'string' } } }
  const { app } = await hostWith(t, adding({ headers }))
  const login = await logIn(app)
  t.match([login.statusCode, login.json()], [400, FAILURE])
  const payload = { fields: { username: ADA.username, password: PASSWORD } }
  const right = await app.inject({ method: 'POST', url: '/auth/login', headers: { 'x-tenant': 'a' }, payload })
  t.equal(right.json().success, true)
})

t.test('an error handler that always sends 200 opens no route', async t => {
  const jwts = jwtTokens({ secret: SECRET })
  for (const isBefore of [true, false]) {
    const host = await hostWith(
      t,
      app => app.setErrorHandler((_error, _request, reply) => reply.code(200).send('fine')),
      { isBefore, tokens: { ...jwts, verify: (token: string) => (token === 'down' ? broken() : jwts.verify(token)) } }
    )
    host.app.get('/broken', failing)
    await closed(t, host, ['/screen', '/broken', { url: '/none', status: 404 }])
    t.equal((await host.app.inject({ url: '/broken', headers: bearer(forge()) })).body, 'fine')
    host.ran.length = 0
    t.match(await host.app.inject({ url: '/screen', headers: bearer('down') }), { statusCode: 503, body: '' })
    t.strictSame(host.ran, [])
  }
})

for (const hook of EARLY)
  for (const isBefore of [true, false])
    for (const throws of [true, false])
      t.test(`${hook}: what a hook ${throws ? 'throws' : 'sends'} is the response, and no handler runs`, async t => {
        const refuse = throws ? failing : (_: unknown, reply: FastifyReply) => reply.code(418).send()
        const add = (app: FastifyInstance) =>
          app.addHook(hook as 'onRequest', async (request, reply) => refuse(request, reply))
        const { app, ran } = await hostWith(t, add, { isBefore })
        // A hook of the host that runs before the guard decides.
        t.equal((await app.inject('/screen')).statusCode, hook === 'onRequest' && isBefore ? 418 : 401)
        t.equal((await app.inject({ url: '/screen', headers: bearer(forge()) })).statusCode, 418)
        const login = await logIn(app)
        t.equal(login.statusCode, 418)
        if (throws) t.match(login.json(), FAILURE)
        t.notMatch(login.body, /secret/)
        t.strictSame(ran, [])
      })

for (const [what, thrown, status, before = 200] of [
  ['nothing', undefined, 500],
  ['null', null, 500],
  ['text', 'text', 500],
  ['an error', new Error('broken'), 500],
  ['an error after it has set the status 429', new Error('broken'), 429, 429],
  ['an error after it has set the status 201', new Error('broken'), 500, 201],
  ['the error of a wrong argument', new errorCodes.FST_SCREEN_AUTH_WRONG_ARGUMENT('x'), 500],
  ['a frozen error', Object.freeze(new Error('frozen')), 500],
  ['a plain object of 429', { statusCode: 429, message: 'slow down' }, 429],
  ['a status of 429', Object.assign(new Error(), { status: 429 }), 429],
  ['an overload', Object.assign(new Error('busy'), { statusCode: 503 }), 503],
  ...['abc', 200, 400.5, 600, 1000].map(
    statusCode => [`a status of ${statusCode}`, Object.assign(new Error(), { statusCode }), 500] as const
  )
] as const)
  t.test(`a login gets an AuthResponse when a hook throws ${what}, and no handler runs`, async t => {
    const log = collectLog()
    const add = (app: FastifyInstance) =>
      app.addHook('preHandler', async (_request, reply) => {
        reply.code(before)
        throw thrown
      })
    const { app, ran } = await hostWith(t, add, { serverOptions: log })
    const login = await logIn(app)
    t.match(login.json(), { ...FAILURE, error: status === 429 ? /refused/ : /Try again later/ })
    t.equal(login.statusCode, status)
    t.equal(login.headers['retry-after'], status === 503 ? '5' : undefined)
    // pino cannot log a frozen error.
    if (what !== 'a frozen error') t.strictSame(log.warnings(), status < 500 ? [] : ['screen-auth: login failed'])
    t.equal((await app.inject('/screen')).statusCode, 401)
    t.not((await app.inject({ url: '/screen', headers: bearer(forge()) })).body, 'x')
    t.strictSame(ran, [])
  })

t.test('an onSend hook that throws causes an AuthResponse or an error, without a token', async t => {
  const { app, ran } = await hostWith(t, app => app.addHook('onSend', async () => failing()))
  const login = await logIn(app)
  for (const response of [await app.inject('/screen'), await app.inject('/auth/login'), login]) {
    t.ok(response.statusCode >= 400, String(response.statusCode))
    t.notMatch(response.body, /eyJ/)
  }
  t.match(login.json(), { ...FAILURE, error: /Try again later/ })
  t.strictSame(ran, [])
})

const down = { tokens: { issue: () => 'x', verify: () => Promise.reject(new Error('the store is down')) } }
for (const [what, hook, overrides, expected] of [
  ['a page', (reply: FastifyReply) => reply.code(200), {}, /turned a 401 of the guard into a 200/],
  ['a redirect', (reply: FastifyReply) => reply.code(302).header('location', '/'), {}, /turned a 401 .* into a 302/],
  ['a raw response', (reply: FastifyReply) => void reply.hijack().raw.writeHead(303).end(), {}, /a 401 .* into a 303/],
  ['a 401', (reply: FastifyReply) => reply.code(401), down, /turned a 503 of the guard into a 401/],
  ['a header', (reply: FastifyReply) => reply.header('x-own', 'x'), {}, null]
] as const)
  t.test(`a hook that makes ${what} of a refusal is told ${expected ? 'once' : 'never'}`, async t => {
    const log = collectLog()
    const add = (app: FastifyInstance) =>
      app.addHook('onSend', (request, reply, payload, done) => {
        if (request.screenUser === null && request.routeOptions.url === '/screen') hook(reply)
        if (!reply.raw.headersSent) done(null, payload)
      })
    const { app } = await hostWith(t, add, { serverOptions: log, ...overrides })
    for (let i = 0; i < 2; i++) await app.inject({ url: '/screen', headers: bearer('x') })
    const warnings = log.warnings().filter(text => text !== 'screen-auth: the token service failed')
    const told = warnings.map(text => expected?.test(text))
    t.strictSame(told, expected ? [true] : [])
  })

t.test('what outlasts handlerTimeout gets a 503, and no handler runs later', async t => {
  const log = collectLog()
  const { promise, resolve } = deferred<ScreenUser>()
  const { app, ran } = await hostWith(t, undefined, {
    serverOptions: { ...log, handlerTimeout: 30 },
    checkCredentials: () => promise,
    tokens: { issue: () => 'token', verify: () => promise }
  })
  const login = await logIn(app)
  t.match([login.statusCode, login.json()], [503, FAILURE])
  t.match(log.text(), 'Request timed out after 30 ms on route')
  t.equal((await app.inject({ url: '/screen', headers: bearer('token') })).statusCode, 503)
  resolve(ADA)
  await turns()
  t.strictSame(ran, [])
})

t.test('a preHandler hook closes the login for maintenance, as docs/logins.md shows', async t => {
  const closed = { success: false, token: null, error: 'Closed until midnight.', screen: null }
  const close = async ({ method, routeOptions }: FastifyRequest, reply: FastifyReply) => {
    if (method === 'POST' && routeOptions.url === '/auth/login') return reply.send(closed)
  }
  const { app } = await hostWith(t, app => app.addHook('preHandler', close))
  t.strictSame((await logIn(app)).json(), closed)
})
