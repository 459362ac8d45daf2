import { gunzipSync, gzipSync } from 'node:zlib'
import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import fastifyJwt, { type FastifyJWTOptions } from '@fastify/jwt'
import rateLimit from '@fastify/rate-limit'
import fastifyStatic from '@fastify/static'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { ADA, bearer, FAILURE, forge, logIn, MENU, PASSWORD, SECRET } from '../helpers.ts'
import { closed, hostWith, loginWorks } from './closed.ts'

const files = t.testdir({ 'file.txt': 'the file', folder: { 'index.html': '<p>the index</p>\n' } })
const credentials = { fields: { username: ADA.username, password: PASSWORD } }

const preflight = { origin: 'https://client.example', 'access-control-request-method': 'POST' }

t.test('@fastify/cors registered before responds to preflights, and the rest is guarded', async t => {
  const host = await hostWith(t, app => app.register(cors, { origin: true }))
  const { app } = host
  for (const url of ['/screen', '/auth/login', '/none']) {
    t.equal((await app.inject({ method: 'OPTIONS', url, headers: preflight })).statusCode, 204, url)
  }
  t.strictSame(host.ran, [], 'a preflight runs no handler')
  const request = { method: 'POST', url: '/auth/login', headers: preflight, payload: credentials } as const
  t.equal((await app.inject(request)).headers['access-control-allow-origin'], preflight.origin)
  await closed(t, host, ['/screen', { url: '/screen', headers: preflight }])
  await loginWorks(t, app)
})

t.test('@fastify/cors registered after: a preflight gets 401, and everything else works', async t => {
  const host = await hostWith(t, app => app.register(cors, { origin: true }), { isBefore: false })
  const request = { method: 'OPTIONS', url: '/auth/login', headers: preflight } as const
  t.equal((await host.app.inject(request)).statusCode, 401)
  await closed(t, host, [{ url: '/screen', headers: preflight }])
  await loginWorks(t, host.app)
})

const HOST_SECRET = 'the-secret-of-the-host-with-its-own-jwt'

interface Jwt {
  sign(payload: object): string
}

/** A host with its own @fastify/jwt, which verifies the tokens on the public route `/own`. */
async function ownJwt(t: Test, isBefore: boolean, settings: object = {}) {
  const jwt = { secret: HOST_SECRET, ...settings } as FastifyJWTOptions
  const host = await hostWith(t, app => app.register(fastifyJwt, jwt), { isBefore })
  const verify = 'namespace' in settings ? 'hostJwtVerify' : 'jwtVerify'
  host.app.get('/own', { config: { screenAuth: false } }, async request => {
    const verified = await (request as unknown as Record<string, () => Promise<object>>)[verify]?.()
    return { verified, user: request.user, screenUser: request.screenUser }
  })
  host.app.get('/ours', async request => [request.user ?? null])
  await host.app.ready()
  return { host, app: host.app, jwt: (host.app as unknown as { jwt: Jwt & { host: Jwt } }).jwt }
}

