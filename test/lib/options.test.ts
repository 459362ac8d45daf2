import { readFile } from 'node:fs/promises'
import { runInNewContext } from 'node:vm'
import Fastify from 'fastify'
import t from 'tap'
import screenAuth, { errorCodes, jwtTokens, loginLimits, opaqueTokens, optionsFromEnv } from '../../lib/index.ts'
import { secretsRule } from '../../lib/tokens/secrets.ts'
import { ADA, collectWarnings, emptyHost, host, logIn, options, SECRET } from '../helpers.ts'

const call = () => null as never
const store = { get: call, set: call, delete: call, touch: call, take: call, giveBack: call }
const STORE = `must be redisStore\\(client, { prefix }\\), or have the functions ${Object.keys(store).join(', ')}$`

/** As an instance of a class inherits its getters. */
const inherited: object = Object.create({ ...options() })

/** An option or one of its settings, the rule in the error message, and invalid values. */
const refused: [name: string, rule: string, values: unknown[]][] = [
  ['enabled', 'must be true or false', ['false', null]],
  ['mainMenu', 'must be a function', [undefined, {}]],
  ['checkCredentials', 'must be a function.*enabled: false', [undefined, null]],
  ['secret', 'must be .* at least 32 bytes.*openssl', ['', 'x'.repeat(31), Buffer.alloc(31), null, 1]],
  ['secret', 'must be .* at least 32 bytes.*openssl', [[], ['x'.repeat(32), 'short'], [undefined]]],
  ['appName', 'must be a non-empty string', ['', 1]],
  ['tokenLifetime', 'must be a whole number of seconds', [0, -1, 1.5, Number.NaN, Infinity, '24h', null, 315_360_001]],
  ['loginForm', 'must be a function', [{}]],
  ['tokens', 'must be an object with the functions issue and verify', [{}, null]],
  ['tokens', 'must be an object', [{ issue: () => 'x' }, { verify: () => null }]],
  ['prefix', 'must be a path that starts with one /', [5, null, {}, [], true]],
  ['prefix', 'must be a path that starts with one /', ['/a?b', '/a#b', 'api', '//evil.example']],
  ['throttle', 'must be a plain object with usernameAndAddress, .*, store, or false', [null, true, [], inherited]],
  ['throttle', 'has no setting `adress`, only', [{ adress: { failures: 1, seconds: 1 } }]],
  ['throttle.address', 'has no setting `block`', [{ failures: 1, seconds: 1, block: 9 }]],
  ...['usernameAndAddress', 'address', 'username'].flatMap((kind): typeof refused => [
    [`throttle.${kind}`, 'must be a plain object with failures, seconds$', [null, 5]],
    [`throttle.${kind}.failures`, 'must be a whole number greater than 0', [undefined, 0, 1.5, '9']],
    [`throttle.${kind}.seconds`, 'must be a whole number of seconds', [undefined, 0, 2_147_484]]
  ]),
  ['throttle.store', STORE, [{}, new Map(), () => new Map(), { ...store, take: undefined }]],
  ['throttle.nameOf', 'must be a function that returns the name', ['lower case']],
  ['checks', 'must be a plain object with concurrency, waiting, timeout$', [null, new Map()]],
  ['checks', 'has no setting `parallel`, only concurrency, waiting, timeout$', [{ parallel: 1 }]],
  ['checks.concurrency', 'must be a whole number', [0]],
  ['checks.waiting', 'must be a whole number', [-1, Infinity]],
  ['checks.timeout', 'must be a whole number of seconds', [0, 2_147_484]]
]

t.test('an invalid option makes the registration fail with an error that names the option', async t => {
  for (const [path, rule, values] of refused)
    for (const value of values) {
      const [name = '', setting, part] = path.split('.')
      const inner = part === undefined ? value : { failures: 9, seconds: 9, [part]: value }
      const overrides = { [name]: setting === undefined ? value : { [setting]: inner } }
      await t.rejects(async () => Fastify().register(screenAuth, options(overrides)), {
        code: 'FST_SCREEN_AUTH_INVALID_OPTION',
        message: new RegExp(`option \`${path}\` ${rule}`)
      })
    }
})

