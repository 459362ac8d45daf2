// Changes of tokens, and the keys that sign and verify tokens, in every supported form.
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import {
  changeJwt,
  findKey,
  isAsymmetric,
  isKnown,
  type Jwt,
  newKey,
  parseJwt,
  publicJwk,
  publicPem,
  readPublicKey,
  readSigningKey,
  sign,
  verifies
} from '../../server/jwt.ts'
import { checkServerOptions } from '../../server/options.ts'
import { prepareRequest } from '../../server/prepare-request.ts'
import { CHANGES, changeToken, type TokenChange } from '../../server/tokens.ts'
import { Values } from '../../server/values.ts'
import { SECRET, sign as signed } from './minimal-server.ts'

const character = fc.integer({ min: 0x21, max: 0x7e }).map(code => String.fromCharCode(code))
const anyToken = fc.string({ unit: character, minLength: 1, maxLength: 80 })
const changes = Object.keys(CHANGES) as TokenChange[]
const encoded = (text: string, encoding: BufferEncoding = 'base64url') => Buffer.from(text).toString(encoding)

t.test('a changed token differs from the original and fits into a header, or is undefined', async () => {
  fc.assert(
    fc.property(anyToken, fc.constantFrom(...changes), (token, change) => {
      const changed = changeToken(token, change)
      return changed === undefined || (changed !== token && /^[!-~]+$/.test(changed))
    })
  )
})

t.test('a hexadecimal token stays hexadecimal when a character is changed, and its case is not changed', async t => {
  const changes = ['first changed', 'middle changed', 'end changed', 'last changed'] as const
  fc.assert(
    fc.property(fc.uuid(), fc.constantFrom(...changes), (token, change) =>
      /^[\da-f-]{36}$/.test(changeToken(token, change) ?? '')
    )
  )
  t.equal(changeToken('0a1b-2c', 'other case'), undefined)
  t.equal(changeToken('0a1b-2c', 'appended'), '0a1b-2cabcd')
  t.equal(changeToken('0a1b-2G', 'other case'), '0A1B-2g')
})

t.test('a changed token decodes to other bytes, even for a server that decodes Base64', async () => {
  const changes = ['first changed', 'middle changed', 'end changed', 'appended', 'first half', 'end cut'] as const
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16 }), fc.constantFrom(...changes), (bytes, change) => {
      const token = Buffer.from(bytes).toString('base64')
      const changed = Buffer.from(changeToken(token, change) ?? '', 'base64')
      return !changed.equals(Buffer.from(bytes))
    })
  )
})

t.test('a change of the content applies to readable content only, and keeps the encoding of the token', async t => {
  for (const encoding of ['base64', 'base64url'] as const) {
    const changed = changeToken(`${encoded('{"user":"ada?","until":17}', encoding)}.sig`, 'content changed')
    t.equal(changed, `${encoded('{"user":"ada?","until":18}', encoding)}.sig`)
  }
  t.equal(changeToken('fn5+MTc', 'content changed'), 'fn5+MTg')
  const hexadecimal = encoded('until=1790000000;user=ada', 'hex')
  t.equal(changeToken(hexadecimal, 'number changed'), encoded('until=1790000001;user=ada', 'hex'))
  t.equal(changeToken('not.readable', 'content changed'), undefined)
  t.equal(changeToken(encoded('----', 'base64'), 'content changed'), undefined)
})

t.test('a JWT must have two JSON objects, an algorithm and a signature', async t => {
  t.match(parseJwt(signed({ sub: 'grace' })), { header: { alg: 'HS256' }, claims: { sub: 'grace' } })
  const object = encoded('{}')
  const header = encoded('{"alg":1}')
  const others = [
    ...['', 'a', 'a.b', 'a.b.c', `${header}.${object}`, `${header}.${object}.x.y`, `${object}.${object}.`],
    ...['[]', 'null'].flatMap(json => [`${encoded(json)}.${object}.x`, `${header}.${encoded(json)}.x`])
  ]
  for (const token of others) t.equal(parseJwt(token), undefined, token)
})

