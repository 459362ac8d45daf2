// What hosts do that the plugin must live with, from reports of other plugins.
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json, text } from 'node:stream/consumers'
import type { FastifyInstance, FastifyReply } from 'fastify'
import t, { type Test } from 'tap'
import screenAuth, { opaqueTokens, type ScreenAuthOptions } from '../../lib/index.ts'
import { ADA, bearer, collectLog, emptyHost, FAILURE, forge, host, listen, logIn, options, portOf } from '../helpers.ts'

const strategy = (name: string) => ({
  name,
  storage: () => {
    const handlers = new Map<unknown, unknown>()
    return {
      get: (key: unknown) => handlers.get(key) ?? null,
      set: (key: unknown, value: unknown) => handlers.set(key, value)
    }
  },
  validate: () => true,
  deriveConstraint: () => undefined
})
const cycle: { self?: object } = {}
cycle.self = cycle

for (const [what, value] of Object.entries({ array: ['2', '3'], cycle }))
  for (const enabled of [true, false])
    t.test(`a host starts with a constraint of its own whose value is ${what}, enabled: ${enabled}`, async t => {
      const { logger, text } = collectLog()
      const constraints = { version: strategy('version'), host: strategy('host') }
      const app = emptyHost(t, { logger, constraints } as object)
      const schema = { response: { 200: { $id: 'ScreenContract' } } }
      app.get('/early', { schema }, async () => ({ layout: 'Card' }))
      await app.register(screenAuth, { ...options(), enabled } as ScreenAuthOptions)
      app.get('/screen', { constraints: { version: value as string } }, async () => 'x')
      const misspelt = { config: { screenauth: false } as object }
      t.throws(() => app.get('/open', misspelt, async () => 'x'), { message: /GET \/open has `config.screenauth`/ })
      t.equal((await app.inject('/early')).statusCode, enabled ? 401 : 200)
      if (!enabled) return
      t.match(text(), 'every route under / needs a token except the public ones')
      const screen = await app.inject({ url: '/early', headers: bearer(forge()) })
      t.equal(screen.json().user_display_name, ADA.displayName)
    })

t.test('a polluted Object.prototype opens no route, and logs nobody in', async t => {
  const app = await host(t)
  Object.assign(Object.prototype, { screenAuth: false, user: ADA })
  t.teardown(() => ['screenAuth', 'user'].map(name => Reflect.deleteProperty(Object.prototype, name)))
  t.equal((await app.inject('/screen')).statusCode, 401)
  t.equal((await logIn(app, { username: 'ada', password: 'wrong' })).json().token, null)
  t.equal((await app.inject('/auth/login')).statusCode, 200)
})

t.test('a prefix that repeats the prefix of its scope is logged', async t => {
  const { logger, text } = collectLog()
  const app = emptyHost(t, { logger })
  app.register(async scope => scope.register(screenAuth, { ...options(), prefix: '/api' }), { prefix: '/v1/api' })
  await app.ready()
  t.match(text(), 'option `prefix` adds /api to the prefix /v1/api of the scope; leave it out')
})

t.test('the start names middleware as unguarded if its plugin was registered before', async t => {
  for (const isBefore of [true, false]) {
    const { logger, text } = collectLog()
    const app = emptyHost(t, { logger })
    if (isBefore) app.decorate('use', () => {})
    await app.register(screenAuth, options())
    if (!isBefore) app.decorate('use', () => {})
    await app.ready()
    t.equal(/POST \/auth\/login, and all middleware of `app.use`/.test(text()), isBefore)
  }
})

/** A platform that reads the body of each request before it calls Fastify. */
async function platform(t: Test, app: FastifyInstance): Promise<string> {
  await app.ready()
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    app.routing(request, response)
  })
  await new Promise<void>(resolve => server.listen(0, resolve))
  t.teardown(() => server.close())
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