t.test(
  'loginLimits checks its options, and names itself; throttle takes no other object with its functions',
  async t => {
    const message = /option `loginLimits.address.failures` must be a whole number greater than 0/
    t.throws(() => loginLimits({ address: { failures: 0, seconds: 1 } }), { message })
    t.throws(() => loginLimits(null as never), {
      message: /option `loginLimits` must be a plain object with [^,]+, .*store$/
    })
    const copy = Fastify().register(screenAuth, options({ throttle: { ...loginLimits() } }))
    await t.rejects(async () => copy, { message: /option `throttle` has no setting `unlock`, only/ })
    const wrong = Fastify().register(screenAuth, options({ throttle: null }))
    await t.rejects(async () => wrong, {
      message: /option `throttle` must be .*, or false, or what loginLimits returns$/
    })
  }
)

const tokens = { issue: () => 'x', verify: () => null }
const NO_FUNCTION = /option `checkCredentials` must be a function/
const UNKNOWN = /option `register.options` has no setting `tokenLifeTime`, only .*tokenLifetime/
const NO_EFFECT = /option `tokenLifetime` is for the default tokens.*lifetime: 600/
for (const [what, overrides, message] of [
  ['the name of an option is misspelt', { tokenLifeTime: 5 }, UNKNOWN],
  ['checkCredentials is invalid in the no-auth mode', { enabled: false, checkCredentials: 'x' }, NO_FUNCTION],
  ['tokenLifetime has no effect, because there is a token service', { tokens, tokenLifetime: 600 }, NO_EFFECT],
  ['a secret is invalid, and is not quoted', { secret: 'hunter2' }, /^(?!.*hunter2)/s]
] as const)
  t.test(`the registration fails if ${what}`, async t => {
    const code = 'FST_SCREEN_AUTH_INVALID_OPTION'
    await t.rejects(async () => Fastify().register(screenAuth, options(overrides)), { code, message })
  })

t.test('the options of the plugin must be a plain object, of any realm', async t => {
  const message = /option `register.options` must be a plain object with checkCredentials/
  await t.rejects(async () => Fastify().register(screenAuth, inherited as never), { message })
  const foreign = Object.assign(runInNewContext('({})'), options(), { checks: runInNewContext('({ timeout: 9 })') })
  await t.resolves(async () => Fastify().register(screenAuth, foreign))
  await t.resolves(async () => Fastify().register(screenAuth, Object.assign(Object.create(null), options())))
})

t.test('a number of seconds that makes sense only in milliseconds emits one warning', async t => {
  const warnings = collectWarnings(t)
  // A copy, because other tests of this process have caused some of the warnings.
  const copy = await t.mockImport<typeof import('../../lib/index.ts')>('../../lib/index.ts', {})
  const load = async (overrides: object) => emptyHost(t).register(copy.default, options(overrides))
  for (const [days, seconds] of [
    [31, 172_800],
    [30, 21_600],
    [6.5, 10_799]
  ] as const) {
    const throttle = { address: { failures: 9, seconds } }
    await load({ tokenLifetime: days * 86_400, checks: { timeout: 60 }, throttle })
    copy.opaqueTokens({ store, lifetime: days * 86_400, timeout: 60 })
  }
  t.strictSame(warnings, [])

  const [long, odd] = [172_801, 10_801].map(seconds => ({ failures: 9, seconds }))
  for (let i = 0; i < 2; i++)
    await load({ tokenLifetime: 900_000, checks: { timeout: 61 }, throttle: { username: long, address: odd } })
  copy.jwtTokens({ secret: SECRET, lifetime: 3_600_000 }).issue(ADA, null, { lifetime: 32 * 86_400 })
  copy.opaqueTokens({ store, lifetime: 3_600_000, timeout: 500 })
  const names = ['tokenLifetime', 'checks.timeout', 'throttle.address.seconds', 'throttle.username.seconds']
  names.push('jwtTokens.lifetime')
  names.push('tokens.issue.lifetime', 'opaqueTokens.lifetime', 'opaqueTokens.maxLifetime', 'opaqueTokens.timeout')
  const text = 'is very long for a number of seconds; are these milliseconds?'
  t.strictSame(
    warnings,
    names.map(name => `screen-auth: option \`${name}\` ${text}`)
  )
})

