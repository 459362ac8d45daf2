import { createServer } from 'node:http'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import screenAuth from '../../lib/index.ts'
import { collectLog, options } from '../helpers.ts'

function loggingServer(t: Test) {
  const log = collectLog()
  const app = Fastify(log)
  t.teardown(() => app.close())
  return { app, log }
}

t.test('one info line says what is guarded and lists every public route, whenever it was added', async t => {
  const { app, log } = loggingServer(t)
  const open = { config: { screenAuth: false } }
  app.get('/before', open, async () => 'x')
  app.register(screenAuth, options())
  app.post('/after', open, async () => 'x')
  app.register(async child => child.get('/:id', open, async () => 'x'), { prefix: '/child' })
  app.get('/guarded', async () => 'x')
  await app.ready()

  const publicRoutes = [
    'GET /auth/login',
    'GET /before',
    'GET /child/:id',
    'HEAD /auth/login',
    'HEAD /before',
    'HEAD /child/:id',
    'POST /after',
    'POST /auth/login'
  ]
  t.match(log.lines, [
    {
      level: 30,
      publicRoutes,
      msg: `screen-auth: every route under / needs a token except ${publicRoutes.join(', ')}`
    }
  ])
  t.equal(log.lines.length, 1)
})

t.test('two apps that share one server list their own routes', async t => {
  const server = createServer()
  for (const url of ['/one', '/two']) {
    const log = collectLog()
    const app = Fastify({ ...log, serverFactory: handler => server.on('request', handler) })
    await app.register(screenAuth, options())
    app.post(url, { config: { screenAuth: false } }, async () => 'x')
    await app.ready()
    t.match(log.lines[0]?.publicRoutes, [
      'GET /auth/login',
      'HEAD /auth/login',
      'POST /auth/login',
      `POST ${url}`
    ])
  }
})

t.test('in a child scope only its own routes are listed', async t => {
  const { app, log } = loggingServer(t)
  app.get('/outside', { config: { screenAuth: false } }, async () => 'x')
  app.register(async scope => scope.register(screenAuth, options()), { prefix: '/app' })
  await app.ready()
  t.match(log.lines, [
    {
      publicRoutes: ['GET /app/auth/login', 'HEAD /app/auth/login', 'POST /app/auth/login'],
      msg: /every route under \/app needs a token/
    }
  ])
})

t.test(
  'a warning lists the routes that a registration in a child scope without a prefix does not guard',
  async t => {
    const { app, log } = loggingServer(t)
    // As @fastify/autoload does with a file that is not wrapped with fastify-plugin.
    app.register(async scope => scope.register(screenAuth, options()))
    app.register(async scope => scope.get('/beside', async () => 'x'))
    app.get('/open', { config: { screenAuth: false } }, async () => 'x')
    await app.ready()
    t.match(log.lines, [
      { level: 30 },
      {
        level: 40,
        unguardedRoutes: ['GET /beside', 'HEAD /beside'],
        msg: /NOT guarded, .*: GET \/beside, HEAD \/beside; .* fastify-plugin/
      }
    ])
    t.equal(log.lines.length, 2)
  }
)

t.test('a prefix may end with a slash', async t => {
  const { app, log } = loggingServer(t)
  app.register(async scope => scope.register(screenAuth, options()), { prefix: '/a/' })
  app.get('/a/out', { exposeHeadRoute: false }, async () => 'x')
  await app.ready()
  t.match(log.lines, [{ level: 30 }, { unguardedRoutes: ['GET /a/out'] }])
})

t.test('there is no warning for routes beside a prefix, or that another registration guards', async t => {
  const { app, log } = loggingServer(t)
  for (const url of ['/', '/ab']) app.get(url, async () => 'x')
  app.register(async scope => scope.register(screenAuth, options()), { prefix: '/a' })
  app.register(async scope => scope.register(screenAuth, options()), { prefix: '/a/b' })
  await app.ready()
  t.strictSame(
    log.lines.map(({ level }) => level),
    [30, 30]
  )
})

t.test('a random secret logs a warning that names the option and the variable', async t => {
  const { app, log } = loggingServer(t)
  await app.register(screenAuth, options({ secret: undefined })).ready()
  t.match(log.lines, [{ level: 40, msg: /secret is random.*`secret`.*SVC_AUTH_SECRET/ }, { level: 30 }])
})

t.test('with a token service of the host there is no warning about the secret', async t => {
  const { app, log } = loggingServer(t)
  await app
    .register(screenAuth, options({ secret: undefined, tokens: { issue: () => 'x', verify: () => null } }))
    .ready()
  t.notMatch(log.text(), /secret/)
})

t.test('the no-auth mode logs only a warning that every route is open', async t => {
  const { app, log } = loggingServer(t)
  await app.register(screenAuth, options({ enabled: false, secret: undefined })).ready()
  t.match(log.lines, [{ level: 40, msg: /authentication is off, every route under \/ is open/ }])
  t.equal(log.lines.length, 1)
})
