// Valid and invalid JSON Web Tokens, and a prediction of the response to each: a second implementation of the rules.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import type { LightMyRequestResponse } from 'fastify'
import t, { type Test } from 'tap'
import type { ScreenUser } from '../../lib/index.ts'
import { base64url, host, SECRET } from '../helpers.ts'
import { holds, MANY } from './runs.ts'

/** Half a second after a full second, so that times on both sides of every limit occur. */
const TIME = 1_800_000_000_500
const SECOND = 1_800_000_000

const sign = (input: string) => `${input}.${createHmac('sha256', SECRET).update(input).digest('base64url')}`
const token = (header: string, payload: string) => sign(`${base64url(header)}.${base64url(payload)}`)

const HEADER = '{"alg":"HS256","typ":"JWT"}'
const PAYLOAD = `{"sub":"ada","display_name":"Ada Lovelace","iat":${SECOND - 60},"exp":${SECOND + 60}}`
const VALID = token(HEADER, PAYLOAD)

const anyText = fc.string({ unit: 'binary', maxLength: 200 })
const base64Text = fc.base64String({ maxLength: 120 }).map(text => text.replaceAll('+', '-').replaceAll('/', '_'))
/** Segments, often those of a valid token. */
const dotted = fc
  .array(fc.oneof(base64Text, fc.constantFrom(...VALID.split('.'))), { maxLength: 6 })
  .map(segments => segments.join('.'))

const words = (text: string) => fc.constantFrom(...text.split(' '))

/** JSON text, not values: JSON.stringify cannot write 1e400 or two members with the same name. */
const number = fc.oneof(
  fc.integer({ min: -3, max: 3 }).map(step => String(SECOND + step)),
  words('.0 .5 .4 .00000001').map(fraction => SECOND + fraction),
  fc.double().map(value => JSON.stringify(value)),
  fc.bigInt().map(String),
  words('0 -0 -1 1e300 -1e300 1e400 -1e400 1e308 18e8 1.8e+9 8640000000001 2147483648')
)
const json = fc.oneof(
  number,
  fc.json(),
  number.map(text => `"${text}"`),
  words('null true false "" [] {} "HS256" ["HS256"] "none" "JWT" "jwt" ["JWT"]')
)

type Member = [name: string, json: string]
type Members = fc.Arbitrary<Member[]>
const NONE: Members = fc.constant([])

/** One member: mostly valid, sometimes any JSON, missing or duplicated. */
function mostly(name: string, right: fc.Arbitrary<string>): Members {
  const withValues = (...values: fc.Arbitrary<string>[]) =>
    fc.tuple(...values).map(texts => texts.map((text): Member => [name, text]))
  return fc.oneof(
    { weight: 16, arbitrary: withValues(right) },
    { weight: 1, arbitrary: withValues(json) },
    { weight: 1, arbitrary: NONE },
    { weight: 1, arbitrary: withValues(json, right) },
    { weight: 1, arbitrary: withValues(right, json) }
  )
}

/** Other members, often with these names. */
function further(names: string): Members {
  const name = fc.oneof({ weight: 4, arbitrary: words(names) }, fc.string())
  const members = fc.array(fc.tuple(name, json), { maxLength: 3 })
  return fc.oneof({ weight: 2, arbitrary: NONE }, { weight: 1, arbitrary: members })
}

const objectText = (...groups: Members[]) =>
  fc.tuple(...groups).map(members => {
    const texts = members.flat().map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    return `{${texts.join()}}`
  })

const anyHeader = objectText(
  further('alg typ crit __proto__'),
  mostly('alg', fc.constant('"HS256"')),
  fc.oneof(mostly('typ', fc.constant('"JWT"')), NONE),
  further('crit b64 zip enc kid jku jwk cty Alg __proto__ constructor toString')
)
const jsonString = (constraints: fc.StringConstraints) => fc.string(constraints).map(text => JSON.stringify(text))
const anyClaims = objectText(
  further('sub exp nbf __proto__'),
  mostly('sub', jsonString({ unit: 'grapheme', minLength: 1 })),
  mostly('display_name', jsonString({ unit: 'binary' })),
  mostly('iat', fc.integer({ min: -SECOND, max: SECOND }).map(String)),
  mostly('exp', fc.integer({ min: SECOND + 1, max: SECOND * 3 }).map(String)),
  fc.oneof(NONE, mostly('nbf', fc.integer({ max: SECOND }).map(String))),
  further('nbf aud iss Sub crit __proto__ constructor valueOf')
)

