import type { FastifyInstance } from 'fastify'
import t from 'tap'
import screenAuth from '../../lib/index.ts'
import { bearer, forge, options } from '../helpers.ts'
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
  const host = newHost(t)
  const { app } = host
  for (const method of ['PROPFIND', 'MKCOL']) app.addHttpMethod(method, { hasBody: true })
  app.all('/all', handler)
  await app.register(screenAuth, options())
  app.options('/options', handler)
  app.get('/get', handler)
  app.route({ method: ['PROPFIND', 'MKCOL'], url: '/dav', handler: handler })
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

t.test("a host's other methods on the paths of the contract are guarded", async t => {
  const host = await hostWith(t)
  const { app } = host
  const methods = ['PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
  app.route({ method: [...methods], url: '/auth/login', handler: handler })
  const requests = methods.map(method => ({ method, url: '/auth/login' }))
  await closed(t, host, [...requests, { method: 'HEAD', url: '/menu/main' }])
  t.equal((await app.inject({ method: 'HEAD', url: '/auth/login' })).statusCode, 200)
  await loginWorks(t, app)
})

t.test('a host with a route for every URL keeps its login', async t => {
  const host = await hostWith(t, app => app.all('*', handler))
  await closed(t, host, ['/', '/x/y', { method: 'PUT', url: '/auth/login' }, '/auth/login/', '/auth'])
  await loginWorks(t, host.app)
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

t.test('reply.callNotFound serves the page for unknown paths only with a token', async t => {
  const host = await hostWith(t)
  const { app, note } = host
  app.setNotFoundHandler({ preHandler: async () => {} }, note('page'))
  app.get('/call', (_request, reply) => reply.callNotFound())
  await closed(t, host, ['/call', '/any'])
})
