import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import t from 'tap'
import type { TokenChange } from '../../cases.ts'
import { changeJwt, type Jwt, parseJwt } from '../../server/jwt.ts'
import { newKey } from '../../server/keys.ts'
import { prepareRequest } from '../../server/prepare-request.ts'
import { changeToken } from '../../server/tokens.ts'
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
  'content changed',
  'number changed'
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
    const jwt = parseJwt(`${Buffer.from(JSON.stringify({ alg })).toString('base64url')}.e30.`) as Jwt
    const changed = changeJwt(jwt, { signature: 'right key, other algorithm' }, { key: newKey(alg) })
    t.equal(parseJwt(changed ?? '')?.header.alg, other)
  }
})

t.test('the content of a token is changed where it can be read, and the token keeps its form', async t => {
  const encoded = (text: string, encoding: BufferEncoding) => Buffer.from(text).toString(encoding)
  for (const encoding of ['base64', 'base64url'] as const) {
    const changed = changeToken(`${encoded('{"user":"ada?","until":17}', encoding)}.sig`, 'content changed')
    t.equal(changed, `${encoded('{"user":"ada?","until":18}', encoding)}.sig`)
  }
  t.equal(changeToken('fn5+MTc', 'content changed'), 'fn5+MTg')
  const hex = Buffer.from('until=1790000000;user=ada').toString('hex')
  t.equal(changeToken(hex, 'number changed'), Buffer.from('until=1790000001;user=ada').toString('hex'))
  t.equal(changeToken('not.readable', 'content changed'), undefined)
  t.equal(changeToken(encoded('----', 'base64'), 'content changed'), undefined)
})

t.test(
  'a JWT keeps what is not patched byte for byte, and one with an unknown algorithm is not signed',
  async t => {
    const spaced = `${Buffer.from('{ "alg": "HS256" }').toString('base64url')}.${Buffer.from('{ "sub": "ada" }').toString('base64url')}.AAAA`
    const jwt = parseJwt(spaced) as Jwt
    t.equal(changeJwt(jwt, { signature: 'empty' }, {}), spaced.replace('AAAA', ''))
    t.equal(
      changeJwt(jwt, { signature: 'kept', claims: { sub: 'bob' } }, {})?.split('.')[0],
      spaced.split('.')[0]
    )
    const strange = parseJwt(`${Buffer.from('{"alg":17}').toString('base64url')}.e30.`) as Jwt
    for (const signature of ['other key', 'right key'] as const)
      t.equal(changeJwt(strange, { signature }, { key: newKey('HS256') }), undefined)
    t.match(changeJwt(strange, { signature: 'own key' }, {}), /^ey/)
  }
)

t.test('the page for authors of a runner shows each change of a token as it is made', async t => {
  const page = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `([a-z ]+)` \| .* \| `(\S+)` \|$/gm)]
  t.strictSame(rows.map(([, change]) => change).sort(), [...CHANGES].sort())
  const token = 'WyJhZGEiLDE3XQ.Ab1-9z'
  for (const [, change, changed] of rows)
    t.equal(changeToken(token, change as TokenChange) ?? 'none', changed, `${change}`)
})

t.test('a request is left out when its change leaves the JWT as it is', async t => {
  const values = {
    token: sign({ sub: 'grace' }),
    origin: '',
    base: '',
    username: '',
    password: '',
    random: 'x'
  }
  const others = { 'second username': '', 'second password': '', 'app name': '', answers: {} }
  const request = { method: 'GET', path: '/', bearer: { jwt: { signature: 'kept' as const } } }
  t.equal(prepareRequest(request, { ...values, ...others }), undefined)
})
