// Valid and invalid options, the remarks of the report about them, and the cases that each option enables.
import t from 'tap'
import { type CheckServerOptions, checkServer } from '../../index.ts'
import { newKey } from '../../server/jwt.ts'
import { check, credentials } from './check.ts'
import { beforeGuard, type Form, privateKeyOf, publicKeyOf, SECRET, second, sign, USERNAME } from './minimal-server.ts'

t.test('invalid options are rejected, and the error names the first one', async t => {
  const encrypted = { format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' } as const
  const locked = newKey('RS256').export(encrypted).toString()
  const wrong: [CheckServerOptions, RegExp, string?][] = [
    [{}, /base URL must be an http/, 'ftp://host/'],
    [{}, /without credentials/, 'http://a:b@host/'],
    [{}, /without credentials, query/, 'http://host/?a=b'],
    [{ password: '' }, /--password/],
    [{ protected: ['screen'] }, /must start with \//],
    [{ protected: ['/auth/login?a'] }, /which is public/],
    [{ timeout: 0 }, /timeout must be/],
    [{ key: locked }, /^--key must be a private key as PEM or JWK, without a passphrase: /],
    [{ publicKey: 'no key' }, /^--public-key must be a public key/],
    [{ expiredToken: '' }, /^--expired-token must be a token/],
    [{ expiredToken: sign({ exp: 9_999_999_999 }) }, /^--expired-token is a JWT that has not expired/],
    [{ lifetime: Number.NaN }, /^--lifetime/],
    [{ lifetime: 3601 }, /^--lifetime must be a number of seconds from 1/],
    [{ secondUsername: 'zoe' }, /^--second-username and --second-password belong together/],
    [{ secondUsername: USERNAME, secondPassword: 'b' }, /another user$/]
  ]
  for (const [options, message, url = 'http://host'] of wrong)
    await t.rejects(checkServer(url, { ...credentials, ...options }), { name: 'CannotRunError', message })
})

t.test('the check rejects if the server is another service, or rejects the credentials', async t => {
  const other = beforeGuard(() => ({ status: 404 }))
  for (const [options, message, change = {}] of [
    [{ password: 'wrong' }, /rejected the username and the password/],
    [{ password: 'wrong', only: ['form-layout', 'token-admits'] }, /rejected the username and the password/],
    [{ ...second, secondPassword: 'wrong' }, /rejected the second username and the second password/],
    [{}, /\d is not a screen service: .* with 404, and .* with 404\. Is the URL right\?$/, other]
  ] as const)
    await t.rejects(check(t, change, options), { name: 'CannotRunError', message })
})

t.test('the check rejects the key of another server, unless a case fails', async t => {
  const only = ['menu-without-token', 'token-admits']
  for (const [form, options] of [
    ['jwt', { secret: 'another', only }],
    ['ES256', { key: privateKeyOf('RS256'), only }]
  ] as const) {
    const message = /does not sign its tokens with the given key\. Give the right key/
    await t.rejects(check(t, {}, options, form), { name: 'CannotRunError', message })
    t.match(await check(t, { missing: () => ({ status: 403 }) }, options, form), {
      conforms: false,
      hints: [/does not sign its tokens with the given key/]
    })
  }
})

t.test('hints name the option that looks wrong', async t => {
  const hintsOf = async (form: Form, options: CheckServerOptions) => (await check(t, {}, options, form)).hints
  const only = ['menu-without-token', 'form-is-public', 'open-menu']
  t.match(await hintsOf('no-auth', { ...credentials, noAuth: false, only }), [/no-auth mode\?/])
  t.match(await hintsOf('opaque', { noAuth: true, only }), [/Does the server run with a login\?/])
  t.strictSame(await hintsOf('no-auth', { only }), [])
})

t.test('a report names the parts that it has not judged, and the options that they need', async t => {
  const confusion = 'confusion of a public key with a secret (5.3.2): give --public-key'
  const routes = 'your own routes (4, all other routes): give --protected'
  const users = 'whether a name and a menu belong to their token (5.6): give --second-username and --second-password'
  const withoutLogin = 'SVC_AUTH=false: give --no-auth, in another run against a server with SVC_AUTH=false'
  const withLogin = 'SVC_AUTH_SECRET and SVC_APP_NAME: give --username, in another run against a server with a login'
  const given = { ...second, protected: ['/menu/main'] }
  const expired = (form: Form) => ({ ...given, expiredToken: sign({ sub: USERNAME, exp: 1 }, form) })
  const rows: [Form, CheckServerOptions, string[]][] = [
    ['opaque', given, ['expiry (5.3.2, 7): give --expired-token, or give --lifetime']],
    ['jwt', given, ['expiry (5.3.2, 7): give --secret, or give --expired-token, or give --lifetime']],
    ['RS256', given, ['expiry (5.3.2, 7): give --key, or give --expired-token, or give --lifetime', confusion]],
    ['ES256', { ...expired('ES256'), publicKey: publicKeyOf('ES256') }, []],
    ['jwt', { secret: SECRET }, [users, routes]],
    ['no-auth', {}, [routes]],
    ['jwt', { ...expired('jwt'), reference: true }, ['SVC_AUTH_SECRET: give --secret', withoutLogin]],
    ['no-auth', { reference: true }, [routes, withLogin]]
  ]
  for (const [form, options, expected] of rows) {
    const { notJudged } = await check(t, {}, { secret: undefined, ...options }, form)
    const sentences = notJudged.map(({ what, why }) => `${what}: ${why}`)
    t.strictSame(sentences, expected)
  }
})

t.test('the check waits until a token expires, and does not wait again if it expires in time', async t => {
  const change = { issue: () => String(Date.now() + 1000), isValid: (token: string) => Number(token) > Date.now() }
  const { results } = await check(t, change, { lifetime: 1, only: ['lifetime-is-over'] })
  t.match(results, [{ status: 'ok' }])
  t.ok((results[0]?.duration ?? 0) < 60_000)
})
