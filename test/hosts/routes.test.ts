import type { FastifyInstance } from 'fastify'
import t from 'tap'
import screenAuth from '../../lib/index.ts'
import { ADA, bearer, forge, options } from '../helpers.ts'
import { closed, hostWith, loginWorks, newHost } from './closed.ts'

const handler = async () => 'x'
const child = (url: string) => async (scope: FastifyInstance) => {
  scope.get(url, handler)
}

t.test('routes and children are guarded before and after the plugin, awaited or not', async t => {
  for (const isAwaited of [true, false]) {
    const host = newHost(t)
    const { app } = host
    const register: typeof app.register = ((...args: Parameters<typeof app.register>) => {
      const registered = app.register(...args)
      return isAwaited ? registered : undefined
    }) as never
    app.get('/before', handler)
    await register(child('/child-before'))
    await register(child('/child'), { prefix: '/before' })
    await register(screenAuth, options())
    app.get('/after', handler)
    await register(child('/child-after'))
    await register(async scope => scope.register(child('/child'), { prefix: '/deep' }), { prefix: '/after' })
    await closed(t, host, [
      '/before',
      '/child-before',
      '/before/child',
      '/after',
      '/child-after',
      '/after/deep/child',
      { url: '/none', status: 404 }
    ])
    await loginWorks(t, app)
  }
})

t.test('HEAD, OPTIONS, every method of app.all and custom methods are guarded', async t => {
  const host = await hostWith(t, app => {
    for (const method of ['PROPFIND', 'MKCOL']) app.addHttpMethod(method, { hasBody: true })
    app.all('/all', handler)
  })
  const { app } = host
  app.options('/options', handler)
  app.get('/get', handler)
  app.route({ method: ['PROPFIND', 'MKCOL'], url: '/dav', handler })
  await closed(t, host, [
    // QUERY requires a body.
    ...app.supportedMethods.map(method => ({
      method: method as 'GET',
      url: '/all',
      ...(method === 'QUERY' && { payload: {} })
    })),
    { method: 'OPTIONS', url: '/options' },
    { method: 'HEAD', url: '/get' },
    { method: 'PROPFIND' as 'GET', url: '/dav' },
    { method: 'MKCOL' as 'GET', url: '/dav', payload: {} },
    { method: 'OPTIONS', url: '/get', status: 404 }
  ])
  await loginWorks(t, app)
})

t.test('routes constrained by host or version are guarded, on the paths of the contract too', async t => {
  const host = newHost(t)
  const { app } = host
  await app.register(screenAuth, options())
  app.get('/screen', { constraints: { version: '1.2.0' } }, handler)
  app.get('/screen', { constraints: { host: 'a.example' } }, handler)
  app.get('/auth/login', { constraints: { host: 'a.example' } }, handler)
  await closed(t, host, [
    { url: '/screen', headers: { 'accept-version': '1.x' } },
    { url: '/screen', headers: { host: 'a.example' } },
    { url: '/auth/login', headers: { host: 'a.example' } },
    { url: '/screen', headers: { 'accept-version': '2.x' }, status: 404 },
    { url: '/screen', status: 404 }
  ])
  await loginWorks(t, app)
})

t.test('a request for a version does not find the login if the host has versioned routes', async t => {
  const { app } = await hostWith(t)
  const request = { url: '/auth/login', headers: { 'accept-version': '1.x' } }
  t.equal((await app.inject(request)).statusCode, 200)

  const versioned = await hostWith(t, app => app.get('/versioned', { constraints: { version: '1.0.0' } }, handler))
  t.equal((await versioned.app.inject(request)).statusCode, 401)
})

t.test('not-found handlers of the root and of a scope run only with a valid token', async t => {
  for (const isBefore of [true, false]) {
    const host = newHost(t)
    const { app, ran, note } = host
    if (!isBefore) await app.register(screenAuth, options())
    app.setNotFoundHandler(note('root'))
    app.register(async scope => scope.setNotFoundHandler(note('scope')), { prefix: '/scope' })
    if (isBefore) await app.register(screenAuth, options())
    await closed(t, host, ['/none', '/scope/none', { method: 'POST', url: '/none', payload: {} }])
    t.strictSame(ran, ['note'])
    t.equal((await app.inject({ url: '/scope/none', headers: bearer(forge()) })).body, 'scope')
    await loginWorks(t, app)
  }
})

// Prefixes and scopes.

const SECRETS = ['the-first-secret-of-at-least-32-bytes', 'the-other-secret-of-at-least-32-bytes']

