import fastifyJwt from '@fastify/jwt'
import rateLimit from '@fastify/rate-limit'
import fastifyStatic from '@fastify/static'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { bearer, FAILURE, logIn } from '../helpers.ts'
import { closed, hostWith, loginWorks } from './closed.ts'

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
    const secret = 'the-secret-of-the-host-with-its-own-jwt'
    const host = await hostWith(t, app => app.register(fastifyJwt, { secret }), { isBefore })
    const { app } = host
    app.get('/own', { config: { screenAuth: false } }, async request => {
      const verified = await request.jwtVerify()
      return { verified, user: request.user, screenUser: request.screenUser }
    })
    app.get('/ours', async request => [request.user ?? null])
    await app.ready()
    const theirs = app.jwt.sign({ role: 'admin' })
    const ours = await loginWorks(t, app)
    const own = (token: string) => app.inject({ url: '/own', headers: bearer(token) })
    const user = { role: 'admin' }
    t.match((await own(theirs)).json(), { verified: user, user, screenUser: null })
    t.equal((await own(ours)).statusCode, 401)
    t.equal((await app.inject({ url: '/screen', headers: bearer(theirs) })).statusCode, 401)
    t.equal((await app.inject({ url: '/ours', headers: bearer(ours) })).body, '[null]')
    await closed(t, host, ['/screen'], ours)
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
