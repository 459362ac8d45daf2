// Options, credentials and secrets that are right or wrong, and the hints about them.
import t from 'tap'
import { type CheckServerOptions, checkServer } from '../../index.ts'
import { check, credentials } from './check.ts'
import { conforming, listen, SECRET } from './minimal-server.ts'

t.test('it cannot be run when the server cannot be reached', async t => {
  for (const url of ['http://127.0.0.1:1', 'https://127.0.0.1:1', 'http://no-such-host.invalid']) {
    await t.rejects(checkServer(url, credentials), { name: 'CannotRunError', message: /cannot be reached/ })
  }
})

t.test('it cannot be run with credentials that the server rejects', async t => {
  await t.rejects(
    check(t, () => ({}), { password: 'wrong' }),
    {
      name: 'CannotRunError',
      message: /rejected the username and the password/
    }
  )
  await t.rejects(
    check(t, () => ({}), { password: 'wrong', only: ['form-layout', 'token-admits'] }),
    /rejected the username/
  )
})

t.test('it cannot be run with wrong options', async t => {
  const wrong: [string, CheckServerOptions, RegExp][] = [
    ['127.0.0.1:3000', credentials, /base URL must be an http/],
    ['ftp://host/', credentials, /base URL must be an http/],
    ['http://a:b@host/', credentials, /without credentials/],
    ['http://host/?a=b', credentials, /without credentials, query/],
    ['http://host/#a', credentials, /fragment/],
    ['http://host/', {}, /--username and --password .*--no-auth/],
    ['http://host/', { username: 'x', password: '' }, /--password/],
    ['http://host/', { ...credentials, protected: ['screen'] }, /must start with \//],
    ['http://host/', { ...credentials, only: ['form-layout', 'nothing'] }, /there is no case nothing/],
    ['http://host/', { ...credentials, protected: ['/a b'] }, /be percent-encoded/],
    ['http://host/', { ...credentials, protected: '/a' as never }, /must start with \//],
    ['http://host/', { ...credentials, timeout: 0 }, /timeout must be/],
    ['http://host/', { ...credentials, timeout: 4000 }, /at most 3600/],
    ['http://host/', { ...credentials, timeout: Number.NaN }, /timeout must be/]
  ]
  for (const [url, options, message] of wrong) {
    await t.rejects(checkServer(url, options), { name: 'CannotRunError', message })
  }
})

t.test('the secret may be given as text, Base64 or hexadecimal', async t => {
  const url = await listen(t, 'jwt', conforming('jwt'))
  for (const encoding of ['utf8', 'base64', 'base64url', 'hex'] as const) {
    const secret = Buffer.from(SECRET).toString(encoding)
    const { results } = await checkServer(url, { ...credentials, secret, only: ['jwt-expired'] })
    t.match(results, [{ id: 'jwt-expired', status: 'ok' }], encoding)
  }
})

t.test('a secret that is not the server’s cannot be used', async t => {
  const url = await listen(t, 'jwt', conforming('jwt'))
  await t.rejects(
    checkServer(url, { ...credentials, secret: 'another', only: ['form-layout', 'token-admits'] }),
    {
      name: 'CannotRunError',
      message: /another key than the given one\. Give the right one/
    }
  )
  const broken = await listen(t, 'jwt', { ...conforming('jwt'), missing: () => ({ status: 403 }) })
  const report = await checkServer(broken, {
    ...credentials,
    secret: 'another',
    only: ['menu-without-token', 'token-admits']
  })
  t.match(report, { conforms: false, hints: [/another key/] })
})

t.test('hints say which option looks wrong', async t => {
  const jwt = await listen(t, 'jwt', conforming('jwt'))
  t.match((await check(t, () => ({}), { secret: 'x', only: ['token-admits'] })).hints, [
    /no JWTs that a secret signs/
  ])
  const open = await listen(t, 'no-auth', conforming('no-auth'))
  t.match(
    (await checkServer(open, { ...credentials, only: ['menu-without-token', 'form-is-public'] })).hints,
    [/Does the server run in the no-auth mode\?/]
  )
  t.match((await checkServer(jwt, { noAuth: true, only: ['open-menu'] })).hints, [
    /Does the server run with a login\?/
  ])
})

t.test('hints name a wrong base URL, and another form of the credentials', async t => {
  const url = await listen(t, 'opaque', conforming('opaque'))
  const wrong = await checkServer(`${url}/elsewhere`, { ...credentials, only: ['form-is-public'] })
  t.match(wrong.hints, [`${url}/elsewhere/auth/login responded with 401: is the base URL right?`])
  const flat = await check(
    t,
    () => ({
      readFields: ({ body }) => (body.startsWith('{"username') ? JSON.parse(body) : {})
    }),
    { only: ['login-success'] }
  )
  t.match(flat, {
    conforms: false,
    hints: [/accepted without fields: the server does not understand an AuthRequest/]
  })
})

t.test('a base URL that cannot be decoded is sent as it is', async t => {
  const url = await listen(t, 'no-auth', conforming('no-auth', '/%zz'))
  t.equal((await checkServer(url, { noAuth: true, timeout: 120 })).conforms, true)
})
