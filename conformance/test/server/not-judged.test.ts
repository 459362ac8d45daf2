// A report says what it has not judged, and which option that needs; and each of these options judges it.
import t, { type Test } from 'tap'
import { type CheckServerOptions, checkServer } from '../../index.ts'
import { conformingReference } from './broken-tokens.ts'
import { credentials, failed } from './check.ts'
import {
  conforming,
  type Form,
  isSigned,
  listen,
  type Parts,
  privateKeyOf,
  publicKeyOf,
  SECOND,
  SECRET,
  sign
} from './minimal-server.ts'

const second = { secondUsername: SECOND.username, secondPassword: SECOND.password }

async function report(
  t: Pick<Test, 'teardown'>,
  form: Form,
  options: CheckServerOptions = {},
  parts: Partial<Parts> = {}
) {
  const url = await listen(t, form, { ...conforming(form), ...parts })
  return checkServer(url, {
    ...(form === 'no-auth' ? { noAuth: true } : credentials),
    timeout: 120,
    ...options
  })
}

t.test('the expiry is not judged without a key, a token that has expired, or a lifetime', async t => {
  const gives: [Form, string][] = [
    ['opaque', '--expired-token, or --lifetime'],
    ['jwt', '--secret, --expired-token, or --lifetime'],
    ['RS256', '--key, --expired-token, or --lifetime']
  ]
  for (const [form, give] of gives) {
    const { notJudged, conforms } = await report(t, form, { ...second, protected: ['/own'] })
    t.equal(conforms, true)
    t.match(notJudged, [{ what: 'expiry (5.3.2, 7)', give }], form)
  }
})

t.test('with all that a server has, nothing is left', async t => {
  for (const form of ['RS256', 'ES256'] as const) {
    const { notJudged, results } = await report(t, form, {
      ...second,
      key: privateKeyOf(form),
      protected: ['/own']
    })
    t.strictSame(notJudged, [])
    t.ok(results.some(({ id, status }) => id === 'jwt-key-confusion' && status === 'ok'))
    t.ok(results.some(({ id, status }) => id === 'jwt-expired' && status === 'ok'))
  }
})

t.test('without the public key, nobody has tried it as a secret', async t => {
  const options = { ...second, protected: ['/own'], expiredToken: 'a-token-of-yesterday' }
  t.match((await report(t, 'ES256', options)).notJudged, [{ give: '--public-key' }])
  t.strictSame((await report(t, 'ES256', { ...options, publicKey: publicKeyOf('ES256') })).notJudged, [])
})

t.test('a second user and further routes are asked for', async t => {
  t.match((await report(t, 'jwt', { secret: SECRET })).notJudged, [
    { what: /name and a menu/, give: '--second-username' },
    { give: '--protected' }
  ])
  t.match((await report(t, 'no-auth')).notJudged, [{ give: '--protected' }])
})

t.test('a reference server has two modes and a secret', async t => {
  const options = { ...second, reference: true, protected: ['/own'], expiredToken: 'a-token-of-yesterday' }
  const { notJudged } = await report(t, 'jwt', options, conformingReference)
  t.match(notJudged, [{ what: 'SVC_AUTH_SECRET' }, { what: 'SVC_AUTH=false', give: /--no-auth/ }])
  t.match((await report(t, 'no-auth', { reference: true })).notJudged, [{}, { give: /--username/ }])
})

t.test('only some cases are no judgement of the rest', async t => {
  t.strictSame((await report(t, 'opaque', { only: ['form-layout'] })).notJudged, [])
})

t.test('an expired token that is accepted is found, and the lifetime of one too', async t => {
  const expiredToken = sign({ sub: 'grace', iat: 1_700_000_000, exp: 1_700_086_400 })
  const only = ['expired-token', 'form-with-expired-token', 'protected-with-given-expired-token']
  const ignoring = { isValid: (token: string) => isSigned(token) }
  const options = { only, expiredToken, protected: ['/own'] }
  t.strictSame(failed(await report(t, 'jwt', options)), [])
  t.match(
    failed(await report(t, 'jwt', options, ignoring)).map(({ id }) => id),
    ['protected-with-given-expired-token', 'expired-token']
  )
})

t.test('the end of a token is waited for, and where it ends in time that is enough', async t => {
  const parts = conforming('opaque')
  const until = new Map<string, number>()
  const { results } = await report(
    t,
    'opaque',
    { lifetime: 1, only: ['lifetime', 'lifetime-is-over'] },
    {
      ...parts,
      issue(username) {
        const token = parts.issue(username)
        until.set(token, Date.now() + 1000)
        return token
      },
      isValid: token => (until.get(token) ?? 0) > Date.now()
    }
  )
  t.match(results, [
    { id: 'lifetime', status: 'ok', note: 'yes' },
    { id: 'lifetime-is-over', status: 'skipped', note: 'not needed: lifetime holds' }
  ])
})

t.test('a key of another server is no key', async t => {
  await t.rejects(report(t, 'ES256', { key: privateKeyOf('RS256') ?? '' }), { message: /another key/ })
})