for (const isBefore of [true, false]) {
  const when = isBefore ? 'before' : 'after'

  t.test(`@fastify/static registered ${when}: files, indexes and missing paths are guarded`, async t => {
    for (const settings of [{}, { wildcard: false }, { prefix: '/public/', list: true, redirect: true }]) {
      const add = (app: FastifyInstance) => app.register(fastifyStatic, { root: files, ...settings })
      const host = await hostWith(t, add, { isBefore })
      const { app } = host
      const prefix = settings.prefix?.slice(0, -1) ?? ''
      app.get('/send', (_request, reply) => reply.sendFile('file.txt'))
      await closed(t, host, [
        `${prefix}/file.txt`,
        `${prefix}/folder/`,
        { method: 'HEAD', url: `${prefix}/file.txt` },
        { url: `${prefix}/file.txt`, headers: { range: 'bytes=0-2' }, status: 206 },
        { url: `${prefix}/none.txt`, status: 404 },
        { url: '/../closed.ts', status: 404 },
        '/send'
      ])
      const { body } = await app.inject({ url: `${prefix}/folder/`, headers: bearer(forge()) })
      t.equal(body, '<p>the index</p>\n')
      await loginWorks(t, app)
    }
  })

  t.test(`@fastify/swagger-ui registered ${when}: its pages and the document are guarded`, async t => {
    const add = (app: FastifyInstance) => app.register(swagger).register(swaggerUi)
    const host = await hostWith(t, add, { isBefore })
    await closed(t, host, [
      '/documentation',
      '/documentation/json',
      '/documentation/yaml',
      { url: '/documentation/static/index.html', status: 302 },
      '/documentation/static/swagger-initializer.js',
      { url: '/documentation/static/none', status: 404 }
    ])
    await loginWorks(t, host.app)
  })

  t.test(`@fastify/helmet registered ${when}: a 401 ${isBefore ? 'has' : 'lacks'} its headers`, async t => {
    const add = (app: FastifyInstance) => app.register(helmet, { enableCSPNonces: isBefore })
    const host = await hostWith(t, add, { isBefore })
    const { app } = host
    await closed(t, host, ['/screen', { url: '/none', status: 404 }])
    t.equal('content-security-policy' in (await app.inject('/screen')).headers, isBefore)
    t.ok((await app.inject('/auth/login')).headers['content-security-policy'])
    await loginWorks(t, app)
  })

  t.test(`a host's @fastify/jwt registered ${when} and the guard verify their own tokens only`, async t => {
    const { host, app, jwt } = await ownJwt(t, isBefore)
    const theirs = jwt.sign({ role: 'admin' })
    const ours = await loginWorks(t, app)

    const own = (token: string) => app.inject({ url: '/own', headers: bearer(token) })
    const user = { role: 'admin' }
    t.match((await own(theirs)).json(), { verified: user, user, screenUser: null })
    t.equal((await own(ours)).statusCode, 401)
    t.equal((await app.inject({ url: '/screen', headers: bearer(theirs) })).statusCode, 401)
    t.equal((await app.inject({ url: '/ours', headers: bearer(ours) })).body, '[null]')
    await closed(t, host, ['/screen'], ours)
  })

  t.test(`a host's namespaced @fastify/jwt registered ${when} verifies its own tokens only`, async t => {
    const { host, app, jwt } = await ownJwt(t, isBefore, { namespace: 'host', jwtVerify: 'hostJwtVerify' })
    const theirs = jwt.host.sign({ role: 'admin' })
    const verified = (await app.inject({ url: '/own', headers: bearer(theirs) })).json()
    t.match(verified, { verified: { role: 'admin' } })
    t.equal((await app.inject({ url: '/screen', headers: bearer(theirs) })).statusCode, 401)
    await closed(t, host, ['/screen'])
    await loginWorks(t, app)
  })

  t.test(`a host's settings of @fastify/jwt, registered ${when}, do not affect the plugin's tokens`, async t => {
    const { host, app, jwt } = await ownJwt(t, isBefore, {
      secret: SECRET,
      sign: { algorithm: 'HS512', expiresIn: '1s', aud: 'host' },
      verify: { algorithms: ['HS512'], allowedAud: 'host' },
      formatUser: () => ({ username: 'mallory' }),
      trusted: () => false
    })
    const theirs = jwt.sign({ sub: 'ada', display_name: 'Ada' })
    t.equal((await app.inject({ url: '/screen', headers: bearer(theirs) })).statusCode, 401, 'HS512')
    await closed(t, host, ['/screen'], await loginWorks(t, app))
  })

  t.test(`with @fastify/cookie registered ${when}, a token in a cookie is ignored`, async t => {
    const host = await hostWith(t, app => app.register(cookie), { isBefore })
    const { app, ran } = host
    await app.register(fastifyJwt, { secret: HOST_SECRET, cookie: { cookieName: 'token', signed: false } })
    app.get('/cookies', async request => request.cookies)
    const cookies = { token: forge(), authorization: `Bearer ${forge()}` }
    t.equal((await app.inject({ url: '/cookies', cookies })).statusCode, 401)
    t.strictSame(ran, [])
    const served = await app.inject({ url: '/cookies', cookies: { a: 'b' }, headers: bearer(forge()) })
    t.strictSame(served.json(), { a: 'b' })
    await closed(t, host, ['/cookies'])
    await loginWorks(t, app)
  })

  t.test(`@fastify/compress registered ${when}: screens are compressed, a 401 stays empty`, async t => {
    const menu = { ...MENU, footer: { text: 'x'.repeat(5000) } }
    const add = (app: FastifyInstance) => app.register(compress)
    const host = await hostWith(t, add, { isBefore, mainMenu: () => menu })
    const { app } = host
    app.get('/large', async () => menu)
    const accept = { 'accept-encoding': 'gzip' }
    await closed(t, host, [{ url: '/large', headers: accept }])
    for (const url of ['/large', '/menu/main']) {
      const { headers, rawPayload } = await app.inject({ url, headers: { ...accept, ...bearer(forge()) } })
      // @fastify/compress applies only to routes that are added later.
      t.equal(headers['content-encoding'], isBefore || url === '/large' ? 'gzip' : undefined, url)
      if (headers['content-encoding']) t.match(JSON.parse(gunzipSync(rawPayload).toString()), menu, url)
    }
  })
}

