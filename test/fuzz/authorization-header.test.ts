import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { base64url } from '../helpers.ts'
import { anyClaims, anyHeader, anyText, changed, changes, dotted, VALID } from './jwt-arbitraries.ts'
import { expected, meets, seen, setUp } from './oracle.ts'
import { holds } from './runs.ts'
import { exchange, parseResponse } from './socket.ts'

t.test('any text as the Authorization header is 401', async t => {
  const { judge } = await setUp(t)
  await holds(t, fc.asyncProperty(anyText, judge))
})

t.test(
  'any text after Bearer is accepted only if it is a valid token, however Bearer is written',
  async t => {
    const { judge, statuses } = await setUp(t)
    const scheme = fc.oneof(
      fc.mixedCase(fc.constant('bearer')),
      fc.constantFrom('Basic', 'Bearer:', 'Token', 'DPoP', '')
    )
    const space = fc.oneof(
      fc.nat(3).map(n => ' '.repeat(n)),
      fc.constantFrom('\t', '\n', '\u00a0', ' \t')
    )
    const sent = fc.oneof(fc.constant(VALID), dotted, anyText)
    await holds(
      t,
      fc.asyncProperty(scheme, space, sent, space, (...parts) => judge(parts.join('')))
    )
    meets(t, statuses)
  }
)

t.test(
  'a valid Authorization header that is changed in any way is 401, unless it is still valid',
  async t => {
    const { judge, statuses } = await setUp(t)
    await holds(
      t,
      fc.asyncProperty(changes, list => judge(changed(`Bearer ${VALID}`, list))),
      3
    )
    meets(t, statuses)
  }
)

t.test('other claims or another header under an old signature are 401', async t => {
  const { judge } = await setUp(t)
  const [header, payload, signature] = VALID.split('.') as [string, string, string]
  await holds(
    t,
    fc.asyncProperty(anyHeader, anyClaims, fc.constantFrom(0, 1, 2), (otherHeader, otherClaims, which) =>
      judge(
        `Bearer ${which === 1 ? header : base64url(otherHeader)}.${which === 2 ? payload : base64url(otherClaims)}.${signature}`
      )
    )
  )
})

t.test('without a valid token every method and every path is 401, except the login itself', async t => {
  const { app, server } = await setUp(t)
  const method = fc.constantFrom(
    'GET',
    'HEAD',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'OPTIONS',
    'TRACE',
    'PROPFIND'
  )
  const part = fc.constantFrom(
    'auth',
    'login',
    'menu',
    'main',
    'screen',
    '..',
    '.',
    '',
    '%2e%2e',
    'LOGIN',
    'login;',
    'x%00'
  )
  const path = fc.oneof(
    fc.array(fc.oneof(part, fc.webSegment()), { maxLength: 5 }).map(parts => `/${parts.join('/')}`),
    fc.webPath()
  )
  const query = fc.oneof(
    fc.constant(''),
    fc.constant(`?access_token=${VALID}`),
    fc.webQueryParameters().map(q => `?${q}`)
  )
  const authorization = changes.map(list => changed(`Bearer ${VALID}`, list))
  await holds(
    t,
    fc.asyncProperty(method, path, query, authorization, async (method, path, query, authorization) => {
      const verdict = expected(authorization, server)
      // `inject` takes the text after two leading slashes for a host.
      const url = path.replace(/^\/*/, '/') + query
      const response = await app.inject({ method: method as 'GET', url, headers: { authorization } })
      const isPublic = new URL(url, 'http://x').pathname === '/auth/login' && /^(GET|HEAD|POST)$/.test(method)
      if (isPublic) assert.notEqual(response.statusCode, 401)
      else if (verdict[0] === 200) assert.match(String(response.statusCode), /^(200|404)$/)
      // Fastify refuses a URL that cannot be decoded before any hook runs.
      else if (response.statusCode === 400) assert.equal(response.json().code, 'FST_ERR_BAD_URL')
      else assert.deepEqual(seen(response), verdict)
    })
  )
})

t.test(
  'over a socket, any bytes in the Authorization header are accepted only if they are valid',
  async t => {
    const { app, server } = await setUp(t)
    await app.listen()
    const bytes = fc.uint8Array({ maxLength: 60 }).map(all => Buffer.from(all).toString('latin1'))
    const value = fc.oneof(
      bytes,
      bytes.map(text => `Bearer ${text}`),
      changes.map(list => changed(`Bearer ${VALID}`, list))
    )
    await holds(
      t,
      fc.asyncProperty(value, async text => {
        const header = Buffer.from(text, 'latin1')
          .toString('latin1')
          .replace(/[^\t\x20-\x7e\x80-\xff]/g, '!')
        const request = `GET /screen HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${header}\r\n\r\n`
        const { statusCode, headers, body } = parseResponse(
          await exchange(app, [Buffer.from(request, 'latin1')])
        )
        const verdict = expected(header.replace(/^[\t ]+|[\t ]+$/g, ''), server)
        const response =
          statusCode === 200
            ? [200, body]
            : [statusCode, body, headers['www-authenticate'], headers['cache-control']]
        assert.deepEqual(response, verdict)
      }),
      0.1
    )
  }
)
