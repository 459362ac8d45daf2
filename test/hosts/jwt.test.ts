import cookie from '@fastify/cookie'
import fastifyJwt, { type FastifyJWTOptions } from '@fastify/jwt'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import screenAuth from '../../lib/index.ts'
import { ADA, bearer, forge, options, SECRET } from '../helpers.ts'
import { closed, loginWorks, newHost } from './closed.ts'

const HOST_SECRET = 'the-secret-of-the-host-with-its-own-jwt'
const VERIFY = { config: { screenAuth: false } }

interface Jwt {
  sign(payload: object): string
}

/** A host with @fastify/jwt of its own, whose public route `/own` verifies with it. */
async function ownJwt(t: Parameters<typeof newHost>[0], isBefore: boolean, settings: object = {}) {
  const host = newHost(t)
  const { app } = host
  const register = () =>
    app.register(fastifyJwt, {
      secret: HOST_SECRET,
      ...settings
    } as FastifyJWTOptions) as unknown as Promise<void>
  if (isBefore) await register()
  await app.register(screenAuth, options())
  if (!isBefore) await register()
  const verify = 'namespace' in settings ? 'hostJwtVerify' : 'jwtVerify'
  app.get('/own', VERIFY, async request => {
    const verified = await (request as unknown as Record<string, () => Promise<object>>)[verify]?.()
    return { verified, user: request.user, screenUser: request.screenUser }
  })
  app.get('/screen', async request => request.screenUser)
  await app.ready()
  return { host, app: app as FastifyInstance & { jwt: Jwt & { host: Jwt } } }
}

for (const isBefore of [true, false]) {
  const when = isBefore ? 'before' : 'after'

  t.test(`a host's @fastify/jwt registered ${when} and the guard verify their own tokens only`, async t => {
    const { host, app } = await ownJwt(t, isBefore)
    const theirs = app.jwt.sign({ role: 'admin' })
    const ours = await loginWorks(t, app)

    const own = (token: string) => app.inject({ url: '/own', headers: bearer(token) })
    t.match((await own(theirs)).json(), {
      verified: { role: 'admin' },
      user: { role: 'admin' },
      screenUser: null
    })
    t.equal((await own(ours)).statusCode, 401)
    t.equal((await app.inject({ url: '/screen', headers: bearer(theirs) })).statusCode, 401)
    await closed(t, host, ['/screen'], ours)
    t.strictSame((await app.inject({ url: '/screen', headers: bearer(ours) })).json(), ADA)
  })

  t.test(`a host's namespaced @fastify/jwt registered ${when} is as separate`, async t => {
    const { host, app } = await ownJwt(t, isBefore, { namespace: 'host', jwtVerify: 'hostJwtVerify' })
    const theirs = app.jwt.host.sign({ role: 'admin' })
    t.match((await app.inject({ url: '/own', headers: bearer(theirs) })).json(), {
      verified: { role: 'admin' }
    })
    t.equal((await app.inject({ url: '/screen', headers: bearer(theirs) })).statusCode, 401)
    await closed(t, host, ['/screen'])
    await loginWorks(t, app)
  })

  t.test(`a host's settings of @fastify/jwt, registered ${when}, do not reach our tokens`, async t => {
    const { host, app } = await ownJwt(t, isBefore, {
      secret: SECRET,
      sign: { algorithm: 'HS512', expiresIn: '1s', aud: 'host' },
      verify: { algorithms: ['HS512'], allowedAud: 'host' },
      formatUser: () => ({ username: 'mallory' }),
      trusted: () => false
    })
    const theirs = app.jwt.sign({ sub: 'ada', display_name: 'Ada' })
    t.equal((await app.inject({ url: '/screen', headers: bearer(theirs) })).statusCode, 401, 'HS512')
    await closed(t, host, ['/screen'], await loginWorks(t, app))
  })

  t.test(`with @fastify/cookie registered ${when}, a token in a cookie opens nothing`, async t => {
    const host = newHost(t)
    const { app, ran } = host
    if (isBefore) await app.register(cookie)
    await app.register(fastifyJwt, { secret: HOST_SECRET, cookie: { cookieName: 'token', signed: false } })
    await app.register(screenAuth, options())
    if (!isBefore) await app.register(cookie)
    app.get('/screen', async request => request.cookies)
    const cookies = { token: forge(), authorization: `Bearer ${forge()}` }
    t.equal((await app.inject({ url: '/screen', cookies })).statusCode, 401)
    t.strictSame(ran, [])
    const served = await app.inject({ url: '/screen', cookies: { a: 'b' }, headers: bearer(forge()) })
    t.strictSame(served.json(), { a: 'b' })
    await closed(t, host, ['/screen'])
    await loginWorks(t, app)
  })
}

t.test("app.jwt, request.user and request.jwtVerify are the host's, or do not exist", async t => {
  const { app } = newHost(t)
  await app.register(screenAuth, options())
  app.get('/screen', async request => ['user', 'jwtVerify', 'jwtDecode'].filter(name => name in request))
  t.strictSame((await app.inject({ url: '/screen', headers: bearer(forge()) })).json(), [])
  t.notOk(app.hasDecorator('jwt'))
})
