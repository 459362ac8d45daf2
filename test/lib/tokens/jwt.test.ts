import { createHmac } from 'node:crypto'
import Fastify from 'fastify'
import t from 'tap'
import screenAuth from '../../../lib/index.ts'
import { ADA, base64url, bearer, claims, forge, host, logIn, now, options, SECRET } from '../../helpers.ts'
import { stopClock } from '../../stopped-clock.ts'

t.test(
  'contract 5.5: the token of a login is an HS256 JWT with exactly sub, display_name, iat and exp, for 24 hours',
  async t => {
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
  }
)

t.test('tokenLifetime is the lifetime in seconds', async t => {
  const app = await host(t, { tokenLifetime: 10 })
  const { token } = (await logIn(app)).json()
  const { iat, exp } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
  t.equal(exp - iat, 10)
})

t.test('a token that was signed elsewhere with the same secret is accepted', async t => {
  const app = await host(t)
  const accepted: Record<string, string> = {
    plain: forge(),
    'no typ': forge(claims(), { alg: 'HS256' }),
    'a kid': forge(claims(), { alg: 'HS256', typ: 'JWT', kid: '1' }),
    'an nbf in the past': forge({ ...claims(), nbf: now() - 10.5 }),
    'more claims': forge({ ...claims(), iss: 'x', admin: true }),
    'an empty display name': forge({ ...claims(), display_name: '' })
  }
  for (const [name, token] of Object.entries(accepted)) {
    t.equal((await app.inject({ url: '/screen', headers: bearer(token) })).statusCode, 200, name)
  }
})

t.test('the user of a request has the name and display name of the claims', async t => {
  const app = await host(t)
  const token = forge({ ...claims(), sub: 'Søren', display_name: '🦊' })
  t.strictSame((await app.inject({ url: '/screen', headers: bearer(token) })).json(), {
    username: 'Søren',
    displayName: '🦊'
  })
})

const sign = (input: string) => `${input}.${createHmac('sha256', SECRET).update(input).digest('base64url')}`

t.test('contract 5.3: every invalid token gets the same 401', async t => {
  stopClock(t)
  const app = await host(t)
  const good = forge()
  const [header, payload, signature] = good.split('.') as [string, string, string]
  const without = (name: string) => ({ ...claims(), [name]: undefined })
  // The last character carries two unused bits: the next three letters decode to the same bytes.
  const next = (character: string) => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    return alphabet[alphabet.indexOf(character) + 1]
  }
  // A lenient decoder drops a character that is one too many for whole bytes.
  const oneMore = (part: unknown) => {
    const text = JSON.stringify(part)
    return `${base64url(text.padEnd(Math.ceil(text.length / 3) * 3))}A`
  }
  const refused: Record<string, string> = {
    'a header with a character too many': sign(`${oneMore({ alg: 'HS256' })}.${payload}`),
    'a payload with a character too many': sign(`${header}.${oneMore(claims())}`),
    'not a JWT': 'nonsense',
    'two segments': `${header}.${payload}`,
    'four segments': `${good}.${signature}`,
    'an empty header': `.${payload}.${signature}`,
    'an empty payload': `${header}..${signature}`,
    'an empty signature': `${header}.${payload}.`,
    'only dots': '..',
    'another secret': forge(claims(), undefined, { secret: 'another-secret-of-at-least-32-bytes' }),
    'a changed payload': `${header}.${base64url({ ...claims(), sub: 'admin' })}.${signature}`,
    'a changed signature': `${header}.${payload}.${signature.replace(/^./, c => (c === 'A' ? 'B' : 'A'))}`,
    'a truncated signature': good.slice(0, -1),
    'another spelling of the signature': good.slice(0, -1) + next(good.at(-1) as string),
    'a padded signature': `${good}=`,
    'standard base64': `${header}.${payload}.${Buffer.from(signature, 'base64url').toString('base64')}`,
    'alg none': `${base64url({ alg: 'none', typ: 'JWT' })}.${payload}.`,
    'alg none with a signature': forge(claims(), { alg: 'none', typ: 'JWT' }),
    'no alg': forge(claims(), { typ: 'JWT' }),
    'alg HS512': forge(claims(), { alg: 'HS512', typ: 'JWT' }, { hash: 'sha512' }),
    'alg HS512 with an HS256 signature': forge(claims(), { alg: 'HS512', typ: 'JWT' }),
    'alg RS256': forge(claims(), { alg: 'RS256', typ: 'JWT' }),
    'alg in lower case': forge(claims(), { alg: 'hs256', typ: 'JWT' }),
    'alg in an array': forge(claims(), { alg: ['HS256'], typ: 'JWT' }),
    'another typ': forge(claims(), { alg: 'HS256', typ: 'at+jwt' }),
    'a typ that is no string': forge(claims(), { alg: 'HS256', typ: null }),
    crit: forge(claims(), { alg: 'HS256', crit: ['exp'], exp: 1 }),
    'an empty crit': forge(claims(), { alg: 'HS256', crit: null }),
    b64: forge(claims(), { alg: 'HS256', b64: true }),
    zip: forge(claims(), { alg: 'HS256', zip: 'DEF' }),
    enc: forge(claims(), { alg: 'HS256', enc: 'A256GCM' }),
    'a header that is no object': forge(claims(), '"HS256"'),
    'a header that is no JSON': forge(claims(), '{'),
    'a payload that is no JSON': forge('{'),
    'a payload that is a string': forge('"ada"'),
    'a payload that is null': forge('null'),
    'a payload that is an array': forge('[]'),
    'no sub': forge(without('sub')),
    'an empty sub': forge({ ...claims(), sub: '' }),
    'a sub that is a number': forge({ ...claims(), sub: 1 }),
    'a sub that is an array': forge({ ...claims(), sub: ['ada'] }),
    'no display_name': forge(without('display_name')),
    'a display_name that is null': forge({ ...claims(), display_name: null }),
    'no iat': forge(without('iat')),
    'an iat in the future': forge({ ...claims(), iat: now() + 30 }),
    'an iat that is a string': forge({ ...claims(), iat: String(now()) }),
    'an iat with a fraction': forge({ ...claims(), iat: now() - 0.5 }),
    'no exp': forge(without('exp')),
    'an exp in the past': forge({ ...claims(), exp: now() - 1 }),
    'an exp at this very second': forge({ ...claims(), exp: now() }),
    'an exp that is a string': forge({ ...claims(), exp: String(now() + 60) }),
    'an exp with a fraction': forge({ ...claims(), exp: now() + 60.5 }),
    'an exp that is null': forge({ ...claims(), exp: null }),
    'an exp out of range': forge(`{"sub":"ada","display_name":"A","iat":1,"exp":-1e300}`),
    'an nbf in the future': forge({ ...claims(), nbf: now() + 30 }),
    'an nbf that is a string': forge({ ...claims(), nbf: '0' }),
    'an nbf that is null': forge({ ...claims(), nbf: null })
  }
  for (const [name, token] of Object.entries(refused)) {
    const answer = await app.inject({ url: '/screen', headers: bearer(token) })
    t.equal(answer.statusCode, 401, name)
    t.equal(answer.headers['www-authenticate'], 'Bearer realm="screen", error="invalid_token"', name)
    t.equal(answer.body, '', name)
  }
})