t.test('a part of a JWT without a patch keeps its bytes', async t => {
  const header = encoded('{ "alg": "HS256" }')
  const token = `${header}.${encoded('{ "sub": "ada" }')}.AAAA`
  const jwt = parseJwt(token) as Jwt
  t.equal(changeJwt(jwt, { signature: 'empty' }, {}), token.replace('AAAA', ''))
  t.ok(changeJwt(jwt, { signature: 'kept', claims: { sub: 'bob' } }, {})?.startsWith(`${header}.`))
})

t.test('a JWT is signed with another algorithm, or contains its own key, if the algorithm is known', async t => {
  const kinds = {
    other: 'right key, other algorithm',
    own: 'own key',
    foreign: 'other key',
    right: 'right key'
  } as const
  for (const [alg, kind, expected] of [
    ['HS256', 'other', { alg: 'HS512' }],
    ['HS512', 'other', { alg: 'HS256' }],
    ['RS256', 'other', { alg: 'RS512' }],
    ['PS256', 'other', { alg: 'RS256' }],
    ['ES256', 'other', undefined],
    ['XS256', 'foreign', undefined],
    ['ES256', 'own', { alg: 'ES256', header: { jwk: {} } }],
    ['HS256', 'own', { alg: 'RS256', header: { jwk: {} } }]
  ] as const) {
    const jwt = parseJwt(`${encoded(JSON.stringify({ alg }))}.e30.`) as Jwt
    const key = newKey(alg === 'XS256' ? 'HS256' : alg)
    const changed = changeJwt(jwt, { signature: kinds[kind] }, { key })
    t.match(changed && parseJwt(changed), expected, `${alg}: ${kinds[kind]}`)
  }
})

t.test('a request is omitted if its change leaves the JWT as it is', async t => {
  const settings = checkServerOptions('http://host', { noAuth: true })
  const request = { method: 'GET', path: '/', bearer: { jwt: { signature: 'kept' as const } } }
  const values = new Values(settings, { token: signed({ sub: 'grace' }), responses: new Map() }, 'x')
  t.equal(prepareRequest(request, request, values, {}), undefined)
})

t.test('each algorithm verifies only signatures of its own key', async t => {
  for (const alg of ['HS256', 'HS512', 'RS256', 'PS384', 'ES256', 'ES384', 'ES512', 'EdDSA']) {
    const key = newKey(alg)
    const signature = sign('content', alg, key)
    t.ok(verifies('content', signature, alg, key), alg)
    t.notOk(verifies('another content', signature, alg, key), alg)
    t.notOk(verifies('content', signature, alg, newKey(alg)), alg)
  }
})

t.test('a key of another kind verifies nothing, and an unknown algorithm is not asymmetric', async t => {
  for (const [alg, kind] of [
    ['HS256', 'RS256'],
    ['RS256', 'HS256'],
    ['EdDSA', 'RS256'],
    ['RS256', 'EdDSA'],
    ['toString', 'HS256']
  ] as const)
    t.notOk(verifies('content', 'AAAA', alg, newKey(kind)), `${alg} with a key for ${kind}`)
  t.notOk(isAsymmetric('none'))
  t.notOk(isKnown('none'))
})

t.test('a private key may be PEM or a JWK, and a JWK may be a secret', async t => {
  const key = newKey('ES256')
  const signature = sign('content', 'ES256', key)
  for (const text of [
    key.export({ format: 'pem', type: 'pkcs8' }).toString(),
    key.export({ format: 'pem', type: 'sec1' }).toString(),
    JSON.stringify(key.export({ format: 'jwk' }))
  ])
    t.ok(verifies('content', signature, 'ES256', readSigningKey(text)))
  const secret = readSigningKey(` {"kty":"oct","k":"${encoded(SECRET)}"}`)
  t.equal(findKey(signed({ sub: 'grace' }), [secret]), secret)
})

t.test('a public key in PEM stays as it is, and a public JWK becomes SPKI', async t => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const old = publicKey.export({ format: 'pem', type: 'pkcs1' }).toString()
  t.equal(readPublicKey(old), old)
  t.equal(readPublicKey(JSON.stringify(publicJwk(privateKey))), publicPem(privateKey))
  t.equal(publicPem(createPublicKey(old)), publicPem(privateKey))
})