/** A change of a text with dots. `at` and `to` are positions, taken modulo its length. */
type Change = (text: string, at: number, to: number, character: string) => string
const place = (text: string, at: number) => at % (text.length + 1)
const splice = (text: string, at: number, remove: number, insert = '') =>
  text.slice(0, place(text, at)) + insert + text.slice(place(text, at) + remove)
const segments =
  (change: (all: string[], at: number, to: number) => string[]): Change =>
  (text, at, to) => {
    const all = text.split('.')
    return change(all, at % all.length, to % all.length).join('.')
  }
const CHANGES: Change[] = [
  // Flips one bit.
  (text, at, to) => splice(text, at, 1, String.fromCharCode((text.charCodeAt(place(text, at)) || 0) ^ (1 << (to % 8)))),
  (text, at, _, character) => splice(text, at, 1, character),
  (text, at, _, character) => splice(text, at, 0, character),
  (text, at) => splice(text, at, 1),
  (text, at) => text.slice(0, place(text, at)),
  (text, at) => text.slice(place(text, at)),
  (text, at) => splice(text, at, 0, text),
  text => text.toUpperCase(),
  segments((all, at, to) => all.with(at, all[to] as string).with(to, all[at] as string)),
  segments((all, at) => all.toSpliced(at, 1)),
  segments((all, at, to) => all.toSpliced(at, 0, all[to] as string)),
  segments((all, at) => all.with(at, ''))
]
const character = fc.oneof(
  fc.constantFrom(...'AQgw_-.=+/ \t\n"{}:,%\0é'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })
)
/** A text with at most three changes. */
const changed = (text: string) =>
  fc
    .array(fc.tuple(fc.constantFrom(...CHANGES), fc.nat(1000), fc.nat(1000), character), { maxLength: 3 })
    .map(changes => changes.reduce((result, [change, ...args]) => change(result, ...args), text))

/** Predicts the response of the guard to an Authorization header, in the format of `seen`. */
function expected(authorization: string): unknown[] {
  const isBearer = authorization.slice(0, 7).toLowerCase() === 'bearer '
  const sent = isBearer ? authorization.slice(7).replace(/^ +/, '') : ''
  const user = /[^!-~]/.test(sent) ? null : userOf(sent)
  if (user !== null) return [200, JSON.stringify(user)]
  const challenge = sent === '' ? 'Bearer realm="screen"' : 'Bearer realm="screen", error="invalid_token"'
  return [401, '', challenge, 'no-store']
}

/** The relevant parts of a response. */
function seen({
  statusCode,
  body,
  headers
}: Pick<LightMyRequestResponse, 'statusCode' | 'body' | 'headers'>): unknown[] {
  return statusCode === 200 ? [200, body] : [statusCode, body, headers['www-authenticate'], headers['cache-control']]
}