t.test('a token is valid from its iat until just before its exp, to the millisecond', async t => {
  const app = await host(t)
  const token = forge({ ...claims(), iat: 1_000_000_000, exp: 1_000_000_060 })
  for (const [time, status] of [
    [999_999_999_999, 401],
    [1_000_000_000_000, 200],
    [1_000_000_059_999, 200],
    [1_000_000_060_000, 401]
  ]) {
    t.intercept(Date, 'now', { value: () => time })
    t.equal((await app.inject({ url: '/screen', headers: bearer(token) })).statusCode, status, String(time))
  }
})

t.test('of several secrets the first signs and all verify, so that a secret can be rotated', async t => {
  const old = 'old-secret-of-at-least-32-bytes!!'
  const app = await host(t, { secret: [SECRET, Buffer.from(old)] })
  const { token } = (await logIn(app)).json()
  const [header, payload] = token.split('.').map((part: string) => Buffer.from(part, 'base64url').toString())
  t.equal(token, forge(payload, header), 'signed with the first')
  for (const secret of [SECRET, old]) {
    t.equal(
      (await app.inject({ url: '/screen', headers: bearer(forge(claims(), undefined, { secret })) }))
        .statusCode,
      200
    )
  }
  const gone = forge(claims(), undefined, { secret: 'gone-secret-of-at-least-32-bytes!' })
  t.equal((await app.inject({ url: '/screen', headers: bearer(gone) })).statusCode, 401)
})

t.test('a secret may be any bytes, even text that looks like a PEM key', async t => {
  for (const secret of [Buffer.alloc(32, 0xff), '-----BEGIN PUBLIC KEY-----\nnot a key', '🔑'.repeat(8)]) {
    const app = await host(t, { secret })
    const { token } = (await logIn(app)).json()
    t.equal((await app.inject({ url: '/screen', headers: bearer(token) })).statusCode, 200)
    t.equal(
      (await app.inject({ url: '/screen', headers: bearer(forge(claims(), undefined, { secret })) }))
        .statusCode,
      200
    )
  }
})

t.test('without a secret each server makes its own', async t => {
  const [one, other] = [await host(t, { secret: undefined }), await host(t, { secret: undefined })]
  const { token } = (await logIn(one)).json()
  t.equal((await one.inject({ url: '/screen', headers: bearer(token) })).statusCode, 200)
  t.equal((await other.inject({ url: '/screen', headers: bearer(token) })).statusCode, 401)
})

t.test("a host's own @fastify/jwt is independent of the plugin, whichever is registered first", async t => {
  const { default: jwt } = await import('@fastify/jwt')
  for (const first of [true, false]) {
    const app = Fastify()
    t.teardown(() => app.close())
    if (first) await app.register(jwt, { secret: 'the-hosts-own-secret' })
    await app.register(screenAuth, options())
    if (!first) await app.register(jwt, { secret: 'the-hosts-own-secret' })
    app.get('/hosts', { config: { screenAuth: false } }, async request => request.jwtVerify())
    app.get('/ours', async request => ({ user: request.user ?? null, screenUser: request.screenUser }))

    const hosts = app.jwt.sign({ id: 1 })
    t.match((await app.inject({ url: '/hosts', headers: bearer(hosts) })).json(), { id: 1 })
    t.equal((await app.inject({ url: '/ours', headers: bearer(hosts) })).statusCode, 401)
    t.strictSame((await app.inject({ url: '/ours', headers: bearer(forge()) })).json(), {
      user: null,
      screenUser: ADA
    })
  }
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
