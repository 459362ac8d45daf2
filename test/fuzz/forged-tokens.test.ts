// The token vectors of the conformance kit, and what they lack: tokens that an RFC allows or warns of, and other attacks.
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { ADA, base64url, bearer, claims, forge, host, now, SECRET } from '../helpers.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const CHALLENGE = 'Bearer realm="screen", error="invalid_token"'
const HS256 = { alg: 'HS256', typ: 'JWT' }
const HEADER = JSON.stringify(HS256)

// The tokens are created when the module loads, and must not expire before they are checked.
const right = () => ({ ...claims(), exp: now() + 3600 })
const RIGHT = JSON.stringify(right())

const sealed = (input: string) => `${input}.${createHmac('sha256', SECRET).update(input).digest('base64url')}`
/** Signs header and payload byte for byte. */
const bytes = (header: string, payload: string, encoding: BufferEncoding = 'utf8') =>
  sealed([header, payload].map(text => Buffer.from(text, encoding).toString('base64url')).join('.'))
const header = (members: object) => forge(right(), { ...HS256, ...members })
const payload = (members: object) => forge({ ...right(), ...members })
/** Adds members as JSON text, because JSON.stringify cannot write them. */
const headerText = (members: string) => bytes(HEADER.replace('}', `,${members}}`), RIGHT)
const payloadText = (members: string) => bytes(HEADER, RIGHT.replace(/\}$/, `,${members}}`))
/** The valid claims with other JSON text for a number. */
const number = (name: string, text: string) => forge(RIGHT.replace(new RegExp(`"${name}":\\d+`), `"${name}":${text}`))
const named = (name: string, values: unknown[], token: (value: unknown) => string) =>
  Object.fromEntries(values.map(value => [`${name} ${JSON.stringify(value)}`, token(value)]))

const good = forge(right())
const [h, p, s] = good.split('.') as [string, string, string]
/** The last character carries unused bits: letters that follow decode to the same bytes. */
const respelled = (text: string, step: number) =>
  text.slice(0, -1) + ALPHABET[(ALPHABET.indexOf(text.at(-1) as string) + step) % 64]
/** Pads JSON with spaces until `rest` bytes are left over from groups of three. */
const spare = (json: string, rest: number) => base64url(json.padEnd(json.length + 3 - ((json.length - rest) % 3)))
/** Adds a character that is one too many for whole bytes. A lenient decoder drops it. */
const oneMore = (json: string) => `${spare(json, 0)}A`

const LONG = 'x'.repeat(6000)
const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