/** The user of a token, or null when it is not valid. */
function userOf(token: string): ScreenUser | null {
  const segments = token.split('.')
  if (segments.length !== 3 || segments.some(segment => !/^[A-Za-z0-9_-]+$/.test(segment))) return null
  const [header, payload, signature] = segments as [string, string, string]
  if (!sign(`${header}.${payload}`).endsWith(`.${signature}`)) return null

  const parameters = objectIn(header)
  const claims = objectIn(payload)
  if (parameters === null || claims === null) return null
  if (parameters.get('alg') !== 'HS256') return null
  if (parameters.has('typ') && parameters.get('typ') !== 'JWT') return null
  for (const name of ['crit', 'b64', 'zip', 'enc']) if (parameters.has(name)) return null

  if (claims.has('aud')) return null
  const [sub, displayName] = [claims.get('sub'), claims.get('display_name')]
  const [iat, exp, nbf] = [claims.get('iat'), claims.get('exp'), claims.has('nbf') ? claims.get('nbf') : 0]
  if (typeof sub !== 'string' || sub === '' || typeof displayName !== 'string') return null
  if (typeof iat !== 'number' || typeof exp !== 'number' || typeof nbf !== 'number') return null
  if (iat !== Math.trunc(iat) || exp !== Math.trunc(exp) || !Number.isFinite(iat) || !Number.isFinite(exp)) return null
  return iat * 1000 <= TIME && exp * 1000 > TIME && nbf * 1000 <= TIME ? { username: sub, displayName } : null
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The members of a JSON object. A Map, because a plain object also finds names of its prototype. */
function objectIn(segment: string): Map<string, unknown> | null {
  try {
    if (segment.length % 4 === 1) return null
    const value: unknown = JSON.parse(utf8.decode(Buffer.from(segment, 'base64url')))
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? new Map(Object.entries(value)) : null
  } catch {
    return null
  }
}

/** A host with a stopped clock, and functions that compare its responses with the predictions. */
async function setUp(t: Test) {
  t.intercept(Date, 'now', { value: () => TIME })
  const app = await host(t)
  await app.ready()
  const statuses = new Set<unknown>()
  return {
    app,
    async judge(authorization: string) {
      const response = seen(await app.inject({ url: '/screen', headers: { authorization } }))
      assert.deepEqual(response, expected(authorization))
      statuses.add(response[0])
    },
    async judgeToken(token: string) {
      const user = await app.screenAuth.verifyToken(token)
      assert.equal(JSON.stringify(user), JSON.stringify(userOf(token)))
      statuses.add(user === null ? 401 : 200)
    },
    /** Checks that both statuses occurred: a property without a 200 proves little. A short run may have only one. */
    meetsBoth() {
      if (MANY) t.strictSame([...statuses].sort(), [200, 401], 'both statuses occurred')
    }
  }
}

t.test('a valid token that is changed in any way is invalid, unless the changes cancel out', async t => {
  const { judgeToken, meetsBoth } = await setUp(t)
  await holds(t, 5, [changed(VALID)], judgeToken)
  meetsBoth()
})

t.test('a correctly signed token is valid only if its header and its claims are valid', async t => {
  const { judge, meetsBoth } = await setUp(t)
  const judgeBoth = (header: string, claims: string) => judge(`Bearer ${token(header, claims)}`)
  await holds(t, 8, [anyHeader, anyClaims], judgeBoth)
  meetsBoth()
})

t.test('a token that is changed before it is signed is valid only if the result is valid', async t => {
  const { judgeToken, meetsBoth } = await setUp(t)
  const signed = fc.oneof(
    changed(HEADER).map(header => token(header, PAYLOAD)),
    changed(PAYLOAD).map(payload => token(HEADER, payload))
  )
  await holds(t, 3, [signed], judgeToken)
  meetsBoth()
})

t.test('a token keeps any username and display name unchanged', async t => {
  const { app, judgeToken } = await setUp(t)
  await holds(t, 1, [fc.string({ unit: 'binary', minLength: 1 }), anyText], async (username, displayName) => {
    const issued = await app.screenAuth.issueToken({ username, displayName })
    assert.deepEqual({ ...(await app.screenAuth.verifyToken(issued)) }, { username, displayName })
    await judgeToken(issued)
  })
})

t.test('an Authorization header is accepted only with the scheme Bearer and a valid token', async t => {
  const { judge, meetsBoth } = await setUp(t)
  const scheme = fc.oneof(fc.mixedCase(fc.constant('bearer')), fc.constantFrom('Basic', 'Bearer:', 'Token', 'DPoP', ''))
  const space = fc.constantFrom('', ' ', '  ', '   ', '\t', '\n', '\u00a0', ' \t')
  const sent = fc.oneof(fc.constant(VALID), changed(VALID), dotted, anyText)
  await holds(t, 1, [scheme, space, sent, space], (...parts) => judge(parts.join('')))
  meetsBoth()
})
