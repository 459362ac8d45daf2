import cluster from 'node:cluster'
import { createServer } from 'node:http'
import threads from 'node:worker_threads'
import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifyPluginCallback } from 'fastify'
import t, { type Test } from 'tap'
import screenAuth, { jwtTokens, loginLimits, opaqueTokens } from '../../../lib/index.ts'
import { collectLog, collectWarnings, emptyHost, options, SECRET } from '../../helpers.ts'
import { storeWith } from '../limits/attempts.ts'

const open = { config: { screenAuth: false } }
const handler = async () => 'x'

const inScope = (app: FastifyInstance, prefix = '', overrides: object = {}) =>
  app.register(async scope => scope.register(screenAuth, options(overrides)), { prefix })

/** Returns the log lines of a server until it is ready. */
async function logOf(t: Test, build: (app: FastifyInstance) => unknown, serverOptions: object = {}) {
  const { lines, ...log } = collectLog()
  const app = emptyHost(t, { ...log, ...serverOptions })
  await build(app)
  await app.ready()
  return lines
}

t.test('one info line lists every public route, also those from before the plugin', async t => {
  const lines = await logOf(t, app => {
    app.get('/before', open, handler)
    app.register(screenAuth, options())
    app.post('/after', open, handler)
    app.register(async child => child.get('/:id', open, handler), { prefix: '/child' })
    app.get('/guarded', handler)
  })
  const names = 'GET /auth/login, GET /before, GET /child/:id, POST /after, POST /auth/login'
  t.match(lines, [{ level: 30, msg: `screen-auth: every route under / needs a token except ${names}` }])
  t.equal(lines.length, 1)
})

