import type { FastifyInstance } from 'fastify'
import t from 'tap'
import screenAuth, { bearerToken, jwtTokens, opaqueTokens, type ScreenAuth } from '../../lib/index.ts'
import { ADA, bearer, emptyHost, forge, host, logIn, MENU, options, SECRET } from '../helpers.ts'

const open = { config: { screenAuth: false } }

t.test('the plugin has the name of the package', async t => {
  t.ok((await host(t)).hasPlugin('fastify-screen-auth'))
})

t.test('app.screenAuth.issueToken throws for a value that is not a user', async t => {
  const { screenAuth } = await host(t)
  const wrong = [null, {}, { username: '', displayName: '' }, { username: 'ada' }, { username: 1, displayName: 'A' }]
  for (const user of [...wrong, 'ada'])
    t.throws(() => screenAuth.issueToken(user as never), {
      code: 'FST_SCREEN_AUTH_WRONG_ARGUMENT',
      message: /issueToken takes a user/
    })
})

t.test('app.screenAuth calls the token service of the host with null as the request', async t => {
  const seen: unknown[] = []
  const tokens = {
    issue: async (user: unknown, request: unknown) => seen.push(user, request) && 'token',
    verify: async (token: unknown, request: unknown) => {
      seen.push(token, request)
      throw new Error('store is down')
    }
  }
  const app = await host(t, { tokens })
  t.equal(await app.screenAuth.issueToken(ADA), 'token')
  await t.rejects(async () => app.screenAuth.verifyToken('token'), /store is down/)
  t.strictSame(seen, [ADA, null, 'token', null])
})

t.test('request.screenUser is null on a public route, also in a scope from before the plugin', async t => {
  const app = emptyHost(t)
  const route = async (scope: FastifyInstance) => void scope.get('/open', open, async request => [request.screenUser])
  await app.register(route, { prefix: '/before' })
  await app.register(screenAuth, options())
  await app.register(route, { prefix: '/after' })
  for (const url of ['/before/open', '/after/open']) t.equal((await app.inject(url)).body, '[null]')
})

t.test('the no-auth mode sets request.screenUser to null, and issues and verifies tokens', async t => {
  const app = await host(t, { enabled: false })
  t.equal((await app.inject('/screen')).json(), null)
  t.strictSame(await app.screenAuth.verifyToken(forge()), ADA)
})

t.test('the guard keeps a user that an earlier hook has set on a public route', async t => {
  const app = emptyHost(t)
  app.addHook('onRequest', async request => {
    request.screenUser = ADA
  })
  await app.register(screenAuth, options())
  app.get('/open', open, async request => request.screenUser)
  t.strictSame((await app.inject('/open')).json(), ADA)
})

t.test('verifyToken returns a promise, of null for a value that is not a string', async t => {
  const tokens = opaqueTokens()
  const jwts = jwtTokens({ secret: SECRET })
  const NONE = [null, null, null]
  for (const app of [await host(t), await host(t, { tokens })]) {
    await app.ready()
    const token = await app.screenAuth.issueToken(ADA)
    const boxed = [Buffer.from(token), new String(token)]
    for (const value of [[token], { length: 43 }, null, undefined, 1, true, ...boxed] as string[]) {
      const { verifyToken } = app.screenAuth
      t.strictSame(await Promise.all([verifyToken, tokens.verify, jwts.verify].map(verify => verify(value))), NONE)
    }
    const verifying: unknown = app.screenAuth.verifyToken(token)
    t.ok(verifying instanceof Promise)
    t.strictSame(await verifying, ADA)
  }
})

t.test('bearerToken returns null when the header is not a string', async t => {
  const tokenOf = (authorization: unknown) =>
    bearerToken({ headers: { authorization }, raw: { rawHeaders: [] } } as never)
  for (const header of [undefined, null, 1, ['Bearer x'], { length: 8 }]) t.equal(tokenOf(header), null)
  t.equal(tokenOf('Bearer x'), 'x')
})

