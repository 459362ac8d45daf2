import Fastify, { type FastifyInstance } from 'fastify'
import t from 'tap'
import screenAuth from '../../lib/index.ts'
import { host, options } from '../helpers.ts'

t.test('a wrong option makes the registration fail with a message that names it', async t => {
  const wrong: [object, RegExp][] = [
    [{ enabled: 'false' }, /option `enabled` must be true or false/],
    [{ enabled: null }, /option `enabled`/],
    [{ mainMenu: undefined }, /option `mainMenu` must be a function/],
    [{ mainMenu: {} }, /option `mainMenu`/],
    [{ checkCredentials: undefined }, /option `checkCredentials` must be a function.*enabled: false/],
    [{ checkCredentials: null }, /option `checkCredentials`/],
    [{ enabled: false, checkCredentials: 'x' }, /option `checkCredentials`/],
    [{ secret: '' }, /option `secret` must be .* at least 32 bytes.*openssl/],
    [{ secret: 'x'.repeat(31) }, /option `secret`/],
    [{ secret: Buffer.alloc(31) }, /option `secret`/],
    [{ secret: null }, /option `secret`/],
    [{ secret: 1 }, /option `secret`/],
    [{ secret: [] }, /option `secret`/],
    [{ secret: ['x'.repeat(32), 'short'] }, /option `secret`/],
    [{ secret: [undefined] }, /option `secret`/],
    [{ appName: '' }, /option `appName` must be a non-empty string/],
    [{ appName: 1 }, /option `appName`/],
    [{ tokenLifetime: 0 }, /option `tokenLifetime` must be a whole number of seconds/],
    [{ tokenLifetime: -1 }, /option `tokenLifetime`/],
    [{ tokenLifetime: 1.5 }, /option `tokenLifetime`/],
    [{ tokenLifetime: Number.NaN }, /option `tokenLifetime`/],
    [{ tokenLifetime: Number.POSITIVE_INFINITY }, /option `tokenLifetime`/],
    [{ tokenLifetime: '24h' }, /option `tokenLifetime`/],
    [{ tokenLifetime: null }, /option `tokenLifetime`/],
    [{ loginForm: {} }, /option `loginForm` must be a function/],
    [{ tokens: {} }, /option `tokens` must be an object with the functions issue and verify/],
    [{ tokens: null }, /option `tokens`/],
    [{ tokens: { issue: () => 'x' } }, /option `tokens`/],
    [{ tokens: { verify: () => null } }, /option `tokens`/],
    ...[5, null, {}, [], true].map(prefix => [{ prefix }, /option `prefix`/] as [object, RegExp]),
    [{ tokenLifeTime: 5 }, /option `tokenLifeTime` does not exist; there are enabled, .*tokenLifetime/],
    [{ secrets: ['x'.repeat(32)] }, /option `secrets` does not exist/],
    [{ prefx: '/api' }, /option `prefx` does not exist/],
    [{ throttle: null }, /option `throttle` must be an object with usernameAndAddress, .*, store, or false/],
    [{ throttle: true }, /option `throttle`/],
    [
      { throttle: { adress: { failures: 1, seconds: 1 } } },
      /option `throttle` has no setting `adress`, only/
    ],
    [{ throttle: [] }, /option `throttle` must be an object/],
    [
      { throttle: { address: { failures: 1, seconds: 1, block: 9 } } },
      /`throttle.address` has no setting `block`/
    ],
    ...['usernameAndAddress', 'address', 'username'].flatMap(kind =>
      [null, 5, {}, { failures: 0, seconds: 9 }, { failures: 1.5, seconds: 9 }, { failures: 9, seconds: 0 }]
        .concat([
          { failures: 9, seconds: 2_147_484 },
          { failures: '9', seconds: 9 }
        ] as never)
        .map(
          limit =>
            [
              { throttle: { [kind]: limit } },
              new RegExp(`option \`throttle.${kind}\` must (be an object with|have) failures`)
            ] as [object, RegExp]
        )
    ),
    [{ throttle: { store: {} } }, /option `throttle.store` must be a function/],
    [{ throttle: { store: () => undefined } }, /option `throttle.store` must return a limiter/],
    [{ throttle: { store: async () => new Map() } }, /option `throttle.store` must return a limiter/],
    [{ throttle: { nameOf: 'lower case' } }, /option `throttle.nameOf` must be a function/],
    [{ checks: null }, /option `checks` must be an object with concurrency, waiting, timeout$/],
    [
      { checks: { parallel: 1 } },
      /option `checks` has no setting `parallel`, only concurrency, waiting, timeout$/
    ],
    [{ prefix: '/a?b' }, /option `prefix`/],
    [{ prefix: '/a#b' }, /option `prefix`/],
    [{ checks: { concurrency: 0 } }, /option `checks.concurrency` must be a whole number/],
    [{ checks: { waiting: -1 } }, /option `checks.waiting` must be a whole number/],
    [{ checks: { waiting: Number.POSITIVE_INFINITY } }, /option `checks.waiting`/],
    [{ checks: { timeout: 0 } }, /option `checks.timeout` must be a whole number of seconds/],
    [{ checks: { timeout: 2_147_484 } }, /option `checks.timeout`/],
    [{ prefix: 'api' }, /option `prefix` must be a path that starts with one \//],
    [{ prefix: '//evil.example' }, /option `prefix` must be a path that starts with one \//]
  ]
  for (const [overrides, message] of wrong) {
    const app = Fastify()
    await t.rejects(async () => app.register(screenAuth, options(overrides)), {
      code: 'FST_SCREEN_AUTH_INVALID_OPTION',
      message
    })
  }
})

t.test('a throttle store that cannot be created makes the registration fail with the cause', async t => {
  const store = () => {
    throw new Error('storeClient is not set')
  }
  await t.rejects(async () => Fastify().register(screenAuth, options({ throttle: { store } })), {
    code: 'FST_SCREEN_AUTH_INVALID_OPTION',
    message: /option `throttle.store` must not fail/,
    cause: { message: 'storeClient is not set' }
  })
})

t.test('a wrong secret is not quoted in the message', async t => {
  const error = await Fastify()
    .register(screenAuth, options({ secret: 'hunter2' }))
    .then(
      () => null,
      error => error
    )
  t.notMatch(error.message, /hunter2/)
})

t.test('undefined is the default of every optional option', async t => {
  const app = await host(t, {
    enabled: undefined,
    secret: undefined,
    appName: undefined,
    tokenLifetime: undefined,
    loginForm: undefined,
    tokens: undefined,
    throttle: undefined,
    checks: undefined
  })
  t.equal((await app.inject('/auth/login')).json().title, 'Demo Company')
  t.equal((await app.inject('/screen')).statusCode, 401)
})

t.test('a secret of exactly 32 bytes is long enough, counted as UTF-8', async t => {
  for (const secret of ['x'.repeat(32), 'é'.repeat(16), Buffer.alloc(32), ['x'.repeat(32)]])
    await t.resolves(host(t, { secret }))
})

t.test('a host that ignores the registration error cannot start unguarded', async t => {
  const swallow: Record<string, (app: ReturnType<typeof Fastify>) => Promise<void> | void> = {
    'await in try/catch': async app => {
      await app.register(screenAuth, options({ mainMenu: undefined })).then(undefined, () => {})
    },
    'after with an error argument': app => {
      app.register(screenAuth, options({ mainMenu: undefined })).after((_error: unknown) => {})
    },
    'in a child scope': app => {
      app.register(async (scope: FastifyInstance) => {
        scope.register(screenAuth, options({ mainMenu: undefined })).after((_error: unknown) => {})
      })
    }
  }
  for (const [name, register] of Object.entries(swallow)) {
    const app = Fastify()
    await register(app)
    app.get('/screen', async () => 'open')
    await t.rejects(async () => app.ready(), { code: /FST_SCREEN_AUTH_(NOT_LOADED|INVALID_OPTION)/ }, name)
    await t.rejects(async () => app.listen({ port: 0 }), `${name}: tried again`)
  }
})

t.test('a Fastify of another major version is refused and cannot start unguarded', async t => {
  const app = Object.defineProperty(Fastify(), 'version', { value: '6.0.0' })
  const errors: unknown[] = []
  app.register(screenAuth, options()).after((error: unknown) => errors.push(error))
  app.get('/screen', async () => 'open')
  await t.rejects(async () => app.ready(), { code: 'FST_SCREEN_AUTH_NOT_LOADED' })
  t.match(errors, [
    { code: 'FST_SCREEN_AUTH_WRONG_FASTIFY', message: /needs Fastify 5, but this is 6\.0\.0/ }
  ])
})

t.test('a host cannot start unguarded after a failure that follows the check of the options', async t => {
  const app = Fastify()
  app.get('/menu/main', async () => 'taken')
  app.register(screenAuth, options()).after((_error: unknown) => {})
  await t.rejects(async () => app.ready(), { code: 'FST_SCREEN_AUTH_NOT_LOADED' })
})

t.test('the longest time that a timer of Node supports is accepted', async t => {
  const seconds = 2_147_483
  const app = await host(t, {
    checks: { timeout: seconds },
    throttle: { address: { failures: 1, seconds } }
  })
  await t.resolves(async () => app.ready())
})
