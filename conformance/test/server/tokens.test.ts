// Changes of tokens, and the keys that sign and verify tokens, in every supported form.
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { changeJwt, findKey, type Jwt, newKey, parseJwt, publicPem, sign, verifies } from '../../server/jwt.ts'
import { type CheckServerOptions, checkServerOptions } from '../../server/options.ts'
import { CHANGES, changeToken, type TokenChange } from '../../server/tokens.ts'
import { SECRET, sign as signed } from './minimal-server.ts'

const character = fc.integer({ min: 0x21, max: 0x7e }).map(code => String.fromCharCode(code))
const anyToken = fc.string({ unit: character, minLength: 1, maxLength: 80 })
const encoded = (text: string, encoding: BufferEncoding = 'base64url') => Buffer.from(text).toString(encoding)

t.test('a changed token differs from the original and fits into a header, or is undefined', async () => {
  fc.assert(
    fc.property(anyToken, fc.constantFrom(...(Object.keys(CHANGES) as TokenChange[])), (token, change) => {
      const changed = changeToken(token, change)
      return changed === undefined || (changed !== token && /^[!-~]+$/.test(changed))
    })
  )
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

t.test('a change keeps the encoding of the token, and applies to readable content only', async t => {
  const hexadecimal = encoded('until=1790000000;user=ada', 'hex')
  const rows: [token: string, change: TokenChange, changed: string | undefined][] = [
    ['0a1b-2c', 'last changed', '0a1b-2d'],
    ['0a1b-2c', 'other case', undefined],
    ['0a1b-2c', 'appended', '0a1b-2cabcd'],
    ['0a1b-2G', 'other case', '0A1B-2g'],
    [`${encoded('{"user":"ada?","n":17}')}.sig`, 'content changed', `${encoded('{"user":"ada?","n":18}')}.sig`],
    [encoded('ada>>:17', 'base64'), 'content changed', encoded('ada>>:18', 'base64')],
    [hexadecimal, 'number changed', encoded('until=1790000001;user=ada', 'hex')],
    ['not.readable', 'content changed', undefined],
    [encoded('----', 'base64'), 'content changed', undefined]
  ]
  for (const [token, change, changed] of rows) t.equal(changeToken(token, change), changed, `${token}: ${change}`)
})

t.test('a JWT must have two JSON objects, an algorithm and a signature', async t => {
  const object = encoded('{}')
  const header = encoded('{"alg":"HS256"}')
  const others = ['', 'a.b.c', `${header}.${object}`, `${header}.${object}.x.y`, `${object}.${object}.`]
  for (const token of [...others, `${header}.${encoded('[]')}.x`]) t.equal(parseJwt(token), undefined, token)
})

t.test('a part of a JWT without a patch keeps its bytes', async t => {
  const header = encoded('{ "alg": "HS256" }')
  const token = `${header}.${encoded('{ "sub": "ada" }')}.AAAA`
  const jwt = parseJwt(token) as Jwt
  t.equal(changeJwt(jwt, { signature: 'empty' }, {}), token.replace('AAAA', ''))
  t.ok(changeJwt(jwt, { signature: 'kept', claims: { sub: 'bob' } }, {})?.startsWith(`${header}.`))
})

t.test('a JWT is signed with another algorithm, or contains its own key, if the algorithm is known', async t => {
  for (const [alg, signature, expected] of [
    ['HS256', 'right key, other algorithm', { alg: 'HS512' }],
    ['HS512', 'right key, other algorithm', { alg: 'HS256' }],
    ['RS256', 'right key, other algorithm', { alg: 'RS512' }],
    ['PS256', 'right key, other algorithm', { alg: 'RS256' }],
    ['ES256', 'right key, other algorithm', undefined],
    ['XS256', 'other key', undefined],
    ['ES256', 'own key', { alg: 'ES256', header: { jwk: {} } }],
    ['HS256', 'own key', { alg: 'RS256', header: { jwk: {} } }]
  ] as const) {
    const jwt = parseJwt(`${encoded(JSON.stringify({ alg }))}.e30.`) as Jwt
    const key = newKey(alg === 'XS256' ? 'HS256' : alg)
    const changed = changeJwt(jwt, { signature }, { key })
    t.match(changed && parseJwt(changed), expected, `${alg}: ${signature}`)
  }
})

t.test('each algorithm verifies only signatures of its own key', async t => {
  for (const alg of ['HS256', 'HS512', 'RS256', 'PS384', 'ES256', 'ES384', 'ES512', 'EdDSA']) {
    const key = newKey(alg)
    const signature = sign('content', alg, key)
    t.ok(verifies('content', signature, alg, key), alg)
    t.notOk(verifies('another content', signature, alg, key), alg)
    for (const other of [alg, 'HS256', 'EdDSA']) t.notOk(verifies('content', signature, alg, newKey(other)), alg)
  }
  t.notOk(verifies('content', 'AAAA', 'toString', newKey('HS256')))
})

const optionsWith = (options: CheckServerOptions) => checkServerOptions('http://host', { noAuth: true, ...options })

t.test('a private key may be PEM or a JWK, and a secret a JWK, text, Base64 or hexadecimal', async t => {
  const key = newKey('ES256')
  const signature = sign('content', 'ES256', key)
  for (const text of [
    key.export({ format: 'pem', type: 'pkcs8' }).toString(),
    key.export({ format: 'pem', type: 'sec1' }).toString(),
    JSON.stringify(key.export({ format: 'jwk' }))
  ])
    t.ok(verifies('content', signature, 'ES256', optionsWith({ key: text }).keys[0] as typeof key))
  const token = signed({ sub: 'grace' })
  t.ok(findKey(token, optionsWith({ key: ` {"kty":"oct","k":"${encoded(SECRET)}"}` }).keys))
  for (const encoding of ['utf8', 'base64', 'base64url', 'hex'] as const)
    t.ok(findKey(token, optionsWith({ secret: encoded(SECRET, encoding) }).keys), encoding)
})

t.test('a public key in PEM stays as it is, and a public JWK becomes SPKI', async t => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const old = publicKey.export({ format: 'pem', type: 'pkcs1' }).toString()
  t.equal(optionsWith({ publicKey: old }).publicKey, old)
  const jwk = JSON.stringify(publicKey.export({ format: 'jwk' }))
  t.equal(optionsWith({ publicKey: jwk }).publicKey, publicPem(createPublicKey(old)))
})
