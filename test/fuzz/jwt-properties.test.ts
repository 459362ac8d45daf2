import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { SECRET } from '../helpers.ts'
import {
  ALPHABET,
  anyClaims,
  anyHeader,
  anyText,
  base64Text,
  changed,
  changes,
  dotted,
  HEADER,
  json,
  PAYLOAD,
  SECOND,
  sign,
  token,
  VALID
} from './jwt-arbitraries.ts'
import { meets, setUp } from './oracle.ts'
import { holds } from './runs.ts'

t.test('a valid token that is changed in any way is invalid, unless the changes cancel out', async t => {
  const { judgeToken, statuses } = await setUp(t)
  await holds(
    t,
    fc.asyncProperty(changes, list => judgeToken(changed(VALID, list))),
    5
  )
  meets(t, statuses)
})

t.test('random text and random segments are invalid tokens', async t => {
  const { judgeToken } = await setUp(t)
  await holds(t, fc.asyncProperty(fc.oneof(anyText, dotted), judgeToken), 2)
})

t.test('a signature with a changed bit is invalid in every encoding', async t => {
  const { judgeToken } = await setUp(t)
  const [header, payload, signature] = VALID.split('.') as [string, string, string]
  await holds(
    t,
    fc.asyncProperty(fc.nat(255), fc.constantFrom('base64url', 'base64', 'hex'), async (bit, encoding) => {
      const bytes = Buffer.from(signature, 'base64url')
      bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7))
      await judgeToken(`${header}.${payload}.${bytes.toString(encoding as 'hex')}`)
    })
  )
})

t.test('of the four last characters that decode to the same signature only one is valid', async t => {
  const { judgeToken, statuses } = await setUp(t)
  await holds(
    t,
    fc.asyncProperty(fc.string(), fc.constantFrom(...ALPHABET), (kid, last) =>
      judgeToken(token(JSON.stringify({ alg: 'HS256', kid }), PAYLOAD).slice(0, -1) + last)
    ),
    2
  )
  meets(t, statuses)
})

t.test('a token with any claims, signed with the right key, is valid only if its claims are', async t => {
  const { judge, statuses } = await setUp(t)
  await holds(
    t,
    fc.asyncProperty(anyClaims, claims => judge(`Bearer ${token(HEADER, claims)}`)),
    3
  )
  meets(t, statuses)
})

t.test('a token with any header, signed with the right key, is valid only if its header is', async t => {
  const { judge, statuses } = await setUp(t)
  await holds(
    t,
    fc.asyncProperty(anyHeader, header => judge(`Bearer ${token(header, PAYLOAD)}`)),
    3
  )
  meets(t, statuses)
})

t.test(
  'a token with any header and claims, signed with the right key, is valid only if both are',
  async t => {
    const { judgeToken, statuses } = await setUp(t)
    await holds(
      t,
      fc.asyncProperty(anyHeader, anyClaims, (header, claims) => judgeToken(token(header, claims))),
      5
    )
    meets(t, statuses)
  }
)

t.test(
  'a token with any JSON as header or claims, signed with the right key, is valid only if both are',
  async t => {
    const { judgeToken } = await setUp(t)
    const headerText = fc.oneof(fc.constant(HEADER), fc.json(), json)
    const claimsText = fc.oneof(fc.constant(PAYLOAD), fc.json(), json)
    await holds(
      t,
      fc.asyncProperty(headerText, claimsText, (header, claims) => judgeToken(token(header, claims))),
      2
    )
  }
)

t.test(
  'a token whose header or claims were changed before it was signed is valid only if both still are',
  async t => {
    const { judgeToken, statuses } = await setUp(t)
    await holds(
      t,
      fc.asyncProperty(fc.boolean(), changes, (inHeader, list) =>
        judgeToken(inHeader ? token(changed(HEADER, list), PAYLOAD) : token(HEADER, changed(PAYLOAD, list)))
      ),
      3
    )
    meets(t, statuses)
  }
)

t.test('any segments, signed with the right key, are valid only if they are a header and claims', async t => {
  const { judgeToken } = await setUp(t)
  const [header, payload] = VALID.split('.') as [string, string]
  const segment = fc.oneof(base64Text, anyText, dotted)
  await holds(
    t,
    fc.asyncProperty(
      fc.oneof(segment, fc.constant(header)),
      fc.oneof(segment, fc.constant(payload)),
      (one, other) => judgeToken(sign(`${one}.${other}`))
    )
  )
})

t.test('a token that is signed with another key or another hash is invalid', async t => {
  const { judgeToken, statuses } = await setUp(t)
  const key = fc.oneof(
    fc.constant(Buffer.from(SECRET)),
    changes.map(list => Buffer.from(changed(SECRET, list))),
    fc.uint8Array({ maxLength: 80 }).map(bytes => Buffer.from(bytes))
  )
  const alg = fc.constantFrom('HS256', 'HS256', 'HS384', 'HS512', 'RS256', 'none')
  const hash = fc.constantFrom('sha256', 'sha256', 'sha384', 'sha512', 'sha1', 'sha512-256')
  await holds(
    t,
    fc.asyncProperty(key, alg, hash, (secret, alg, hash) =>
      judgeToken(token(JSON.stringify({ alg, typ: 'JWT' }), PAYLOAD, secret, hash))
    )
  )
  meets(t, statuses)
})

t.test('a token is valid with each of several secrets, and with no other', async t => {
  const secrets = [SECRET, Buffer.from('second-secret-of-at-least-32-byte'), Buffer.alloc(40, 0xfe)]
  const { judge, statuses } = await setUp(t, secrets)
  const key = fc.oneof(
    fc.constantFrom<string | Buffer>(...secrets, secrets.join(''), ''),
    fc.uint8Array({ minLength: 32, maxLength: 40 }).map(bytes => Buffer.from(bytes))
  )
  await holds(
    t,
    fc.asyncProperty(key, anyClaims, (secret, claims) => judge(`Bearer ${token(HEADER, claims, secret)}`))
  )
  meets(t, statuses)
})

t.test('a token is valid from its first to its last millisecond', async t => {
  const { judge, server, statuses } = await setUp(t)
  const claims = { iat: SECOND - 60, nbf: SECOND - 30.25, exp: SECOND + 60 }
  const signed = token(HEADER, JSON.stringify({ sub: 'ada', display_name: 'A', ...claims }))
  const nearby = fc.tuple(fc.constantFrom(...Object.values(claims)), fc.integer({ min: -2, max: 2 }))
  const moment = fc.oneof(
    nearby.map(([second, step]) => second * 1000 + step),
    fc.integer({ min: (SECOND - 90) * 1000, max: (SECOND + 90) * 1000 }),
    fc.maxSafeNat()
  )
  await holds(
    t,
    fc.asyncProperty(moment, time => {
      server.time = time
      return judge(`Bearer ${signed}`)
    })
  )
  meets(t, statuses)
})

t.test('a user with any name comes out of a token unchanged', async t => {
  const { app, judgeToken } = await setUp(t)
  await holds(
    t,
    fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), anyText, async (username, displayName) => {
      const issued = await app.screenAuth.issueToken({ username, displayName })
      assert.deepEqual({ ...(await app.screenAuth.verifyToken(issued)) }, { username, displayName })
      await judgeToken(issued)
    })
  )
})
