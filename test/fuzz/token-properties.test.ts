import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { base64url, host, SECRET } from '../helpers.ts'
import { expected, type Server, seen, userOf } from './oracle.ts'
import { holds, MANY } from './runs.ts'
import { exchange, parseAnswer } from './socket.ts'

/** Half a second past a full one, so that both sides of every limit can be met. */
const TIME = 1_800_000_000_500
const SECOND = 1_800_000_000

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

const sign = (input: string, secret: string | Buffer = SECRET, hash = 'sha256') =>
  `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`
const token = (header: string, payload: string, secret?: string | Buffer, hash?: string) =>
  sign(`${base64url(header)}.${base64url(payload)}`, secret, hash)

const HEADER = '{"alg":"HS256","typ":"JWT"}'
const PAYLOAD = `{"sub":"ada","display_name":"Ada Lovelace","iat":${SECOND - 60},"exp":${SECOND + 60}}`
const VALID = token(HEADER, PAYLOAD)

/** A host whose clock the test sets, and judges that compare what it answers with what the oracle says. */
async function setUp(t: Test, secrets: (string | Buffer)[] = [SECRET]) {
  const server: Server = { secrets, time: TIME }
  t.intercept(Date, 'now', { value: () => server.time })
  const app = await host(t, { secret: secrets })
  await app.ready()
  const statuses = new Set<unknown>()
  return {
    app,
    server,
    /** The statuses that were right so far: a property that never meets a 200 proves little. */
    statuses,
    async judge(authorization: string) {
      const answer = seen(await app.inject({ url: '/screen', headers: { authorization } }))
      assert.deepEqual(answer, expected(authorization, server))
      statuses.add(answer[0])
    },
    async judgeToken(token: string) {
      const user = await app.screenAuth.verifyToken(token)
      assert.equal(JSON.stringify(user), JSON.stringify(userOf(token, server)))
      statuses.add(user === null ? 401 : 200)
    }
  }
}

const anyText = fc.string({ unit: 'binary', maxLength: 200 })
const base64Text = fc
  .base64String({ maxLength: 120 })
  .map(text => text.replaceAll('+', '-').replaceAll('/', '_'))
const dotted = fc
  .array(fc.oneof(base64Text, fc.constantFrom(...VALID.split('.'))), { maxLength: 6 })
  .map(segments => segments.join('.'))

/** The JSON text of a value: text, because 1e400 and a second member of one name are not to be had otherwise. */
const number = fc.oneof(
  fc.integer({ min: -3, max: 3 }).map(step => String(SECOND + step)),
  fc.double().map(value => JSON.stringify(value)),
  fc.bigInt().map(String),
  fc.constantFrom(
    '0',
    '-0',
    '-1',
    '1e300',
    '-1e300',
    '1e400',
    '-1e400',
    '1e308',
    '18e8',
    '1.8e+9',
    '8640000000001'
  ),
  fc.constantFrom(
    `${SECOND}.0`,
    `${SECOND}.5`,
    `${SECOND}.4`,
    `${SECOND + 1}.5`,
    `${SECOND}.00000001`,
    '2147483648'
  )
)
const json = fc.oneof(
  number,
  fc.json(),
  number.map(text => `"${text}"`),
  fc.constantFrom(
    'null',
    'true',
    'false',
    '""',
    '[]',
    '{}',
    '"HS256"',
    '["HS256"]',
    '"none"',
    '"JWT"',
    '"jwt"',
    '["JWT"]'
  )
)
type Member = [name: string, json: string]
const member = (names: string[]) =>
  fc.tuple(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, fc.string()), json)

/** One member: mostly right, sometimes anything, sometimes not there, sometimes there twice. */
function mostly(name: string, right: fc.Arbitrary<string>): fc.Arbitrary<Member[]> {
  const one = (value: fc.Arbitrary<string>) => value.map((text): Member[] => [[name, text]])
  return fc.oneof(
    { weight: 16, arbitrary: one(right) },
    { weight: 1, arbitrary: one(json) },
    { weight: 1, arbitrary: fc.constant<Member[]>([]) },
    {
      weight: 1,
      arbitrary: fc.tuple(json, right).map(([a, b]): Member[] => [
        [name, a],
        [name, b]
      ])
    },
    {
      weight: 1,
      arbitrary: fc.tuple(right, json).map(([a, b]): Member[] => [
        [name, a],
        [name, b]
      ])
    }
  )
}