t.test('the login works below the option prefix, and the guard still covers everything', async t => {
  const host = await hostWith(t, undefined, { prefix: '/api' })
  await closed(t, host, ['/screen', '/api/menu/main', { url: '/auth/login', status: 404 }])
})

t.test('the login works below the prefix of a scope and that of the option, with slashes and parameters', async t => {
  for (const [prefix, inner, url] of [
    ['', '/', ''],
    ['', '/api/', '/api'],
    ['', '/:tenant', '/acme'],
    ['', '/:a-:b', '/x-y'],
    ['', '/:year(^\\d{4})', '/2030'],
    ['/api', '/v1', '/api/v1'],
    ['/:tenant', '/v:version', '/acme/v2'],
    ['/:tenant', '/v1', '/%2F%2Fevil.example/v1'],
    ['/only/:tenant(^[a-z]+$)', '', '/only/acme']
  ] as const) {
    const host = newHost(t)
    const scope = async (scope: FastifyInstance) => scope.register(screenAuth, options({ prefix: inner }))
    await host.app.register(scope, { prefix })
    await closed(t, host, [`${url}/menu/main`])
    await loginWorks(t, host.app, url)
  }
})

t.test('the guard of a child scope covers that scope and its children, and no sibling', async t => {
  const host = newHost(t)
  const { app, ran } = host
  app.get('/root', handler)
  app.register(async sibling => sibling.get('/early', handler), { prefix: '/sibling' })
  app.register(
    async scope => {
      scope.register(screenAuth, options())
      scope.get('/screen', handler)
      scope.register(async child => child.get('/screen', handler), { prefix: '/child' })
    },
    { prefix: '/app' }
  )
  app.register(async sibling => sibling.get('/late', handler), { prefix: '/sibling' })
  await app.ready()
  await closed(t, host, ['/app/screen', '/app/child/screen', '/app/menu/main'])
  await loginWorks(t, app, '/app')

  ran.length = 0
  for (const url of ['/root', '/sibling/early', '/sibling/late']) {
    t.equal((await app.inject(url)).statusCode, 200, url)
  }
  t.equal(ran.length, 3)
  t.equal((await app.inject('/app/none')).statusCode, 404, "the root's not-found handler is not in the scope")
})

t.test('two scopes with separate configurations each have their own login and tokens', async t => {
  const host = newHost(t)
  const { app } = host
  const scopes: FastifyInstance[] = []
  for (const [i, secret] of SECRETS.entries()) {
    const scope = async (scope: FastifyInstance) => {
      scopes.push(scope)
      scope.register(screenAuth, options({ secret, appName: `App ${i}` }))
      scope.get('/screen', handler)
    }
    await app.register(scope, { prefix: `/app-${i}` })
  }
  for (const [i, { prefix, screenAuth }] of scopes.entries()) {
    t.equal((await app.inject(`${prefix}/auth/login`)).json().title, `App ${i}`)
    for (const token of [await loginWorks(t, app, prefix), `${await screenAuth.issueToken(ADA)}`]) {
      await closed(t, host, [`${prefix}/screen`], token)
      t.equal((await app.inject({ url: `/app-${1 - i}/screen`, headers: bearer(token) })).statusCode, 401)
    }
  }
})

t.test('a scope in the no-auth mode stays open and does not open another scope', async t => {
  const host = newHost(t)
  const { app } = host
  app.register(async scope => scope.register(screenAuth, options({ enabled: false })), { prefix: '/demo' })
  app.register(async scope => scope.register(screenAuth, options()), { prefix: '/app' })
  await app.ready()
  t.equal((await app.inject('/demo/menu/main')).statusCode, 200)
  await closed(t, host, ['/app/menu/main'])
  await loginWorks(t, app, '/app')
})

const again = (app: FastifyInstance) => app.register(screenAuth, options({ prefix: '/again' }))
const inside = (app: FastifyInstance) => app.register(async scope => again(scope))

for (const [place, first, second] of [
  ['in this scope', again, again],
  ['in a scope around this one', again, inside],
  ['in a scope inside this one', inside, again]
] as const)
  t.test(`the plugin refuses to start when it is registered already ${place}`, async t => {
    const { app } = newHost(t)
    await first(app)
    const message = `screen-auth: is registered already, ${place}; register it once for a scope and all inside it`
    await t.rejects(async () => second(app), { code: 'FST_SCREEN_AUTH_ALREADY_REGISTERED', message })
  })