const NO_TIMES = /issueToken takes only a user; call `issue` of your token service with other times$/
const ONLY_USE = /option `verifyToken.options` has no setting `renew`, only use$/
const NO_GROUP = /option `verifyToken.options` must be a plain object with use$/
for (const [what, code, message, call] of [
  ...[null, undefined, {}, 'Bearer x', { authorization: 'Bearer x' }].map((value): never => {
    const call = () => bearerToken(value as never)
    return [`bearerToken(${JSON.stringify(value)})`, 'WRONG_ARGUMENT', /bearerToken takes a request$/, call] as never
  }),
  [
    'issueToken with times',
    'WRONG_ARGUMENT',
    NO_TIMES,
    it => it.issueToken(...([ADA, { lifetime: 60 }] as unknown as [typeof ADA]))
  ],
  [
    'verifyToken with a misspelt option',
    'INVALID_OPTION',
    ONLY_USE,
    it => it.verifyToken('x', { renew: false } as never)
  ],
  ['verifyToken with false', 'INVALID_OPTION', NO_GROUP, it => it.verifyToken('x', false as never)]
] as [string, string, RegExp, (it: ScreenAuth) => unknown][])
  t.test(`${what} fails`, async t => {
    const { screenAuth } = await host(t)
    await t.rejects(async () => call(screenAuth), { code: `FST_SCREEN_AUTH_${code}`, message })
  })

t.test('userOf returns the user of a guarded request, and of a login inside mainMenu', async t => {
  const users: unknown[] = []
  const app: FastifyInstance = await host(t, {
    mainMenu: (_user: unknown, request: never) => users.push(app.screenAuth.userOf(request)) && MENU
  })
  await logIn(app)
  await app.inject({ url: '/menu/main', headers: bearer(forge()) })
  t.strictSame(users, [ADA, ADA])
})

t.test('userOf throws an error with status 500 on a public route and in the no-auth mode', async t => {
  for (const enabled of [true, false]) {
    const app = await host(t, { enabled })
    app.get('/me', open, async request => app.screenAuth.userOf(request))
    const expected = { statusCode: 500, code: 'FST_SCREEN_AUTH_NO_USER', message: /there is no user/ }
    t.match((await app.inject('/me')).json(), expected)
  }
})

t.test('app.screenAuth is also on the root if the plugin is registered in a nested scope', async t => {
  const app = emptyHost(t)
  await app.register(async outer => outer.register(async scope => scope.register(screenAuth, options())))
  const headers = bearer(await app.screenAuth.issueToken(ADA))
  t.equal((await app.inject({ url: '/menu/main', headers })).statusCode, 200)
})

t.test('the root of several scopes supports only userOf, and its other functions throw', async t => {
  const app = emptyHost(t)
  for (const prefix of ['/a', '/b', '/c']) {
    const scope = async (scope: FastifyInstance) => {
      await scope.register(screenAuth, options())
      scope.get('/me', async request => [scope.screenAuth.userOf(request), app.screenAuth.userOf(request)])
      scope.get('/token', async request => request.server.screenAuth.issueToken(ADA))
    }
    await app.register(scope, { prefix })
  }
  const headers = bearer(forge())
  t.strictSame((await app.inject({ url: '/b/me', headers })).json(), [ADA, ADA])
  const expected = { code: 'FST_SCREEN_AUTH_SEVERAL_SCOPES', message: /use the screenAuth of a scope/ }
  const { issueToken, verifyToken, reauthenticate, forgetNetworks, unlock } = app.screenAuth
  t.throws(() => issueToken(ADA), expected)
  await t.rejects(verifyToken('x'), expected)
  await t.rejects(reauthenticate({} as never, 'x'), expected)
  await t.rejects(forgetNetworks('ada'), expected)
  await t.rejects(unlock({ username: 'ada' }), expected)
  const token = (await app.inject({ url: '/c/token', headers })).body
  t.equal((await app.inject({ url: '/c/me', headers: bearer(token) })).statusCode, 200)
})

t.test('unlock rejects an invalid argument and names the properties that it takes', async t => {
  const app = await host(t)
  const expected = { code: 'FST_SCREEN_AUTH_WRONG_ARGUMENT', message: /unlock takes { username, address }/ }
  const wrong = [
    { username: 1, address: '::1' },
    { address: { toString: 1 } },
    { address: '192.0.2.l' },
    { username: 'ada', name: 'ada' }
  ]
  for (const who of [undefined, null, {}, 'ada', { username: 1 }, { name: 'ada' }, { address: '' }, ...wrong])
    await t.rejects(app.screenAuth.unlock(who as object), expected)
})

t.test('forgetNetworks and unlock do nothing without a throttle or in the no-auth mode', async t => {
  for (const overrides of [{ throttle: false }, { enabled: false }]) {
    const app = await host(t, overrides)
    t.equal(await app.screenAuth.forgetNetworks('ada'), undefined)
    t.equal(await app.screenAuth.unlock({ username: 'ada' }), undefined)
  }
})
