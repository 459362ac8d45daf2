// Keys that sign and verify, in the forms in which people have them, and the wrong ones.
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { findKey } from '../../server/jwt.ts'
import {
  isAsymmetric,
  isKnown,
  newKey,
  publicJwk,
  publicPem,
  readPublicKey,
  readSigningKey,
  secretKeys,
  sign,
  verifies
} from '../../server/keys.ts'
import { checkServerOptions } from '../../server/options.ts'
import { SECRET, sign as signedBy } from './minimal-server.ts'

const ALGORITHMS = ['HS256', 'HS512', 'RS256', 'PS384', 'ES256', 'ES384', 'ES512', 'EdDSA']

t.test('each algorithm verifies what its own key has signed, and nothing else', async t => {
  for (const alg of ALGORITHMS) {
    const key = newKey(alg)
    const signature = sign('content', alg, key)
    t.ok(verifies('content', signature, alg, key), alg)
    t.notOk(verifies('another content', signature, alg, key), alg)
    t.notOk(verifies('content', signature, alg, newKey(alg)), alg)
  }
})

t.test('a key of another kind verifies nothing, and an unknown algorithm has none', async t => {
  t.notOk(verifies('content', '', 'HS256', newKey('RS256')))
  t.notOk(verifies('content', '', 'RS256', newKey('HS256')))
  t.notOk(verifies('content', 'AAAA', 'EdDSA', newKey('RS256')))
  t.notOk(verifies('content', 'AAAA', 'RS256', newKey('EdDSA')))
  t.notOk(verifies('content', '', 'toString', newKey('HS256')))
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
  ]) {
    t.ok(verifies('content', signature, 'ES256', readSigningKey(text)))
  }
  const secret = readSigningKey(` {"kty":"oct","k":"${Buffer.from(SECRET).toString('base64url')}"}`)
  t.equal(findKey(signedBy({ sub: 'grace' }), [secret]), secret)
})

t.test('a public key stays as it is given, and is SPKI where it is a JWK', async t => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const old = publicKey.export({ format: 'pem', type: 'pkcs1' }).toString()
  t.equal(readPublicKey(old), old)
  t.equal(readPublicKey(JSON.stringify(publicJwk(privateKey))), publicPem(privateKey))
  t.equal(publicPem(createPublicKey(old)), publicPem(privateKey))
})

t.test('a secret has four readings', async t => {
  t.equal(secretKeys('c2VjcmV0').length, 4)
})

t.test('a key that cannot be read is a wrong option that is named', async t => {
  const given = { username: 'a', password: 'b' }
  const locked = newKey('RS256').export({
    format: 'pem',
    type: 'pkcs8',
    cipher: 'aes-256-cbc',
    passphrase: 'x'
  })
  for (const [options, message] of [
    [{ key: 'no key' }, /^--key must be a private key as PEM or JWK, without a passphrase: /],
    [{ key: publicPem(newKey('RS256')) }, /^--key must be/],
    [{ key: locked.toString() }, /^--key must be/],
    [{ key: '{"kty":' }, /^--key must be/],
    [{ publicKey: 'no key' }, /^--public-key must be a public key/],
    [{ expiredToken: '' }, /^--expired-token must be a token/],
    [{ expiredToken: signedBy({ exp: 9_999_999_999 }) }, /^--expired-token is a JWT that has not expired/],
    [{ lifetime: 0.5 }, /^--lifetime must be a number of seconds from 1/],
    [{ lifetime: Number.NaN }, /^--lifetime/],
    [{ lifetime: 3601 }, /^--lifetime/],
    [{ secondUsername: 'zoe' }, /^--second-username and --second-password belong together/],
    [{ secondUsername: 'a', secondPassword: 'b' }, /another user$/]
  ] as const) {
    t.throws(() => checkServerOptions('http://host', { ...given, ...options }), {
      name: 'CannotRunError',
      message
    })
  }
  const { expiredToken, publicKey } = checkServerOptions('http://host', {
    ...given,
    expiredToken: 'a-token\n',
    key: newKey('EdDSA').export({ format: 'pem', type: 'pkcs8' }).toString()
  })
  t.equal(expiredToken, 'a-token')
  t.match(publicKey, /BEGIN PUBLIC KEY/)
})
