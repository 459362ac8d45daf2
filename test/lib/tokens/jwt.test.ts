import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import t from 'tap'
import { jwtTokens, type ScreenUser } from '../../../lib/index.ts'
import { stopClock } from '../../clock.ts'
import { ADA, bearer, claims, collectWarnings, forge, host, logIn, now, SECRET } from '../../helpers.ts'

const statusOf = async (app: FastifyInstance, token: string) =>
  (await app.inject({ url: '/screen', headers: bearer(token) })).statusCode

t.test('contract 5.5: a token is an HS256 JWT with sub, display_name, iat and exp, for 24 hours', async t => {
  stopClock(t)
  const app = await host(t)
  const { token } = (await logIn(app)).json()
  const [header, payload] = token
    .split('.')
    .slice(0, 2)
    .map((part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()))
  t.equal(header.alg, 'HS256')
  t.strictSame(Object.keys(payload).sort(), ['display_name', 'exp', 'iat', 'sub'])
  t.match(payload, { sub: 'ada', display_name: 'Ada Lovelace' })
  t.equal(payload.exp - payload.iat, 86_400)
  t.equal(payload.iat, now())
  t.equal(token, forge(payload, header), 'the signature is HMAC-SHA-256 with the secret')
})

for (const [name, overrides, seconds] of [
  ['tokenLifetime', { tokenLifetime: 10 }, 10],
  ['lifetime of jwtTokens', { tokens: jwtTokens({ secret: SECRET, lifetime: 60 }) }, 60]
] as const)
  t.test(`${name} is the lifetime in seconds`, async t => {
    const { token } = (await logIn(await host(t, overrides))).json()
    const { iat, exp } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
    t.equal(exp - iat, seconds)
  })

t.test('a clock that is behind is told once, for a token with the right signature', async t => {
  const warnings = collectWarnings(t)
  stopClock(t)
  // A copy, because other tests of this process have caused the warning.
  const copy = await t.mockImport<typeof import('../../../lib/index.ts')>('../../../lib/index.ts', {})
  const { verify } = copy.jwtTokens({ secret: SECRET })
  t.strictSame(verify(forge()), ADA)
  const future = { ...claims(), iat: now() + 60 }
  for (const token of [forge(future, undefined, { secret: 'x'.repeat(32) }), forge({ ...claims(), nbf: now() + 60 })])
    t.equal(verify(token), null)
  t.strictSame(warnings, [])
  for (let i = 0; i < 2; i++) t.equal(verify(forge(future)), null)
  t.match(warnings, [/`iat` is in the future; synchronize the clocks/])
  t.equal(warnings.length, 1)
})

for (const [claim, times] of Object.entries({
  iat: { iat: 1_000_000_000 },
  nbf: { iat: 999_999_000, nbf: 1_000_000_000 }
})) {
  t.test(`a token is valid from its ${claim} until just before its exp, cached or not`, async t => {
    const app = await host(t)
    const token = forge({ ...claims(), ...times, exp: 1_000_000_060 })
    for (const [time, status] of [
      [999_999_999_999, 401],
      [1_000_000_000_000, 200],
      [1_000_000_059_999, 200],
      [1_000_000_060_000, 401],
      // The clock is set back.
      [1_000_000_059_999, 200],
      [999_999_999_999, 401]
    ] as const) {
      t.intercept(Date, 'now', { value: () => time })
      t.equal(await statusOf(app, token), status, String(time))
    }
  })
}

t.test('the first of several secrets signs and all verify, so that a secret can be rotated', async t => {
  const old = 'old-secret-of-at-least-32-bytes!!'
  const app = await host(t, { secret: [SECRET, Buffer.from(old)] })
  const { token } = (await logIn(app)).json()
  const [header, payload] = token.split('.').map((part: string) => Buffer.from(part, 'base64url').toString())
  t.equal(token, forge(payload, header), 'signed with the first')
  for (const secret of [SECRET, old]) {
    t.equal(await statusOf(app, forge(claims(), undefined, { secret })), 200)
  }
  const gone = forge(claims(), undefined, { secret: 'gone-secret-of-at-least-32-bytes!' })
  t.equal(await statusOf(app, gone), 401)
})

t.test('a token service of the host can wrap jwtTokens, the default service', async t => {
  const jwts = jwtTokens({ secret: [SECRET, 'x'.repeat(32)] })
  const denied = new Set<string>()
  const verify = (token: string) => (denied.has(token) ? null : jwts.verify(token))
  const app = await host(t, { tokens: { issue: jwts.issue, verify } })
  const { token } = (await logIn(app)).json()
  t.equal(await statusOf(await host(t), token), 200)
  t.equal(await statusOf(app, token), 200)
  t.equal(await statusOf(app, forge(undefined, undefined, { secret: 'x'.repeat(32) })), 200)
  denied.add(token)
  t.equal(await statusOf(app, token), 401)
})

