import cors from '@fastify/cors'
import fastifyJwt, { type FastifyJWTOptions } from '@fastify/jwt'
import rateLimit from '@fastify/rate-limit'
import fastifyStatic from '@fastify/static'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { ADA, bearer, FAILURE, forge, logIn, PASSWORD, SECRET } from '../helpers.ts'
import { closed, hostWith, loginWorks } from './closed.ts'

const credentials = { fields: { username: ADA.username, password: PASSWORD } }
const origin = 'https://client.example'
const preflight = {
  origin,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization'
}

t.test('@fastify/cors registered before responds to preflights, and the rest is guarded', async t => {
  const host = await hostWith(t, app => app.register(cors, { origin }))
  const { app } = host
  for (const url of ['/screen', '/auth/login', '/none']) {
    const { statusCode, headers } = await app.inject({ method: 'OPTIONS', url, headers: preflight })
    t.strictSame([statusCode, headers['access-control-allow-headers']], [204, 'authorization'], url)
  }
  t.strictSame(host.ran, [], 'a preflight runs no handler')
  for (const request of [
    { method: 'POST', url: '/auth/login', headers: { origin }, payload: credentials } as const,
    // A client must be able to read the 401.
    { url: '/screen', headers: { origin } }
  ])
    t.equal((await app.inject(request)).headers['access-control-allow-origin'], origin)
  await closed(t, host, ['/screen', { url: '/screen', headers: preflight }])
  await loginWorks(t, app)
})

/** A host with its own @fastify/jwt, which verifies the tokens on the public route `/own`. */
async function ownJwt(t: Test, isBefore: boolean, settings: object = {}) {
  const jwt = { secret: 'the-secret-of-the-host-with-its-own-jwt', ...settings } as FastifyJWTOptions
  const host = await hostWith(t, app => app.register(fastifyJwt, jwt), { isBefore })
  host.app.get('/own', { config: { screenAuth: false } }, async request => {
    const verified = await (request as unknown as { jwtVerify(): Promise<object> }).jwtVerify()
    return { verified, user: request.user, screenUser: request.screenUser }
  })
  host.app.get('/ours', async request => [request.user ?? null])
  await host.app.ready()
  return { host, app: host.app, jwt: (host.app as unknown as { jwt: { sign(payload: object): string } }).jwt }
}

const root = t.testdir({ 'file.txt': 'the file', folder: { 'index.html': '<p>the index</p>\n' } })

for (const isBefore of [true, false]) {
  const when = isBefore ? 'before' : 'after'

  t.test(`files and pages of plugins registered ${when} are guarded`, async t => {
    const add = (app: FastifyInstance) =>
      app.register(swagger).register(swaggerUi).register(fastifyStatic, { root, prefix: '/public/', list: true })
    const host = await hostWith(t, add, { isBefore })
    await closed(t, host, [
      '/public/file.txt',
      '/public/folder/',
      { method: 'HEAD', url: '/public/file.txt' },
      { url: '/public/none.txt', status: 404 },
      '/documentation',
      '/documentation/json',
      '/documentation/static/swagger-initializer.js',
      { url: '/documentation/static/none', status: 404 }
    ])
    await loginWorks(t, host.app)
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
}

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
  t.equal((await app.inject({ url: '/screen', headers: bearer(forge()) })).statusCode, 429)
  t.equal((await app.inject({ url: '/screen', remoteAddress: '192.0.2.1' })).statusCode, 401, 'from elsewhere')
})