t.test('a limit of more than one failure a second emits a warning', async t => {
  const warnings = collectWarnings(t)
  const throttle = { address: { failures: 60, seconds: 60 }, username: { failures: 1e6, seconds: 3600 } }
  await host(t, { throttle })
  t.match(warnings, [/^screen-auth: `throttle.username` allows more than one failure a second/])
  t.equal(warnings.length, 1)
})

t.test('an option that Object.prototype has is no option', async t => {
  const polluted = { enabled: false, tokens: {}, lifetime: 1, concurrency: 'x', failures: 0 }
  Object.assign(Object.prototype, polluted)
  t.teardown(() => {
    for (const name in polluted) Reflect.deleteProperty(Object.prototype, name)
  })
  const app = emptyHost(t)
  await app.register(screenAuth, options({ checks: {}, throttle: { address: { failures: 9, seconds: 9 } } }))
  t.equal((await app.inject('/screen')).statusCode, 401)
  t.match((await logIn(app)).json(), { success: true })
  const { exp, iat } = JSON.parse(
    Buffer.from(jwtTokens({ secret: SECRET }).issue(ADA).split('.')[1] as string, 'base64url').toString()
  )
  t.equal(exp - iat, 86_400)
})

t.test('a secret in quotes, or with a line break at its end, emits a warning', async t => {
  const warnings = collectWarnings(t)
  const long = SECRET.repeat(1000)
  const inside = [`"${SECRET}" or more`, `not "${SECRET}"`]
  for (const secret of [`"${SECRET}`, ` ${SECRET}'`, `a\n${SECRET}`, long, ...inside]) await host(t, { secret })
  t.strictSame(warnings, [])
  for (const secret of [`"${SECRET}"`, `'${SECRET}'`]) jwtTokens({ secret })
  for (const secret of [`${SECRET}\n`, Buffer.from(`${SECRET}\r\n`)]) await host(t, { secret: [SECRET, secret] })
  t.strictSame(
    warnings.map(text => text.replace(/ is in quotes or ends with a line break.*remove them$/, '')),
    ['screen-auth: option `jwtTokens.secret`', 'screen-auth: option `secret`']
  )
})

t.test('sessions in memory emit one warning', async t => {
  const warnings = collectWarnings(t)
  // A copy, because other tests of this process have caused the warning.
  const copy = await t.mockImport<typeof import('../../lib/index.ts')>('../../lib/index.ts', {})
  for (const options of [{ store }, {}, {}]) copy.opaqueTokens(options)
  t.match(warnings, [/^screen-auth: the sessions of `opaqueTokens` are in memory: .* set `store`$/])
  t.equal(warnings.length, 1)
})

t.test('a secret that anyone can guess emits a warning, in an array, a Buffer and a variable, too', async t => {
  const warnings = collectWarnings(t)
  const random = ['MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1u', 'c0ffee1234567890abcdefdecade5678', Buffer.from(SECRET)]
  random.push(Buffer.from(`${SECRET}\xff\n`, 'latin1'), `zz${random[0]}`, `${random[0]}zz`)
  // Ten letters suffice.
  random.push('01234567899876543210048159260371')
  for (const [i, secret] of random.entries()) secretsRule(secret, `random ${i}`)
  t.strictSame(warnings, [])

  const samples = ['Change-Me', 'REPLACE_THIS', 'your-256-bit-secret', 'secret-key', 'example', 'A string secret'].map(
    text => `${text} 0123456789 0123456789 0123456789`
  )
  const repeated = ['a', 'changeme', '1234567890', '[object Object]', 'undefined-'].map(text =>
    text.repeat(32).slice(0, 32)
  )
  repeated.push('qwertzuiopm'.repeat(5))
  const guessable = [...samples, ...repeated, '121221122211112212212112121221121', Buffer.alloc(32)]
  for (const [i, secret] of guessable.entries()) secretsRule([SECRET, secret], `${i}`)
  await host(t, optionsFromEnv({ SVC_AUTH_SECRET: samples[0] }))
  jwtTokens({ secret: samples[1] })
  t.strictSame(
    warnings.map(text => /^screen-auth: option `(.*)` repeats itself or is a sample/.exec(text)?.[1]),
    [...guessable.keys(), 'secret', 'jwtTokens.secret'].map(String)
  )
})