/** The user of all accepted tokens is Ada. */
const SOURCES: Record<string, { refused: Record<string, string>; accepted?: Record<string, string> }> = {
  'RFC 7515 section 2 and RFC 4648: segments in base64url': {
    refused: {
      ...named('spelling of the signature', [1, 2, 3], step => `${h}.${p}.${respelled(s, step as number)}`),
      // Only the owner of the key can create these tokens. RFC 4648 3.5 lets a decoder refuse them.
      'unused bits in the header, correctly signed': sealed(`${respelled(spare(HEADER, 2), 1)}.${p}`),
      'unused bits in the payload, correctly signed': sealed(`${h}.${respelled(spare(RIGHT, 2), 1)}`),
      'a header with a character too many, correctly signed': sealed(`${oneMore(HEADER)}.${p}`),
      'a payload with a character too many, correctly signed': sealed(`${h}.${oneMore(RIGHT)}`),
      'a padded header, correctly signed': sealed(`${h}=.${p}`),
      'a trailing line feed': `${good}\n`,
      'two dots, correctly signed': sealed(`${h}..${p}`),
      'four segments, correctly signed': sealed(`${h}.${p}.${s}`),
      'header and signature only': `${h}.${s}`,
      'an empty payload, correctly signed': sealed(`${h}.`),
      'one segment, correctly signed': sealed(h)
    }
  },
  'RFC 7515 section 4: the header': {
    refused: {
      'b64 false without crit': header({ b64: false }),
      'b64 true': header({ b64: true }),
      'zip, not compressed': header({ zip: 'DEF' }),
      'zip null': header({ zip: null }),
      enc: header({ enc: 'A256GCM' }),
      'enc null': header({ enc: null }),
      ...named('crit', [['alg'], [], null, '', {}], crit => header({ crit })),
      'crit in a duplicate': headerText('"crit":["urn:x"],"crit":null'),
      'a duplicate typ, the last one another': headerText('"typ":"at+jwt"')
    },
    accepted: {
      // Section 4 lets a parser use the last of two members with one name.
      'a duplicate alg, the last one HS256': forge(right(), '{"alg":"none","alg":"HS256"}'),
      'crit in another case': header({ Crit: ['urn:x'], 'crit ': 1 }),
      'kid, jku and jwk, which the server ignores': header({
        kid: { $ne: null },
        jku: 'https://evil.example',
        jwk: { kty: 'oct', k: 'AA' }
      }),
      'cty without a nested JWT': header({ cty: 'JWT' })
    }
  },
  'RFC 7519 section 4: the claims': {
    refused: {
      ...Object.fromEntries(
        (['sub', 'display_name', 'iat', 'exp'] as const).flatMap(name => [
          [`no ${name}`, payload({ [name]: undefined })],
          [`${name} only in the header`, forge({ ...right(), [name]: undefined }, { ...HS256, ...right() })],
          ...[null, true, [], {}, [claims()[name]], { value: 1 }].map(value => [
            `${name} that is ${JSON.stringify(value)}`,
            payload({ [name]: value })
          ])
        ])
      ),
      'an empty sub': payload({ sub: '' }),
      'a sub that is a number': payload({ sub: 0 }),
      'a display_name that is a number': payload({ display_name: 7 }),
      'exp now': payload({ exp: now() }),
      'exp with a fraction': payload({ exp: now() + 3600.5 }),
      'exp too large for a double': number('exp', '1e400'),
      'iat in an hour': payload({ iat: now() + 3600 }),
      'iat with a fraction': payload({ iat: now() - 10.5 }),
      'iat as a string': payload({ iat: String(now()) }),
      'iat too large for a double': number('iat', '1e400'),
      'iat minus infinity': number('iat', '-1e400'),
      'nbf too large for a double': payloadText('"nbf":1e400'),
      ...named('nbf', [null, [0], true, '0'], nbf => payload({ nbf })),
      'a duplicate sub, the last one empty': payloadText('"sub":""'),
      'a duplicate nbf, the last one in the future': payloadText(`"nbf":0,"nbf":${now() + 3600}`),
      ...named('aud', ['another-service', ['this', 'that'], null], aud => payload({ aud })),
      'a nested JWT': forge(good, { ...HS256, cty: 'JWT' })
    },
    accepted: {
      'exp huge': payload({ exp: 1e300 }),
      'exp as 1e11': number('exp', '1e11'),
      'exp as a whole number with a point': number('exp', `${now() + 3600}.0`),
      'iat zero': payload({ iat: 0 }),
      'iat before 1970': payload({ iat: -1e9 }),
      'iat as minus zero': number('iat', '-0'),
      'nbf with a fraction': payload({ nbf: now() - 0.5 }),
      'nbf before 1970': payload({ nbf: -1 }),
      // RFC 7519 section 4 lets a parser use the last of two members with one name.
      'a duplicate exp, the last one in the future': forge(RIGHT.replace('{', '{"exp":1,')),
      'a duplicate sub, the last one Ada': forge(RIGHT.replace('{', '{"sub":"admin",')),
      'other claims in the header': header({ sub: 'admin', exp: 1, nbf: 1e11 }),
      'further registered claims': payload({ iss: 'x', jti: '1', scope: 'admin' }),
      'names in other cases': payload({ Sub: 'admin', EXP: 1, ' sub': 'admin', 'sub\u0000': 'admin' })
    }
  },
  'RFC 8725 2.1 and 3.11: algorithms, and tokens of another kind': {
    refused: {
      ...named(
        'alg',
        [false, 1, 'Hs256', 'none', 'HS2567', 'RS256', [['HS256']], ['HS256', 'none'], [], {}, { HS256: true }],
        alg => header({ alg })
      ),
      'HS256, signed with SHA-512 and cut': forge(right(), HS256, { hash: 'sha512' }).slice(0, good.length),
      ...named(
        'typ',
        ['at+jwt', 'logout+jwt', 'application/jwt', 'jwt', 'JWT ', 'JWE', '', null, false, 1, ['JWT'], {}],
        typ => header({ typ })
      )
    }
  },
  'RFC 8725 2.6: other encodings of JSON': {
    refused: {
      'a byte order mark before the header': bytes(`\ufeff${HEADER}`, RIGHT),
      'a byte order mark before the payload': bytes(HEADER, `\ufeff${RIGHT}`),
      'a byte of the header that is not UTF-8': bytes('{"alg":"HS256","x":"\xff"}', RIGHT, 'latin1'),
      'half a character in sub': bytes(HEADER, RIGHT.replace('ada', '\xed\xa0\x80'), 'latin1'),
      'an overlong letter in sub': bytes(HEADER, RIGHT.replace('ada', '\xc1\xa1da'), 'latin1')
    }
  },
  'names of the prototype': {
    refused: {
      'alg in __proto__': forge(right(), '{"__proto__":{"alg":"HS256"},"typ":"JWT"}'),
      'all claims in __proto__': forge(`{"__proto__":${RIGHT}}`),
      'all claims in constructor.prototype': forge(`{"constructor":{"prototype":${RIGHT}}}`),
      'exp in __proto__': forge(
        JSON.stringify({ ...right(), exp: undefined }).replace('{', '{"__proto__":{"exp":9999999999},')
      )
    },
    accepted: {
      'claims beside a __proto__ with other claims': payloadText('"__proto__":{"sub":"admin","nbf":99999999999}'),
      'a header with __proto__': headerText('"__proto__":{"crit":["x"],"typ":"at+jwt"}'),
      'a header with constructor': headerText('"constructor":{"prototype":{"crit":["x"]}},"toString":1')
    }
  },
  'size and depth': {
    refused: {
      '8 KB of one letter': 'a'.repeat(8192),
      '8 KB of dots': '.'.repeat(8192),
      '8 KB of segments': 'a.'.repeat(4096),
      'a signature of 8 KB': `${h}.${p}.${'A'.repeat(8192)}`,
      'a header of 8 KB without JSON': sealed(`${'e'.repeat(8192)}.${p}`),
      'a payload of 3000 arrays': forge(deep(3000)),
      'a header of 3000 arrays': forge(right(), deep(3000)),
      'an object that does not end': forge('{"a":'.repeat(1500)),
      'a long sub under another signature': `${h}.${base64url({ ...right(), sub: LONG })}.${s}`,
      'an exp of 6000 digits': number('exp', '9'.repeat(6000))
    },
    accepted: {
      'a claim of 6000 characters': payload({ x: LONG }),
      'a kid of 6000 characters': header({ kid: LONG }),
      'a claim of 3000 arrays': payloadText(`"x":${deep(3000)}`),
      'a parameter of 3000 arrays': headerText(`"x":${deep(3000)}`),
      '500 claims': payload(Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`x${i}`, i])))
    }
  }
}