t.test('a login whose body was read before gets a 503 after checks.timeout, and the log blames the server', async t => {
  const log = collectLog()
  const url = await platform(t, await host(t, { checks: { timeout: 1 } }, log))
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/auth/login`, { method: 'POST', headers, body: '{"fields":{}}' })
  t.equal(response.status, 503)
  t.equal(response.headers.get('connection'), 'keep-alive')
  t.match(await response.json(), FAILURE)
  const error = log.lines.find(({ level }) => level === 50)
  t.match(error, { outcome: 'failed', err: { code: 'FST_SCREEN_AUTH_LOGIN_TIMED_OUT' } })
})

t.test('a login whose body does not arrive within checks.timeout gets a 408, and is not checked later', async t => {
  const log = collectLog()
  const outcomes = listen(t, 'login', ({ outcome }) => outcome)
  let checks = 0
  const app = emptyHost(t, log)
  // In place of the hooks of the route.
  app.addHook('onRoute', route => void Object.assign(route, { onRequest: async () => {} }))
  app.addHook('preParsing', async (_request, _reply, body) => void (await text(body)))
  await app.register(screenAuth, options({ checks: { timeout: 1 }, checkCredentials: () => checks++ && ADA }))
  const headers = { 'content-type': 'application/json' }
  const login = request({ port: await portOf(app), path: '/auth/login', method: 'POST', headers })
  login.flushHeaders()
  const [response] = await once(login, 'response')
  login.on('error', () => {}).end('{"fields":{"username":"ada","password":"x"}}')
  t.match([response.statusCode, response.headers.connection], [408, 'close'])
  t.match(await json(response), { ...FAILURE, error: 'Login is unavailable. Try again later.' })
  await app.close()
  t.strictSame([checks, outcomes], [0, ['malformed']])
  t.strictSame([...new Set(log.lines.map(({ level }) => level))], [30])
  t.match(log.text(), 'the body did not arrive in time')
})

for (const [isTold, cacheControl] of [
  [true, 'public'],
  [true, 'Public, max-age=60'],
  [true, 's-maxage=60'],
  [true, 'max-age=60, must-revalidate'],
  [false, 'max-age=60'],
  [false, 'public, max-age=0'],
  [false, 'public, max-age=60, s-maxage=0'],
  [false, 'public, no-cache'],
  [false, 'private, s-maxage=60'],
  [false, 'no-store, public']
] as [boolean, string][])
  t.test(`\`${cacheControl}\` on a guarded route is ${isTold ? 'told once' : 'not told'}`, async t => {
    const log = collectLog()
    const app = await host(t, {}, log)
    const headers = { 'cache-control': cacheControl }
    const send = async (_request: unknown, reply: FastifyReply) => reply.headers(headers).send('x')
    app.get('/own', send)
    app.get('/:open', { config: { screenAuth: false } }, send)
    for (const url of ['/open', '/own', '/own'])
      t.match((await app.inject({ url, headers: bearer(forge()) })).headers, headers)
    const told = log.warnings().map(text => text.startsWith('screen-auth: GET /own has a `Cache-Control`'))
    t.strictSame(told, isTold ? [true] : [])
  })

t.test('a function of a token service that is replaced later has no effect', async t => {
  const tokens = opaqueTokens()
  const app = await host(t, { tokens })
  tokens.verify = async () => ADA
  t.equal((await app.inject({ url: '/screen', headers: bearer('forged') })).statusCode, 401)
})

t.test('guarded responses stay out of shared caches, unless the host sets the header', async t => {
  const app = await host(t)
  app.get('/public', { config: { screenAuth: false } }, async () => 'x')
  app.get('/own', async (_request, reply) => reply.header('cache-control', 'max-age=9').send('x'))
  app.get('/raw', async (_request, reply) => {
    reply.raw.setHeader('cache-control', 'max-age=8')
    return 'x'
  })
  const cacheOf = async (url: string) =>
    (await app.inject({ url, headers: bearer(forge()) })).headers['cache-control'] ?? null
  const urls = ['/screen', '/none', '/own', '/raw', '/public', '/menu/main', '/auth/login']
  const caches = await Promise.all(urls.map(cacheOf))
  const guarded = 'private, no-cache'
  t.strictSame(caches, [guarded, guarded, 'max-age=9', 'max-age=8', null, 'no-store', 'no-store'])
})