t.test('an optional option that is undefined has its default', async t => {
  const names = ['enabled', 'secret', 'appName', 'tokenLifetime', 'loginForm', 'tokens', 'throttle', 'checks']
  const app = await host(t, Object.fromEntries(names.map(name => [name, undefined])))
  t.equal((await app.inject('/auth/login')).json().title, 'Demo Company')
  t.equal((await app.inject('/screen')).statusCode, 401)
})

t.test('another major version of Fastify is rejected, and the host does not start unguarded', async t => {
  const app = Object.defineProperty(Fastify(), 'version', { value: '6.0.0' })
  const errors: unknown[] = []
  app.register(screenAuth, options()).after((error: unknown) => errors.push(error))
  app.get('/screen', async () => 'open')
  await t.rejects(async () => app.ready(), { code: 'FST_SCREEN_AUTH_NOT_LOADED' })
  t.match(errors, [{ code: 'FST_SCREEN_AUTH_WRONG_FASTIFY', message: /needs Fastify 5, but this is 6\.0\.0/ }])
})

t.test('a secret of 32 bytes in UTF-8 and a time as long as the longest timer of Node are accepted', async t => {
  const secrets = ['x'.repeat(32), 'é'.repeat(16), Buffer.alloc(32), ['x'.repeat(32)]].map(secret => ({ secret }))
  const seconds = 2_147_483
  const longest = { checks: { timeout: seconds }, throttle: { address: { failures: 1, seconds } } }
  for (const overrides of [...secrets, longest]) await t.resolves(async () => (await host(t, overrides)).ready())
})

// The options from the environment.

const DEFAULTS = { enabled: true, secret: undefined, appName: 'Demo Company' }

const previous = 'previous-secret-of-32-or-more-bytes'
for (const [what, env, expected] of [
  ['that is empty', {}, {}],
  ['with no variable of ours', { SVC_AUTH: undefined, OTHER: 'x' }, {}],
  ['with an inherited variable', Object.create({ SVC_AUTH: 'false' }), {}],
  ['with a secret of 32 bytes in UTF-8', { SVC_AUTH_SECRET: 'é'.repeat(16) }, { secret: 'é'.repeat(16) }],
  ['with two secrets', { SVC_AUTH_SECRET: SECRET, SVC_AUTH_SECRET_PREVIOUS: previous }, { secret: [SECRET, previous] }],
  ['with an empty previous secret', { SVC_AUTH_SECRET: SECRET, SVC_AUTH_SECRET_PREVIOUS: '' }, { secret: SECRET }],
  ['with only an empty previous secret', { SVC_AUTH_SECRET_PREVIOUS: '' }, {}]
] as [string, NodeJS.ProcessEnv, object][])
  t.test(`an environment ${what} has its options, and the defaults of the contract for the rest`, async t => {
    t.strictSame(optionsFromEnv(env), { ...DEFAULTS, ...expected })
  })

t.test('SVC_AUTH is true or false in any case, or a boolean', async t => {
  for (const value of ['true', 'TRUE', 'True', 'false', 'FALSE', 'False', 'fAlSe', true, false])
    t.equal(optionsFromEnv({ SVC_AUTH: value }).enabled, String(value).toLowerCase() === 'true', `${value}`)
})