const objectText = (...groups: fc.Arbitrary<Member[]>[]) =>
  fc.tuple(...groups).map(
    members =>
      `{${members
        .flat()
        .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
        .join()}}`
  )
const further = (...names: string[]) =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant<Member[]>([]) },
    { weight: 1, arbitrary: fc.array(member(names), { maxLength: 3 }) }
  )

const anyHeader = objectText(
  further('alg', 'typ', 'crit', '__proto__'),
  mostly('alg', fc.constant('"HS256"')),
  fc.oneof(mostly('typ', fc.constant('"JWT"')), fc.constant<Member[]>([])),
  further(
    'crit',
    'b64',
    'zip',
    'enc',
    'kid',
    'jku',
    'jwk',
    'cty',
    'Alg',
    '__proto__',
    'constructor',
    'toString'
  )
)
const anyClaims = objectText(
  further('sub', 'exp', 'nbf', '__proto__'),
  mostly(
    'sub',
    fc.string({ unit: 'grapheme', minLength: 1 }).map(text => JSON.stringify(text))
  ),
  mostly(
    'display_name',
    fc.string({ unit: 'binary' }).map(text => JSON.stringify(text))
  ),
  mostly('iat', fc.integer({ min: -SECOND, max: SECOND }).map(String)),
  mostly('exp', fc.integer({ min: SECOND + 1, max: SECOND * 3 }).map(String)),
  fc.oneof(fc.constant<Member[]>([]), mostly('nbf', fc.integer({ max: SECOND }).map(String))),
  further('nbf', 'aud', 'iss', 'Sub', 'crit', '__proto__', 'constructor', 'valueOf')
)

/** A change of a text that has dots. `at` and `to` are places, whatever its length. */
type Change = (text: string, at: number, to: number, character: string) => string
const place = (text: string, at: number) => at % (text.length + 1)
const segments =
  (change: (all: string[], at: number, to: number) => string[]): Change =>
  (text, at, to) => {
    const all = text.split('.')
    return change(all, at % all.length, to % all.length).join('.')
  }
const splice = (text: string, at: number, remove: number, insert = '') =>
  text.slice(0, place(text, at)) + insert + text.slice(place(text, at) + remove)
const CHANGES: Record<string, Change> = {
  'flip a bit': (text, at, to) =>
    splice(text, at, 1, String.fromCharCode((text.charCodeAt(place(text, at)) || 0) ^ (1 << (to % 8)))),
  replace: (text, at, _, character) => splice(text, at, 1, character),
  insert: (text, at, _, character) => splice(text, at, 0, character),
  delete: (text, at) => splice(text, at, 1),
  truncate: (text, at) => text.slice(0, place(text, at)),
  behead: (text, at) => text.slice(place(text, at)),
  repeat: (text, at) => splice(text, at, 0, text),
  'change the case': (text, at) => {
    const character = text[place(text, at)] ?? ''
    const other = character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase()
    return splice(text, at, 1, other)
  },
  'upper case': text => text.toUpperCase(),
  'swap segments': segments((all, at, to) => all.with(at, all[to] as string).with(to, all[at] as string)),
  'drop a segment': segments((all, at) => all.toSpliced(at, 1)),
  'double a segment': segments((all, at, to) => all.toSpliced(at, 0, all[to] as string)),
  'empty a segment': segments((all, at) => all.with(at, ''))
}
const change = fc.record({
  name: fc.constantFrom(...Object.keys(CHANGES)),
  at: fc.nat(1000),
  to: fc.nat(1000),
  character: fc.oneof(
    fc.constantFrom(...'AQgw_-.=+/ \t\n"{}:,%\0é'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })
  )
})
const changes = fc.array(change, { maxLength: 3 })
const changed = (text: string, list: (typeof change extends fc.Arbitrary<infer C> ? C : never)[]) =>
  list.reduce(
    (result, { name, at, to, character }) => (CHANGES[name] as Change)(result, at, to, character),
    text
  )