for (const [source, { refused, accepted = {} }] of Object.entries(SOURCES)) {
  t.test(`every forged token gets the same 401: ${source}`, async t => {
    const app = await host(t)
    const get = (token: string) => app.inject({ url: '/screen', headers: bearer(token) })
    for (const [name, token] of Object.entries(refused)) {
      const { statusCode, body, headers } = await get(token)
      t.strictSame([statusCode, body, headers['www-authenticate']], [401, '', CHALLENGE], `refused: ${name}`)
    }
    for (const [name, token] of Object.entries(accepted)) {
      const response = await get(token)
      t.strictSame([response.statusCode, response.body], [200, JSON.stringify(ADA)], `accepted: ${name}`)
    }
  })
}

t.test('forged tokens do not pollute a prototype', async t => {
  const plain: Record<string, unknown> = {}
  for (const name of ['alg', 'crit', 'sub', 'exp', 'typ', 'nbf']) t.notOk(name in plain, name)
})

t.test('CVE-2026-34950: a public key, a certificate or a private key is rejected as a secret', async t => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const pkcs1 = publicKey.export({ type: 'pkcs1', format: 'pem' }).toString()
  const secrets = [
    publicPem,
    ` ${publicPem}`,
    `\n\t${publicPem}\n`,
    `# our key\n${pkcs1}`,
    Buffer.from(publicPem),
    publicPem.replaceAll('\n', '\\n'),
    publicPem.replace(/^/gm, '  '),
    privateKey.export({ type: 'pkcs8', format: 'pem' }),
    publicPem.replaceAll('\n', ' '),
    `"${publicPem.trim()}"`,
    publicKey.export({ type: 'spki', format: 'der' }),
    publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    publicKey.export({ type: 'spki', format: 'der' }).toString('base64url'),
    Buffer.from(publicPem).toString('base64'),
    pkcs1.replace(/-----[^-]+-----/g, '').replaceAll('\n', ''),
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'sec1', format: 'pem' })
  ]
  for (const secret of secrets) {
    const message = /option `secret` must not be a public key, a certificate or a private key/
    await t.rejects(host(t, { secret }), { code: 'FST_SCREEN_AUTH_INVALID_OPTION', message })
    await t.rejects(host(t, { secret: ['x'.repeat(32), secret] }), { message }, 'nor the second secret')
  }
})

