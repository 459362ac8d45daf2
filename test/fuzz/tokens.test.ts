import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { SECRET } from '../helpers.ts'
import { holds } from './runs.ts'
import { exchange, parseResponse } from './socket.ts'
import {
  anyClaims,
  anyHeader,
  anyText,
  changed,
  dotted,
  expected,
  HEADER,
  json,
  PAYLOAD,
  seen,
  setUp,
  sign,
  token,
  VALID
} from './tokens.ts'

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

t.test('a token with any JSON as header or claims is valid only if both are valid', async t => {
  const { judgeToken } = await setUp(t)
  const headerText = fc.oneof(fc.constant(HEADER), fc.json(), json)
  const claimsText = fc.oneof(fc.constant(PAYLOAD), fc.json(), json)
  await holds(t, 2, [headerText, claimsText], (header, claims) => judgeToken(token(header, claims)))
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

t.test('correctly signed segments are valid only if they are a header and claims', async t => {
  const { judgeToken } = await setUp(t)
  const segment = fc.oneof(anyText, dotted, fc.constantFrom(...VALID.split('.')))
  await holds(t, 1, [segment, segment], (one, other) => judgeToken(sign(`${one}.${other}`)))
})

t.test('a token that is signed with another key or another hash is invalid', async t => {
  const { judgeToken, meetsBoth } = await setUp(t)
  const key = fc.oneof(
    fc.constant(SECRET),
    changed(SECRET),
    fc.uint8Array({ maxLength: 80 }).map(bytes => Buffer.from(bytes))
  )
  const alg = fc.constantFrom('HS256', 'HS256', 'HS384', 'HS512', 'RS256', 'none')
  const hash = fc.constantFrom('sha256', 'sha256', 'sha384', 'sha512', 'sha1', 'sha512-256')
  await holds(t, 1, [key, alg, hash], (secret, alg, hash) =>
    judgeToken(token(JSON.stringify({ alg, typ: 'JWT' }), PAYLOAD, secret, hash))
  )
  meetsBoth()
})

t.test('a token is valid with each of several secrets, and with no other', async t => {
  const secrets = [SECRET, Buffer.from('second-secret-of-at-least-32-byte'), Buffer.alloc(40, 0xfe)]
  const { judge, meetsBoth } = await setUp(t, secrets)
  const key = fc.oneof(
    fc.constantFrom<string | Buffer>(...secrets, secrets.join(''), ''),
    fc.uint8Array({ minLength: 32, maxLength: 40 }).map(bytes => Buffer.from(bytes))
  )
  await holds(t, 1, [key, anyClaims], (secret, claims) => judge(`Bearer ${token(HEADER, claims, secret)}`))
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
  const sent = fc.oneof(fc.constant(VALID), dotted, anyText)
  await holds(t, 1, [scheme, space, sent, space], (...parts) => judge(parts.join('')))
  meetsBoth()
})

t.test('a valid Authorization header that is changed gets 401, unless it is still valid', async t => {
  const { judge, meetsBoth } = await setUp(t)
  await holds(t, 3, [changed(`Bearer ${VALID}`)], judge)
  meetsBoth()
})

t.test('every method and path except the login gets 401 without a valid token', async t => {
  const { app } = await setUp(t)
  const method = fc.constantFrom(...'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PROPFIND'.split(' '))
  const part = fc.constantFrom('', ...'auth login menu main screen .. . %2e%2e LOGIN login; x%00'.split(' '))
  const path = fc.oneof(
    fc.array(fc.oneof(part, fc.webSegment()), { maxLength: 5 }).map(parts => `/${parts.join('/')}`),
    fc.webPath()
  )
  const query = fc.oneof(
    fc.constant(''),
    fc.constant(`?access_token=${VALID}`),
    fc.webQueryParameters().map(q => `?${q}`)
  )
  await holds(t, 1, [method, path, query, changed(`Bearer ${VALID}`)], async (...[method, path, query, sent]) => {
    const verdict = expected(sent)
    // `inject` reads the text after two leading slashes as a host.
    const url = path.replace(/^\/*/, '/') + query
    const response = await app.inject({ method: method as 'GET', url, headers: { authorization: sent } })
    const isPublic = new URL(url, 'http://x').pathname === '/auth/login' && /^(GET|HEAD|POST)$/.test(method)
    if (isPublic) assert.notEqual(response.statusCode, 401)
    else if (verdict[0] === 200) assert.match(String(response.statusCode), /^(200|404)$/)
    // Fastify refuses a URL that cannot be decoded before any hook runs.
    else if (response.statusCode === 400) assert.equal(response.json().code, 'FST_ERR_BAD_URL')
    else assert.deepEqual(seen(response), verdict)
  })
})

t.test('bytes in an Authorization header over a socket are accepted only if they are valid', async t => {
  const { app } = await setUp(t)
  await app.listen()
  const bytes = fc.uint8Array({ maxLength: 60 }).map(all => Buffer.from(all).toString('latin1'))
  const value = fc
    .oneof(
      bytes,
      bytes.map(text => `Bearer ${text}`),
      changed(`Bearer ${VALID}`)
    )
    .map(text =>
      Buffer.from(text, 'latin1')
        .toString('latin1')
        .replace(/[^\t\x20-\x7e\x80-\xff]/g, '!')
    )
  await holds(t, 0.1, [value], async header => {
    const request = `GET /screen HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${header}\r\n\r\n`
    const response = parseResponse(await exchange(app, [Buffer.from(request, 'latin1')]))
    assert.deepEqual(seen(response), expected(header.replace(/^[\t ]+|[\t ]+$/g, '')))
  })
})