t.test('issue of jwtTokens accepts a lifetime for one token', async t => {
  const clock = stopClock(t)
  const jwts = jwtTokens({ secret: SECRET })
  const issued = [10, 100_000, undefined].map(lifetime => jwts.issue(ADA, null, { lifetime }))
  for (const [seconds, users] of [
    [9, [ADA, ADA, ADA]],
    [1, [null, ADA, ADA]],
    [86_390, [null, ADA, null]],
    [13_600, [null, null, null]]
  ] as const) {
    clock.tick(seconds)
    t.strictSame(
      issued.map(token => jwts.verify(token)),
      users
    )
  }
})

t.test('invalid options of jwtTokens and of its issue throw an error that names them', async t => {
  for (const [name, options] of [
    ['jwtTokens.secret', { secret: 'short' }],
    ['jwtTokens.lifetime', { secret: SECRET, lifetime: 0 }],
    ['jwtTokens', { secret: SECRET, tokenLifetime: 5 }]
  ] as const)
    t.throws(() => jwtTokens(options as object), { message: new RegExp(`option \`${name}\``) })
  const { issue } = jwtTokens({ secret: SECRET })
  for (const [name, options] of [
    ['tokens.issue.lifetime', { lifetime: 1.5 }],
    ['tokens.issue', { maxLifetime: 5 }]
  ] as const)
    t.throws(() => issue(ADA, null, options as object), { message: new RegExp(`option \`${name}\``) })
  const misplaced = { lifetime: 5 } as unknown as FastifyRequest
  t.throws(() => issue(ADA, misplaced), { message: /takes the times after the request/ })
  t.throws(() => issue({ username: '' } as ScreenUser), { code: 'FST_SCREEN_AUTH_WRONG_ARGUMENT' })
})

t.test('a secret may be any bytes, even text that looks like a PEM key', async t => {
  for (const secret of [Buffer.alloc(32, 0xff), '-----BEGIN PUBLIC KEY-----\nnot a key', '🔑'.repeat(8)]) {
    const app = await host(t, { secret })
    const { token } = (await logIn(app)).json()
    t.equal(await statusOf(app, token), 200)
    t.equal(await statusOf(app, forge(claims(), undefined, { secret })), 200)
  }
})

t.test('each server without a secret generates its own', async t => {
  const [one, other] = [await host(t, { secret: undefined }), await host(t, { secret: undefined })]
  const { token } = (await logIn(one)).json()
  t.equal(await statusOf(one, token), 200)
  t.equal(await statusOf(other, token), 401)
})

t.test('the plugin adds only screenAuth and screenUser to the host', async t => {
  const app = await host(t)
  app.get('/names', async request =>
    ['user', 'jwtVerify', 'jwtDecode', 'screenAuthJwt'].filter(name => name in request)
  )
  t.strictSame((await app.inject({ url: '/names', headers: bearer(forge()) })).json(), [])
  t.notOk(app.hasDecorator('jwt'))
  t.ok(app.hasDecorator('screenAuth'))
})

t.test('a change to the user of a request does not affect the next request', async t => {
  const app = await host(t)
  app.addHook('preHandler', async ({ screenUser }) => {
    if (screenUser !== null) Reflect.set(screenUser, 'username', 'root')
  })
  for (let i = 0; i < 2; i++) {
    const { username } = (await app.inject({ url: '/screen', headers: bearer(forge()) })).json()
    t.equal(username, 'ada')
  }
})

function exposedGc(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}

t.test('the cache does not retain the header that contained a token', async t => {
  const app = await host(t)
  await app.ready()
  const gc = exposedGc()
  const used = async () => {
    for (let i = 0; i < 3; i++) {
      gc()
      await setImmediate()
    }
    return process.memoryUsage().heapUsed
  }
  const before = await used()
  let accepted = 0
  for (let i = 0; i < 500; i++) {
    const token = forge({ ...claims(), sub: `user-${i}` })
    const authorization = Buffer.from(`Bearer ${' '.repeat(15_000)}${token}`).toString('latin1')
    const { statusCode } = await app.inject({ url: '/screen', headers: { authorization } })
    if (statusCode === 200) accepted++
  }
  t.equal(accepted, 500)
  const more = (await used()) - before
  t.ok(more < 3_000_000, `${more} bytes more`)
})
