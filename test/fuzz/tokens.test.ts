// Random tokens. What each rule refuses is in the corpus: forged-tokens.test.ts.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { ADA, bearer, claims, forge, host, now } from '../helpers.ts'
import { holds } from './runs.ts'

const words = (text: string) => fc.constantFrom(...text.split(' '))
const anyText = fc.string({ unit: 'binary', maxLength: 200 })

/** JSON text, not values: JSON.stringify cannot write 1e400 or two members with the same name. */
const json = fc.oneof(
  fc.integer({ min: -3, max: 3 }).map(step => String(now() + step)),
  fc.double().map(value => JSON.stringify(value)),
  fc.bigInt().map(String),
  words('0 -0 -1 1e300 -1e300 1e400 -1e400 1e308 18e8 1.8e+9 8640000000001 2147483648'),
  words('null true false "" [] {} "HS256" ["HS256"] "none" "JWT" ["JWT"]'),
  fc.json()
)

/** An object with these members, some of which may be missing, doubled or of any JSON, and with others. */
function anyObject(members: Record<string, string>, others: string) {
  const own = Object.entries(members).map(([name, right]) => {
    const value = fc.oneof({ weight: 16, arbitrary: fc.constant(right) }, { weight: 1, arbitrary: json })
    return fc.array(fc.tuple(fc.constant(name), value), { minLength: 1, maxLength: 2 })
  })
  const more = fc.array(fc.tuple(fc.oneof(words(others), fc.string()), json), { maxLength: 3 })
  const rest = fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: more })
  return fc.tuple(rest, ...own, rest).map(members => {
    const texts = members.flat().map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    return `{${texts.join()}}`
  })
}

const anyHeader = anyObject({ alg: '"HS256"', typ: '"JWT"' }, 'crit b64 zip enc kid jku jwk cty Alg __proto__ toString')
const anyClaims = anyObject(
  Object.fromEntries(Object.entries(claims()).map(([name, value]) => [name, JSON.stringify(value)])),
  'nbf aud iss Sub crit __proto__ constructor valueOf'
)

/** Asserts that a token gets the user whom it names, or the 401, and never another status. */
async function judge(app: FastifyInstance, token: string, payload: string): Promise<void> {
  const { statusCode, body, headers } = await app.inject({ url: '/screen', headers: bearer(token) })
  if (statusCode === 200) {
    const { sub: username, display_name: displayName } = JSON.parse(payload)
    assert.deepEqual(JSON.parse(body), { username, displayName })
  } else {
    assert.deepEqual([statusCode, body, headers['cache-control']], [401, '', 'no-store'])
    assert.equal(headers['www-authenticate'], 'Bearer realm="screen", error="invalid_token"')
  }
}

t.test('a valid token that is changed in any way is invalid', async t => {
  const app = await host(t)
  const valid = forge()
  t.strictSame(await app.screenAuth.verifyToken(valid), ADA, 'the token is in the cache')
  const change = fc.record({
    at: fc.nat(valid.length),
    remove: fc.nat(3),
    insert: fc.oneof(words('A - . = /'), anyText)
  })
  await holds(t, 5, [change], async ({ at, remove, insert }) => {
    const token = valid.slice(0, at) + insert + valid.slice(at + remove)
    assert.deepEqual(await app.screenAuth.verifyToken(token), token === valid ? ADA : null)
  })
})

t.test('a correctly signed token with any header and any claims gets its user or a 401', async t => {
  const app = await host(t)
  const header = fc.oneof({ weight: 9, arbitrary: anyHeader }, { weight: 1, arbitrary: anyText })
  const payload = fc.oneof({ weight: 9, arbitrary: anyClaims }, { weight: 1, arbitrary: anyText })
  await holds(t, 8, [header, payload], (header, payload) => judge(app, forge(payload, header), payload))
})

t.test('a token keeps any username and display name unchanged', async t => {
  const app = await host(t)
  await app.ready()
  await holds(t, 1, [fc.string({ unit: 'binary', minLength: 1 }), anyText], async (username, displayName) => {
    const token = await app.screenAuth.issueToken({ username, displayName })
    assert.deepEqual({ ...(await app.screenAuth.verifyToken(token)) }, { username, displayName })
    assert.equal((await app.inject({ url: '/screen', headers: bearer(token) })).statusCode, 200)
  })
})
