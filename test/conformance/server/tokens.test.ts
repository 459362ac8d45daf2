import fc from 'fast-check'
import t from 'tap'
import type { TokenChange } from '../../../conformance/cases.ts'
import { changeJwt, parseJwt } from '../../../conformance/server/jwt.ts'
import { newKey } from '../../../conformance/server/keys.ts'
import { changeToken } from '../../../conformance/server/tokens.ts'
import { sign } from './minimal-server.ts'

const CHANGES: TokenChange[] = [
  'first changed',
  'middle changed',
  'end changed',
  'last changed',
  'first half',
  'second half',
  'first character',
  'end cut',
  'appended',
  'prepended',
  'part appended',
  'symbol inserted',
  'two swapped',
  'other case',
  'content changed'
]

const character = fc.integer({ min: 0x21, max: 0x7e }).map(code => String.fromCharCode(code))
const anyToken = fc.string({ unit: character, minLength: 1, maxLength: 80 })

t.test('a changed token is another one that a header can carry, or there is none', async t => {
  fc.assert(
    fc.property(anyToken, fc.constantFrom(...CHANGES), (token, change) => {
      const changed = changeToken(token, change)
      return changed === undefined || (changed !== token && /^[!-~]+$/.test(changed))
    })
  )
  t.pass()
})

t.test('a hexadecimal token stays one when a character is changed, and its case does not count', async t => {
  const changes = ['first changed', 'middle changed', 'end changed', 'last changed'] as const
  fc.assert(
    fc.property(fc.uuid(), fc.constantFrom(...changes), (token, change) =>
      /^[\da-f-]{36}$/.test(changeToken(token, change) ?? '')
    )
  )
  t.equal(changeToken('0a1b-2c', 'other case'), undefined)
  t.equal(changeToken('0a1b-2G', 'other case'), '0A1B-2g')
})

t.test('a changed token has other bytes also for a server that decodes Base64', async t => {
  const changes = [
    'first changed',
    'middle changed',
    'end changed',
    'appended',
    'first half',
    'end cut'
  ] as const
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16 }), fc.constantFrom(...changes), (bytes, change) => {
      const token = Buffer.from(bytes).toString('base64')
      const changed = Buffer.from(changeToken(token, change) ?? '', 'base64')
      return !changed.equals(Buffer.from(bytes))
    })
  )
  t.pass()
})

t.test('a JWT is recognised, and nothing else', async t => {
  t.match(parseJwt(sign({ sub: 'grace' })), { header: { alg: 'HS256' }, claims: { sub: 'grace' } })
  for (const token of [
    '',
    'a',
    'a.b',
    'a.b.c',
    'e30.e30.',
    'W10.e30.x',
    'bnVsbA.e30.x',
    'eyJhbGciOjF9.W10.x',
    'eyJhbGciOjF9.e30.x.y'
  ]) {
    t.equal(parseJwt(token), undefined, token)
  }
  fc.assert(fc.property(anyToken, token => parseJwt(token) === undefined))
})

t.test('another algorithm is one that the token does not have and its key can sign with', async t => {
  for (const [alg, other] of [
    ['HS256', 'HS512'],
    ['HS512', 'HS256'],
    ['RS256', 'RS512'],
    ['PS256', 'RS256'],
    ['ES256', undefined]
  ] as const) {
    const jwt = { header: { alg }, claims: {}, signature: '' }
    const changed = changeJwt(jwt, { signature: 'right key, other algorithm' }, { key: newKey(alg) })
    t.equal(parseJwt(changed ?? '')?.header.alg, other)
  }
})

t.test('the content of a token is changed where it can be read, and the token keeps its form', async t => {
  const encoded = (text: string, encoding: BufferEncoding) => Buffer.from(text).toString(encoding)
  for (const encoding of ['base64', 'base64url'] as const) {
    const changed = changeToken(`${encoded('{"user":"ada?","until":17}', encoding)}.sig`, 'content changed')
    t.equal(changed, `${encoded('{"user":"ada?","until":12}', encoding)}.sig`)
  }
  t.equal(changeToken('fn5+MTc', 'content changed'), 'fn5+MTI')
  t.equal(changeToken('not.readable', 'content changed'), undefined)
  t.equal(changeToken(encoded('----', 'base64'), 'content changed'), undefined)
})