for (const [what, count, urlOf, expected] of [
  ['eleven routes of a folder as one', 11, i => `/assets/${i}.js`, / GET \/assets\/… \(11 routes\)[,;]/],
  ['ten routes of a folder by name', 10, i => `/assets/${i}.js`, / GET \/assets\/0.js, .* GET \/assets\/9.js[,;]/],
  [
    'the number of routes if there are many',
    3000,
    i => `/${i}/index.html`,
    / GET \/0\/index.html, .*… \(300\d routes in all/
  ],
  ['the number of routes if names are long', 2, i => `/${i}${'x'.repeat(20_000)}`, / GET .*x… \(\d routes in all/]
] as [string, number, (i: number) => string, RegExp][])
  t.test(`the lists of public and of unguarded routes have ${what}, in at most 5 KB`, async t => {
    const addRoutes = (app: FastifyInstance, config: object) => {
      for (let i = 0; i < count; i++) app.get(urlOf(i), config, handler)
    }
    const [publicRoutes] = await logOf(t, app => addRoutes(app.register(screenAuth, options()), open))
    const [, unguarded] = await logOf(t, app => addRoutes(inScope(app), {}))
    for (const line of [publicRoutes, unguarded]) {
      t.match(line?.msg, expected)
      t.ok(JSON.stringify(line).length < 5000)
    }
  })

t.test('two apps on one server each list their own routes', async t => {
  const server = createServer()
  for (const url of ['/one', '/two']) {
    const build = (app: FastifyInstance) => app.register(screenAuth, options()).post(url, open, handler)
    const serverFactory = (handler: () => void) => server.on('request', handler)
    const [line] = await logOf(t, build, { serverFactory })
    t.match(line, { msg: new RegExp(`GET /auth/login, POST /auth/login, POST ${url}$`) })
  }
})

t.test('each scope lists only its own routes, from one list of all routes', async t => {
  let lists = (): unknown[] => []
  const lines = await logOf(t, app => {
    lists = t.capture(app, 'printRoutes', app.printRoutes)
    for (const prefix of ['/a', '/b'])
      inScope(app.get(`${prefix}-outside`, open, handler), prefix, { secret: SECRET + prefix })
  })
  for (const [i, prefix] of ['/a', '/b'].entries()) {
    const msg = `every route under ${prefix} needs a token except GET ${prefix}/auth/login, POST ${prefix}/auth/login`
    t.equal(lines[i]?.msg, `screen-auth: ${msg}`)
  }
  t.equal(lists().length, 1)
})

for (const [what, prefixes] of [
  // @fastify/autoload does this with a file that is not wrapped with fastify-plugin.
  ['a child scope', ['']],
  ['a scope with a prefix', ['/api']],
  ['two scopes', ['/a', '/b']]
] as const)
  t.test(`one warning lists the routes that a registration in ${what} does not guard`, async t => {
    const lines = await logOf(t, app => {
      for (const prefix of prefixes) inScope(app, prefix, { secret: SECRET + prefix })
      app.register(async scope => void scope.get('/beside', handler))
      app.get('/admin', handler)
      app.get('/open', open, handler)
      // As @fastify/cors does.
      app.options('*', handler)
    })
    const msg = /NOT guarded, .*: GET \/admin, GET \/beside; .*`config: { screenAuth: false }`.*fastify-plugin/
    t.match(
      lines.filter(({ level }) => level === 40),
      [{ msg }]
    )
    t.equal(lines.length, 1 + prefixes.length)
  })

t.test('routes that are marked as public, or guarded by another registration, cause no warning', async t => {
  const lines = await logOf(t, app => {
    for (const url of ['/', '/ab']) app.get(url, open, handler)
    for (const prefix of ['/a', '/a/b']) inScope(app, prefix, { secret: `${SECRET}${prefix}` })
  })
  const levels = lines.map(({ level }) => level)
  t.strictSame(levels, [30, 30])
})

const plugins = {
  '@fastify/cors': cors,
  '@fastify/helmet': helmet,
  '@fastify/rate-limit': rateLimit,
  '@fastify/swagger': swagger
}
const onRoot = (app: FastifyInstance) => app.register(screenAuth, options())
for (const [name, plugin] of Object.entries(plugins) as [string, FastifyPluginCallback][])
  for (const [isLate, when, build] of [
    [true, 'after this plugin', app => onRoot(app).register(plugin)],
    [true, 'after this plugin has loaded', app => onRoot(app).after(() => void app.register(plugin))],
    [true, 'around the scope of this plugin, later', app => inScope(app).register(plugin)],
    [false, 'before this plugin', app => onRoot(app.register(plugin))],
    [false, 'around the scope of this plugin, earlier', app => inScope(app.register(plugin))]
  ] as [boolean, string, (app: FastifyInstance) => unknown][])
    t.test(`${name} ${when} causes ${isLate ? 'a' : 'no'} warning`, async t => {
      const warnings = (await logOf(t, build)).filter(({ level }) => level === 40)
      const msg = new RegExp(`${name} came after this plugin: .*; register ${name} before`)
      t.match(warnings, isLate ? [{ msg }] : [])
      t.equal(warnings.length, isLate ? 1 : 0)
    })

t.test('a warning that no logger writes is emitted once as a process warning', async t => {
  const warnings = collectWarnings(t)
  // A copy, because other tests of this process have caused the warnings.
  const copy = await t.mockImport<typeof import('../../../lib/index.ts')>('../../../lib/index.ts', {})
  const { default: screenAuth, jwtTokens } = copy
  const random = options({ secret: undefined })
  for (const serverOptions of [{ logger: false }, { logger: false }, { logger: { level: 'error' } }])
    await logOf(t, app => app.register(screenAuth, random), serverOptions)
  await logOf(t, app => app.register(screenAuth, options({ enabled: false })), { logger: false })
  const beside = (app: FastifyInstance) =>
    app.register(async scope => scope.register(screenAuth, options())).get('/beside', handler)
  await logOf(t, beside, { logger: false })
  jwtTokens()
  t.match(warnings, [
    /^screen-auth: the secret is random.*`secret`.*SVC_AUTH_SECRET/,
    /^screen-auth: authentication is off/,
    /^screen-auth: NOT guarded.*: GET \/beside/,
    /^screen-auth: the secret of `jwtTokens` is random/
  ])
  t.equal(warnings.length, 4)
})

for (const [what, config] of [
  ...['screenauth', 'ScreenAuth', 'screen_auth', 'SCREEN-AUTH'].map(name => [name, { [name]: false }]),
  ...['false', '', 0, 1, null, {}].map(value => ['screenAuth', { screenAuth: value }])
] as [string, object][])
  t.test(`config ${JSON.stringify(config)} of a route makes the start fail`, async t => {
    const message = `screen-auth: GET /healthz has \`config.${what}\`; it must be \`screenAuth\`, true or false`
    for (const enabled of [true, false])
      for (const isBefore of [true, false]) {
        const app = emptyHost(t)
        const add = () => app.get('/healthz', { config }, handler)
        if (isBefore) add()
        app.register(screenAuth, options({ enabled }))
        if (!isBefore) app.register(async () => void add())
        await t.rejects(async () => app.ready(), { code: 'FST_SCREEN_AUTH_INVALID_OPTION', message })
      }
  })

t.test('a config name that only resembles screenAuth is ignored', async t => {
  const config = { screenAuthRoles: [], 'my-screen-auth': false } as object
  await t.resolves(logOf(t, app => app.register(screenAuth, options()).get('/x', { config }, handler)))
})

const store = storeWith()
const sessions = opaqueTokens({ store })
const own = { issue: () => 'x', verify: () => null }
for (const [isShared, what, one, two] of [
  [
    true,
    'an old secret',
    { secret: [`old ${SECRET}`, SECRET] },
    { tokens: jwtTokens({ secret: Buffer.from(SECRET) }) }
  ],
  [true, 'a token store', { tokens: sessions }, { tokens: { ...opaqueTokens({ store }), verify: () => null } }],
  [true, 'a service of the host', { tokens: own }, { tokens: own }],
  [false, 'no secret', { secret: SECRET }, { secret: `old ${SECRET}` }],
  [false, 'no store', { tokens: sessions }, { tokens: opaqueTokens() }],
  [false, 'no service', { tokens: own }, { tokens: { ...own } }]
] as [boolean, string, object, object][])
  t.test(`two scopes with ${what} in common cause ${isShared ? 'a' : 'no'} warning`, async t => {
    const scopes = [one, two, { tokens: opaqueTokens() }].map(overrides => ({ throttle: { store }, ...overrides }))
    const lines = await logOf(t, app => scopes.forEach((scope, i) => void inScope(app, `/${i}`, scope)))
    const text = "/0 and /1 accept each other's tokens; for different users, set different secrets or stores"
    const warnings = lines.filter(({ level }) => level === 40).map(({ msg }) => msg)
    t.strictSame(warnings, isShared ? [`screen-auth: ${text}`] : [])
  })

const limits = loginLimits()
for (const [isExpected, what, one, two] of [
  [true, 'an object in memory each', loginLimits(), limits],
  [true, 'the default and an object in memory', {}, limits],
  [false, 'one object in memory', limits, limits],
  [false, 'one object, and one with a store', limits, loginLimits({ store })],
  [false, 'plain options', {}, { nameOf: () => 'x' }]
] as [boolean, string, object, object][])
  t.test(`two scopes with ${what} log ${isExpected ? 'a' : 'no'} warning that each allows all guesses`, async t => {
    const lines = await logOf(t, app => [one, two].forEach((throttle, i) => void inScope(app, `/${i}`, { throttle })))
    t.equal(/each allows all guesses; pass the same `loginLimits\(\)`/.test(JSON.stringify(lines)), isExpected)
  })

for (const [isExpected, what, isWorker, overrides] of [
  [true, 'a store for sessions only', false, { tokens: sessions }],
  [true, 'no store in a worker of node:cluster', true, {}],
  [true, 'no store in a thread', 'thread', {}],
  [false, 'a store for sessions and failed logins', true, { tokens: sessions, throttle: { store } }],
  [false, 'no limits', true, { tokens: sessions, throttle: false }],
  [false, 'no store', false, { tokens: opaqueTokens() }]
] as [boolean, string, boolean | 'thread', object][])
  t.test(`a server with ${what} logs ${isExpected ? 'a' : 'no'} warning about failed logins in memory`, async t => {
    t.intercept(cluster, 'isWorker', { value: isWorker === true })
    t.intercept(threads, 'isMainThread', { value: isWorker !== 'thread' })
    const lines = await logOf(t, app => app.register(screenAuth, options(overrides)))
    t.equal(/each process counts failed logins for itself, .*`throttle.store`/.test(JSON.stringify(lines)), isExpected)
  })

const PUBLIC = { level: 30, msg: /^screen-auth: every route under/ }
const RANDOM = { level: 40, msg: /secret is random.*`secret`.*SVC_AUTH_SECRET/ }
const UNLIMITED = { level: 40, msg: /failed logins are not limited.*`throttle: false`/ }
const OFF = { level: 40, msg: /authentication is off, every route under \/ is open/ }
for (const [what, overrides, expected] of [
  ['without a secret logs a warning that names the option and the variable', {}, [RANDOM, PUBLIC]],
  ['with a token service of the host logs no warning about the secret', { tokens: own }, [PUBLIC]],
  ['without limits logs a warning that names the option', { throttle: false, tokens: own }, [UNLIMITED, PUBLIC]],
  ['in the no-auth mode logs only a warning that every route is open', { enabled: false }, [OFF]]
] as const)
  t.test(`a start ${what}`, async t => {
    const lines = await logOf(t, app => app.register(screenAuth, options({ secret: undefined, ...overrides })))
    t.match(lines, expected)
    t.equal(lines.length, expected.length)
  })