t.test('@fastify/compress registered before: a compressed login works, and a bomb gets 413', async t => {
  const { app } = await hostWith(t, app => app.register(compress))
  const post = (payload: Buffer, encoding = 'gzip') =>
    app.inject({
      method: 'POST',
      url: '/auth/login',
      headers: { 'content-type': 'application/json', 'content-encoding': encoding },
      payload
    })
  t.match((await post(gzipSync(JSON.stringify(credentials)))).json(), { success: true })
  const bomb = gzipSync(JSON.stringify({ fields: { username: 'ada', password: 'x'.repeat(5_000_000) } }))
  for (const [name, refused, status] of [
    ['bomb', await post(bomb), 413],
    ['no gzip', await post(Buffer.from('{}')), 400],
    ['cut off', await post(bomb.subarray(0, 50)), 400],
    ['unknown', await post(Buffer.from('{}'), 'rot13'), 415]
  ] as const) {
    t.equal(refused.statusCode, status, name)
    t.match(refused.json(), FAILURE, name)
  }
})

t.test('@fastify/rate-limit registered before limits logins with a 429, and counts no 401', async t => {
  const host = await hostWith(t, app => app.register(rateLimit, { max: 6, timeWindow: '1 minute' }))
  const { app } = host
  for (let i = 0; i < 5; i++) t.equal((await app.inject('/screen')).statusCode, 401)
  await closed(t, host, ['/screen'])
  await loginWorks(t, app)
  t.equal((await logIn(app)).statusCode, 200)
  const limited = await logIn(app)
  t.equal(limited.statusCode, 429)
  t.match(limited.headers['retry-after'], /^\d+$/)
  t.match(limited.json(), { ...FAILURE, error: 'The login request was refused.' })
})

t.test('@fastify/rate-limit as a hook before this plugin counts refused requests, too', async t => {
  const { app } = await hostWith(t, async app => {
    await app.register(rateLimit, { global: false, max: 3, timeWindow: '1 minute' })
    app.addHook('onRequest', app.rateLimit())
  })
  for (const url of ['/screen', '/none', '/screen']) t.equal((await app.inject(url)).statusCode, 401)
  const limited = await app.inject({ url: '/screen', headers: bearer(forge()) })
  t.equal(limited.statusCode, 429)
  t.match(limited.headers['retry-after'], /^\d+$/)
  t.equal((await app.inject({ url: '/screen', remoteAddress: '192.0.2.1' })).statusCode, 401, 'from elsewhere')
})

t.test('@fastify/rate-limit registered after limits later routes, and not the login', async t => {
  const add = (app: FastifyInstance) => app.register(rateLimit, { max: 2, timeWindow: '1 minute' })
  const host = await hostWith(t, add, { isBefore: false })
  await closed(t, host, ['/screen'])
  for (let i = 0; i < 3; i++) await loginWorks(t, host.app)
  await host.app.inject({ url: '/screen', headers: bearer(forge()) })
  t.equal((await host.app.inject({ url: '/screen', headers: bearer(forge()) })).statusCode, 429)
})

t.test('@fastify/rate-limit for unknown paths limits requests with a token only', async t => {
  const host = await hostWith(t, app => app.register(rateLimit, { max: 1, timeWindow: '1 minute' }))
  const { app, note } = host
  app.setNotFoundHandler({ preHandler: app.rateLimit() }, note('not found'))
  await closed(t, host, ['/none'])
  t.equal((await app.inject({ url: '/none', headers: bearer(forge()) })).statusCode, 429)
  t.equal((await app.inject('/none')).statusCode, 401)
})