t.test('CVE-2026-35039: a token that resembles a cached one is verified separately', async t => {
  const app = await host(t)
  const statusOf = async (token: string) => (await app.inject({ url: '/screen', headers: bearer(token) })).statusCode
  const token = forge()
  t.equal(await statusOf(token), 200)
  for (let i = 0; i < token.length; i++) {
    const other = token[i] === 'A' ? 'B' : 'A'
    t.equal(await statusOf(token.slice(0, i) + other + token.slice(i + 1)), 401, `at ${i}`)
  }
  const [header, payload, signature] = token.split('.')
  const [, otherPayload, otherSignature] = forge({ ...claims(), sub: 'bob' }).split('.')
  t.equal(await statusOf(`${header}.${otherPayload}.${signature}`), 401, 'another payload')
  t.equal(await statusOf(`${header}.${payload}.${otherSignature}`), 401, 'another signature')
  t.equal(await statusOf(token.slice(1)), 401, 'the end')
})

interface Group {
  alg: string
  key: { secret: string }
  tests: { id: string; token: string; result: 'valid' | 'invalid' | 'acceptable' }[]
}

t.test('the plugin agrees with the HS256 token vectors of the kit, and refuses only with 401', async t => {
  const file = new URL('../../conformance/token-vectors.json', import.meta.url)
  const groups: Group[] = JSON.parse(readFileSync(file, 'utf8')).groups
  const { key, tests } = groups.find(({ alg }) => alg === 'HS256') as Group
  const app = await host(t, { secret: key.secret })
  const status = async (token: string) => (await app.inject({ url: '/menu/main', headers: bearer(token) })).statusCode
  const judged = tests.filter(({ result }) => result !== 'acceptable')
  for (const { id, token, result } of judged) t.equal(await status(token), result === 'valid' ? 200 : 401, id)
  t.ok(judged.length > 100)
})