t.test('the error for an invalid variable names the variable and the fix', async t => {
  const noSwitch = ['', 'maybe', '0', '1', 'no', 'yes', 'off', ' true', 'false ', 'true\n', 'null', 1]
  const refused: [Record<string, unknown>, RegExp][] = [
    ...noSwitch.map(value => [{ SVC_AUTH: value }, /^SVC_AUTH must be true or false; set it to false/] as never),
    [{ SVC_AUTH: '"false"' }, /^SVC_AUTH must .*, without quotes$/],
    [{ SVC_AUTH_SECRET: '' }, /^SVC_AUTH_SECRET must have at least 32 bytes; make one with/],
    [{ SVC_AUTH_SECRET: 'x'.repeat(31) }, /^SVC_AUTH_SECRET must/],
    [{ SVC_AUTH_SECRET: null }, /^SVC_AUTH_SECRET must/],
    [{ SVC_AUTH_SECRET: SECRET, SVC_AUTH_SECRET_PREVIOUS: 'x' }, /^SVC_AUTH_SECRET_PREVIOUS must have at least/],
    [{ SVC_AUTH_SECRET_PREVIOUS: SECRET }, /^SVC_AUTH_SECRET_PREVIOUS needs SVC_AUTH_SECRET/],
    [{ SVC_APP_NAME: '' }, /^SVC_APP_NAME must have at least 1 character; unset it/],
    [{ SVC_APP_NAME: '', SVC_AUTH_SECRET_PREVIOUS: SECRET }, /^SVC_APP_NAME must [^;]*; unset it for the default$/],
    [{ SVC_APP_NAME: true }, /^SVC_APP_NAME must/]
  ]
  for (const [env, message] of refused)
    t.throws(() => optionsFromEnv(env), {
      code: 'FST_SCREEN_AUTH_INVALID_ENVIRONMENT',
      message
    })
})

t.test('one error names all invalid variables, and quotes no value', async t => {
  t.throws(() => optionsFromEnv({ SVC_AUTH: 'maybe', SVC_AUTH_SECRET: 'hunter2', SVC_APP_NAME: '' }), {
    message: /^SVC_AUTH must[^\n]*; SVC_AUTH_SECRET must(?!.*hunter2)[^\n]*; SVC_APP_NAME must[^\n]*$/
  })
})

t.test('the prefix of the variables can be changed', async t => {
  const env = { MY_AUTH: 'false', MY_APP_NAME: 'Mine', MY_AUTH_SECRET: SECRET, SVC_AUTH: 'maybe' }
  t.strictSame(optionsFromEnv(env, { prefix: 'MY_' }), { enabled: false, secret: SECRET, appName: 'Mine' })
  t.throws(() => optionsFromEnv({ MY_AUTH: 'maybe' }, { prefix: 'MY_' }), { message: /^MY_AUTH must/ })
})

t.test('optionsFromEnv reads process.env by default, and does not change it', async t => {
  t.intercept(process, 'env', { value: { SVC_APP_NAME: 'From the process' } })
  t.equal(optionsFromEnv().appName, 'From the process')
  t.strictSame(process.env, { SVC_APP_NAME: 'From the process' })
  t.strictSame(optionsFromEnv({}), DEFAULTS)
})

// The errors.

const page = await readFile(new URL('../../docs/errors.md', import.meta.url), 'utf8')
const documented = [...page.matchAll(/^\| `(FST_\w+)`/gm)].map(([, code]) => code)

t.test('every error class is exported by its code', async t => {
  for (const [code, ErrorClass] of Object.entries(errorCodes)) {
    const error = new (ErrorClass as new () => Error & { code: string })()
    t.equal(error.code, code)
    t.match(error, { name: 'FastifyError', code, message: /^(?!screen-auth: $)./ })
  }
})

t.test('docs/errors.md lists exactly the exported codes', async t => {
  t.strictSame(documented.sort(), Object.keys(errorCodes).sort())
})

t.test('thrown errors are instances of the exported classes', async t => {
  t.throws(() => opaqueTokens({ lifetime: 0 }), errorCodes.FST_SCREEN_AUTH_INVALID_OPTION)
  t.throws(() => optionsFromEnv({ SVC_AUTH: 'no' }), errorCodes.FST_SCREEN_AUTH_INVALID_ENVIRONMENT)
  const app = await host(t)
  await t.rejects(app.screenAuth.reauthenticate({ screenUser: null } as never, 'x'), errorCodes.FST_SCREEN_AUTH_NO_USER)
})
