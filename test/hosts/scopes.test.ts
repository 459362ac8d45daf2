import type { FastifyInstance } from 'fastify'
import t from 'tap'
import screenAuth from '../../lib/index.ts'
import { bearer, options } from '../helpers.ts'
import { closed, hostWith, loginWorks, newHost } from './closed.ts'

const handler = async () => 'x'
const SECRETS = ['the-first-secret-of-at-least-32-bytes', 'the-other-secret-of-at-least-32-bytes']

t.test('the login works below the option prefix, and the guard still covers everything', async t => {
  const host = await hostWith(t, undefined, { prefix: '/api' })
  await closed(t, host, ['/screen', '/api/menu/main', { url: '/auth/login', status: 404 }])
  await loginWorks(t, host.app, '/api')
})

t.test('the login works below the prefix of a scope and the option prefix together', async t => {
  const host = newHost(t)
  host.app.register(
    async scope => {
      scope.register(screenAuth, options({ prefix: '/v1' }))
      scope.get('/screen', handler)
    },
    { prefix: '/api' }
  )
  await host.app.ready()
  await closed(t, host, ['/api/screen', '/api/v1/menu/main'])
  await loginWorks(t, host.app, '/api/v1')
})

t.test('the login works below a prefix that ends with a slash, and one with parameters', async t => {
  const urls = { '/': '', '/api/': '/api', '/:tenant': '/acme', '/:a-:b': '/x-y', '/:year(^\\d{4})': '/2030' }
  for (const [prefix, url] of Object.entries(urls)) {
    const { app } = await hostWith(t, undefined, { prefix })
    await loginWorks(t, app, url)
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

t.test('the unknown paths of a scope with a not-found handler are guarded', async t => {
  const host = newHost(t)
  host.app.register(
    async scope => {
      await scope.register(screenAuth, options())
      scope.setNotFoundHandler(host.note('scope'))
    },
    { prefix: '/app' }
  )
  await host.app.ready()
  await closed(t, host, ['/app/none', '/app/deep/none'])
})

t.test('two scopes with separate configurations each have their own login and tokens', async t => {
  const host = newHost(t)
  const { app } = host
  const issuers: ((user: { username: string; displayName: string }) => unknown)[] = []
  for (const [i, secret] of SECRETS.entries()) {
    app.register(
      async scope => {
        await scope.register(screenAuth, options({ secret, appName: `App ${i}` }))
        scope.get('/screen', handler)
        issuers.push(scope.screenAuth.issueToken)
      },
      { prefix: `/app-${i}` }
    )
  }
  await app.ready()
  for (const i of [0, 1]) {
    const prefix = `/app-${i}`
    const token = await loginWorks(t, app, prefix)
    t.equal((await app.inject(`${prefix}/auth/login`)).json().title, `App ${i}`)
    await closed(t, host, [`${prefix}/screen`], token)
    const issued = String(await issuers[i]?.({ username: 'ada', displayName: 'Ada' }))
    await closed(t, host, [`${prefix}/screen`], issued)
    for (const foreign of [token, issued]) {
      const other = `/app-${1 - i}/screen`
      t.equal((await app.inject({ url: other, headers: bearer(foreign) })).statusCode, 401, other)
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

const ALREADY = 'FST_SCREEN_AUTH_ALREADY_REGISTERED'

for (const [place, again] of [
  ['in this scope', app => app.register(screenAuth, options({ prefix: '/again' }))],
  [
    'in a scope around this one',
    app => app.register(async scope => scope.register(screenAuth, options()), { prefix: '/again' })
  ]
] as [string, (app: FastifyInstance) => unknown][])
  t.test(`the plugin refuses to start when it is registered already ${place}`, async t => {
    const { app } = newHost(t)
    app.register(screenAuth, options())
    again(app)
    const message = `screen-auth: is registered already, ${place}; register it once for a scope and all inside it`
    await t.rejects(async () => app.ready(), { code: ALREADY, message })
  })

t.test('the plugin refuses to start when it is registered already in a scope inside this one', async t => {
  const { app } = newHost(t)
  await app.register(async scope => scope.register(screenAuth, options()), { prefix: '/inner' })
  const expected = { code: ALREADY, message: /in a scope inside this one/ }
  await t.rejects(async () => app.register(screenAuth, options()), expected)
})
