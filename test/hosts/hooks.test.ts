import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import t from 'tap'
import type { ScreenUser } from '../../lib/index.ts'
import { ADA, bearer, collectLog, deferred, FAILURE, forge, logIn, throwing } from '../helpers.ts'
import { closed, hostWith, loginWorks } from './closed.ts'

const EARLY = ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const

const failing = throwing('a secret of the host', { statusCode: 418 })

t.test('an error handler that always sends 200 opens no route and does not change the login', async t => {
  for (const isBefore of [true, false]) {
    const host = await hostWith(
      t,
      app => app.setErrorHandler((_error, _request, reply) => reply.code(200).send('fine')),
      { isBefore }
    )
    host.app.get('/broken', failing)
    await closed(t, host, ['/screen', '/broken', { url: '/none', status: 404 }])
    t.equal((await host.app.inject({ url: '/broken', headers: bearer(forge()) })).body, 'fine')
    t.equal((await logIn(host.app, { username: 1 })).statusCode, 400)
    await loginWorks(t, host.app)
  }
})

t.test('an error handler that always sends 200 opens no route when the token service fails', async t => {
  const verify = () => Promise.reject(new Error('store is down'))
  const host = await hostWith(t, app => app.setErrorHandler(async () => 'fine'), {
    tokens: { issue: () => 'token', verify }
  })
  const { statusCode, body } = await host.app.inject({ url: '/screen', headers: bearer('token') })
  t.strictSame({ statusCode, body }, { statusCode: 503, body: '' })
  t.strictSame(host.ran, [])
})

for (const hook of EARLY) {
  t.test(`a login responds with the status that a ${hook} hook throws, and no handler runs`, async t => {
    for (const isBefore of [true, false]) {
      const { app, ran } = await hostWith(t, app => app.addHook(hook as 'onRequest', async () => failing()), {
        isBefore
      })
      // A hook of the host that runs before the guard decides.
      const status = hook === 'onRequest' && isBefore ? 418 : 401
      t.equal((await app.inject('/screen')).statusCode, status)
      t.equal((await app.inject({ url: '/screen', headers: bearer(forge()) })).statusCode, 418)
      t.strictSame(ran, [])
      const login = await logIn(app)
      t.equal(login.statusCode, 418)
      t.match(login.json(), FAILURE)
      t.notMatch(login.body, /secret/)
    }
  })

  t.test(`the reply of a ${hook} hook is sent, and no handler runs`, async t => {
    const { app, ran } = await hostWith(t, app =>
      app.addHook(hook as 'onRequest', async (_request, reply) => reply.code(418).send())
    )
    t.equal((await app.inject('/screen')).statusCode, hook === 'onRequest' ? 418 : 401)
    t.equal((await logIn(app)).statusCode, 418)
    t.strictSame(ran, [])
  })
}

for (const [what, thrown, status] of [
  ['nothing', undefined, 500],
  ['null', null, 500],
  ['text', 'text', 500],
  ['a number', 42, 500],
  ['an error', new Error('broken'), 500],
  ['a frozen error', Object.freeze(new Error('frozen')), 500],
  ['a plain object of 429', { statusCode: 429, message: 'slow down' }, 429],
  ['a status of 429', Object.assign(new Error(), { status: 429 }), 429],
  ['an overload', Object.assign(new Error('busy'), { statusCode: 503 }), 503],
  ...['abc', 200, 400.5, 600, 1000].map(
    statusCode => [`a status of ${statusCode}`, Object.assign(new Error(), { statusCode }), 500] as const
  )
] as const)
  t.test(`a login gets an AuthResponse when a hook throws ${what}, and no handler runs`, async t => {
    const { lines, ...serverOptions } = collectLog()
    const add = (app: FastifyInstance) => app.addHook('preHandler', () => Promise.reject(thrown))
    const { app, ran } = await hostWith(t, add, { serverOptions })
    const login = await logIn(app)
    t.match(login.json(), { ...FAILURE, error: status === 429 ? /refused/ : /Try again later/ })
    t.equal(login.statusCode, status)
    t.equal(login.headers['retry-after'], status === 503 ? '5' : undefined)
    const troubles = lines.filter(({ level }) => Number(level) >= 40).map(({ msg }) => msg)
    // pino cannot log a frozen error.
    if (what !== 'a frozen error') t.strictSame(troubles, status < 500 ? [] : ['screen-auth: login failed'])
    t.equal((await app.inject('/screen')).statusCode, 401)
    t.not((await app.inject({ url: '/screen', headers: bearer(forge()) })).body, 'x')
    t.strictSame(ran, [])
  })

t.test('an onSend hook that throws causes an AuthResponse or an error, without a token', async t => {
  const { app, ran } = await hostWith(t, app => app.addHook('onSend', async () => failing()))
  const login = await logIn(app)
  for (const response of [await app.inject('/screen'), await app.inject('/auth/login'), login]) {
    t.ok(response.statusCode >= 400, String(response.statusCode))
    t.notMatch(response.body, /eyJ/)
  }
  t.match(login.json(), { ...FAILURE, error: /Try again later/ })
  t.strictSame(ran, [])
})

t.test('a login that outlasts handlerTimeout gets a 503 AuthResponse', async t => {
  const { promise, resolve } = deferred<ScreenUser>()
  const { app } = await hostWith(t, undefined, {
    serverOptions: { handlerTimeout: 30 },
    checkCredentials: () => promise
  })
  const login = await logIn(app)
  t.equal(login.statusCode, 503)
  t.match(login.json(), FAILURE)
  resolve(ADA)
})

t.test('a guard that outlasts handlerTimeout responds 503, and no handler runs later', async t => {
  const { promise, resolve } = deferred<ScreenUser>()
  const { app, ran } = await hostWith(t, undefined, {
    serverOptions: { handlerTimeout: 30 },
    tokens: { issue: () => 'token', verify: () => promise }
  })
  t.equal((await app.inject({ url: '/screen', headers: bearer('token') })).statusCode, 503)
  resolve(ADA)
  for (let turn = 0; turn < 10; turn++) await setImmediate()
  t.strictSame(ran, [])
})

for (const [set, expected] of [
  [429, 429],
  [201, 500]
] as const)
  t.test(`a login whose hook sets the status ${set} before it throws responds ${expected}`, async t => {
    const { app } = await hostWith(t, app =>
      app.addHook('onRequest', async (_request, reply) => {
        reply.code(set)
        throw new Error('broken')
      })
    )
    const login = await logIn(app)
    t.equal(login.statusCode, expected)
    t.match(login.json(), FAILURE)
  })

t.test('a preHandler hook closes the login for maintenance, as docs/logins.md shows', async t => {
  const closed = { success: false, token: null, error: 'Closed until midnight.', screen: null }
  const close = async ({ method, routeOptions }: FastifyRequest, reply: FastifyReply) => {
    if (method === 'POST' && routeOptions.url === '/auth/login') return reply.send(closed)
  }
  const { app } = await hostWith(t, app => app.addHook('preHandler', close))
  t.strictSame((await logIn(app)).json(), closed)
})

t.test('a preSerialization hook that wraps every payload does not change the login or the menu', async t => {
  const wrap = async (_request: unknown, _reply: unknown, data: unknown) => ({ data })
  const { app } = await hostWith(t, app => app.addHook('preSerialization', wrap))
  await loginWorks(t, app)
})
