import cookie from '@fastify/cookie'
import fastifyJwt, { type FastifyJWTOptions } from '@fastify/jwt'
import t, { type Test } from 'tap'
import { bearer, forge, SECRET } from '../helpers.ts'
import { closed, hostWith, loginWorks } from './closed.ts'

const HOST_SECRET = 'the-secret-of-the-host-with-its-own-jwt'

interface Jwt {
  sign(payload: object): string
}

/** A host with @fastify/jwt of its own, whose public route `/own` verifies with it. */
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

  t.test(`a host's namespaced @fastify/jwt registered ${when} is as separate`, async t => {
    const { host, app, jwt } = await ownJwt(t, isBefore, { namespace: 'host', jwtVerify: 'hostJwtVerify' })
    const theirs = jwt.host.sign({ role: 'admin' })
    const verified = (await app.inject({ url: '/own', headers: bearer(theirs) })).json()
    t.match(verified, { verified: { role: 'admin' } })
    t.equal((await app.inject({ url: '/screen', headers: bearer(theirs) })).statusCode, 401)
    await closed(t, host, ['/screen'])
    await loginWorks(t, app)
  })

  t.test(`a host's settings of @fastify/jwt, registered ${when}, do not reach our tokens`, async t => {
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

  t.test(`with @fastify/cookie registered ${when}, a token in a cookie opens nothing`, async t => {
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
}