/** Among few cases one of the two may well be missing. */
function meets(t: Test, statuses: Set<unknown>): void {
  if (MANY) t.strictSame([...statuses].sort(), [200, 401], 'both answers were met')
}

t.test('any text as the Authorization header is 401', async t => {
  const { judge } = await setUp(t)
  await holds(t, fc.asyncProperty(anyText, judge))
})

t.test('any text behind Bearer, however that is written, is judged as the oracle judges it', async t => {
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
})

t.test(
  'a valid Authorization header that is changed in any way is 401, unless the change means nothing',
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

t.test('a valid token that is changed in any way is none, unless it is the same again', async t => {
  const { judgeToken, statuses } = await setUp(t)
  await holds(
    t,
    fc.asyncProperty(changes, list => judgeToken(changed(VALID, list))),
    5
  )
  meets(t, statuses)
})

t.test('any text and any segments are no token', async t => {
  const { judgeToken } = await setUp(t)
  await holds(t, fc.asyncProperty(fc.oneof(anyText, dotted), judgeToken), 2)
})

t.test('a signature with a changed bit is none, however it is written', async t => {
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

t.test('of all last characters of a signature one is right, though four are the same bytes', async t => {
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

t.test('any claims, signed with the right key, are judged as the oracle judges them', async t => {
  const { judge, statuses } = await setUp(t)
  await holds(
    t,
    fc.asyncProperty(anyClaims, claims => judge(`Bearer ${token(HEADER, claims)}`)),
    3
  )
  meets(t, statuses)
})

t.test('any header, signed with the right key, is judged as the oracle judges it', async t => {
  const { judge, statuses } = await setUp(t)
  await holds(
    t,
    fc.asyncProperty(anyHeader, header => judge(`Bearer ${token(header, PAYLOAD)}`)),
    3
  )
  meets(t, statuses)
})

t.test('any header and claims, signed with the right key, are judged as the oracle judges them', async t => {
  const { judgeToken, statuses } = await setUp(t)
  await holds(
    t,
    fc.asyncProperty(anyHeader, anyClaims, (header, claims) => judgeToken(token(header, claims))),
    5
  )
  meets(t, statuses)
})

t.test(
  'any JSON as header or claims, signed with the right key, is judged as the oracle judges it',
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
  'a changed text of header or claims, signed with the right key, is judged as the oracle judges it',
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

t.test(
  'any segments, signed with the right key as they are, are judged as the oracle judges them',
  async t => {
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
  }
)

t.test('a token that is signed with any other key or hash is none', async t => {
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

t.test('of several secrets each verifies, and no other', async t => {
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

t.test('at any moment a token is judged to the millisecond', async t => {
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

t.test('a user of any name comes out of a token as it went in, and the oracle reads the same', async t => {
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

t.test('without a valid token every method and every path is 401, but for the login itself', async t => {
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
      // An inject takes what follows two slashes for a host.
      const url = path.replace(/^\/*/, '/') + query
      const answer = await app.inject({ method: method as 'GET', url, headers: { authorization } })
      const isPublic = new URL(url, 'http://x').pathname === '/auth/login' && /^(GET|HEAD|POST)$/.test(method)
      if (isPublic) assert.notEqual(answer.statusCode, 401)
      else if (verdict[0] === 200) assert.match(String(answer.statusCode), /^(200|404)$/)
      // Fastify refuses a URL that cannot be decoded before any hook runs.
      else if (answer.statusCode === 400) assert.equal(answer.json().code, 'FST_ERR_BAD_URL')
      else assert.deepEqual(seen(answer), verdict)
    })
  )
})

t.test(
  'over a socket, any bytes that HTTP lets into a header are judged as the oracle judges them',
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
        const { statusCode, headers, body } = parseAnswer(
          await exchange(app, [Buffer.from(request, 'latin1')])
        )
        const verdict = expected(header.replace(/^[\t ]+|[\t ]+$/g, ''), server)
        const answer =
          statusCode === 200
            ? [200, body]
            : [statusCode, body, headers['www-authenticate'], headers['cache-control']]
        assert.deepEqual(answer, verdict)
      }),
      0.1
    )
  }
)
