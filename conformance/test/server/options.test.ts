// Valid and invalid options, the remarks of the report about them, and the cases that each option enables.
import t, { type Test } from 'tap'
import { type CheckServerOptions, checkServer } from '../../index.ts'
import { serverCases } from '../../server/cases/index.ts'
import { words } from '../../server/cases/texts.ts'
import { newKey } from '../../server/jwt.ts'
import { check, credentials } from './check.ts'
import {
  conforming,
  conformingReference,
  type Form,
  listen,
  privateKeyOf,
  publicKeyOf,
  SECRET,
  second,
  sign,
  USERNAME
} from './minimal-server.ts'

t.test('invalid options are rejected, and the error names the first one', async t => {
  const locked = newKey('RS256')
    .export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' })
    .toString()
  const wrong: [CheckServerOptions, RegExp, string?][] = [
    [{}, /base URL must be an http/, 'ftp://host/'],
    [{}, /without credentials/, 'http://a:b@host/'],
    [{}, /without credentials, query/, 'http://host/?a=b'],
    [{ username: undefined }, /--username and --password .*--no-auth/],
    [{ password: '' }, /--password/],
    [{ protected: ['screen'] }, /must start with \//],
    [{ protected: ['/auth/login?a'] }, /which is public/],
    [{ only: ['form-layout', 'nothing'] }, /there is no case and no clause 'nothing' for --only/],
    [{ timeout: 0 }, /timeout must be/],
    [{ timeout: Number.NaN }, /timeout must be/],
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
  for (const only of [undefined, ['form-layout', 'token-admits']])
    await t.rejects(check(t, {}, { password: 'wrong', only }), {
      name: 'CannotRunError',
      message: /rejected the username and the password/
    })
  await t.rejects(check(t, {}, { ...second, secondPassword: 'wrong' }), {
    name: 'CannotRunError',
    message: /rejected the second username and the second password/
  })
  await t.rejects(check(t, { raw: (_, __, response) => response.writeHead(404).end().writableEnded }), {
    name: 'CannotRunError',
    message: /\d is not a screen service: .* with 404, and .* with 404\. Is the URL right\?$/
  })
})

t.test('the check rejects the key of another server, unless a case fails', async t => {
  const only = ['menu-without-token', 'token-admits']
  for (const [form, options] of [
    ['jwt', { secret: 'another', only }],
    ['ES256', { key: privateKeyOf('RS256'), only }]
  ] as const) {
    const url = await listen(t, form, conforming(form))
    await t.rejects(checkServer(url, { ...credentials, ...options }), {
      name: 'CannotRunError',
      message: /does not sign its tokens with the given key\. Give the right key/
    })
    const broken = await listen(t, form, { ...conforming(form), missing: () => ({ status: 403 }) })
    t.match(await checkServer(broken, { ...credentials, ...options }), {
      conforms: false,
      hints: [/does not sign its tokens with the given key/]
    })
  }
})

t.test('hints name the option that looks wrong', async t => {
  const jwt = await listen(t, 'jwt', conforming('jwt'))
  const open = await listen(t, 'no-auth', conforming('no-auth'))
  const looksWrong: [string, CheckServerOptions, RegExp][] = [
    [open, { only: ['menu-without-token', 'form-is-public'] }, /Does the server run in the no-auth mode\?/],
    [jwt, { noAuth: true, only: ['open-menu'] }, /Does the server run with a login\?/]
  ]
  for (const [url, options, hint] of looksWrong)
    t.match((await checkServer(url, { ...credentials, ...options })).hints, [hint])
  t.strictSame((await checkServer(open, { noAuth: true, only: ['open-menu', 'form-is-public'] })).hints, [])
})

/** Runs few cases. Uses `exclude`, because a report with `only` has no list of unjudged parts. */
async function notJudged(t: Test, form: Form, options: CheckServerOptions, parts = conforming(form)) {
  const kept = words(`token-admits jwt-expired expired-token jwt-key-confusion lifetime-is-over
    second-menu reference-secret
    protected-without-token open-menu open-protected`)
  const report = await checkServer(await listen(t, form, parts), {
    ...(form === 'no-auth' ? { noAuth: true } : credentials),
    exclude: serverCases.map(({ id }) => id).filter(id => !kept.includes(id)),
    ...options
  })
  t.equal(report.conforms, true)
  return report.notJudged.map(({ what, why }) => `${what}: ${why}`)
}

t.test('a report names the parts that it has not judged, and the options that they need', async t => {
  const confusion = 'confusion of a public key with a secret (5.3.2): give --public-key'
  const routes = 'your own routes (4, all other routes): give --protected'
  const given = { ...second, protected: ['/own'] }
  const expired = (form: Form) => ({ ...given, expiredToken: sign({ sub: USERNAME, exp: 1 }, form) })
  const rows: [Form, CheckServerOptions, string[], typeof conformingReference?][] = [
    ['opaque', given, ['expiry (5.3.2, 7): give --expired-token, or give --lifetime']],
    ['jwt', given, ['expiry (5.3.2, 7): give --secret, or give --expired-token, or give --lifetime']],
    ['RS256', given, [confusion, 'expiry (5.3.2, 7): give --key, or give --expired-token, or give --lifetime']],
    ['ES256', { ...expired('ES256'), publicKey: publicKeyOf('ES256') }, []],
    [
      'jwt',
      { secret: SECRET },
      ['whether a name and a menu belong to their token (5.6): give --second-username and --second-password', routes]
    ],
    ['no-auth', {}, [routes]],
    [
      'jwt',
      { ...expired('jwt'), reference: true },
      [
        'SVC_AUTH_SECRET: give --secret',
        'SVC_AUTH=false: give --no-auth, in another run against a server with SVC_AUTH=false'
      ],
      conformingReference
    ],
    [
      'no-auth',
      { reference: true },
      [routes, 'SVC_AUTH_SECRET and SVC_APP_NAME: give --username, in another run against a server with a login']
    ]
  ]
  for (const [form, options, expected, parts] of rows)
    t.strictSame(await notJudged(t, form, options, parts), expected, form)
})

t.test('the check waits until a token expires, and does not wait again if it expires in time', async t => {
  const until = new Map<string, number>()
  const { results } = await check(
    t,
    parts => ({
      issue(username) {
        const token = parts.issue(username)
        until.set(token, Date.now() + 1000)
        return token
      },
      isValid: token => (until.get(token) ?? 0) > Date.now()
    }),
    { lifetime: 1, only: ['lifetime-is-over'] }
  )
  t.match(results, [{ status: 'ok' }])
  t.ok((results[0]?.duration ?? 0) < 60_000)
})
