// The token vectors of the conformance kit, and what they lack: tokens that an RFC allows or warns of, and other attacks.
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { ADA, base64url, bearer, claims, forge, host, now, SECRET } from '../helpers.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const HS256 = { alg: 'HS256', typ: 'JWT' }
const HEADER = JSON.stringify(HS256)

// The tokens are created when the module loads, and must not expire before they are checked.
const right = () => ({ ...claims(), exp: now() + 3600 })
const RIGHT = JSON.stringify(right())

const sealed = (input: string) => `${input}.${createHmac('sha256', SECRET).update(input).digest('base64url')}`
const header = (members: object) => forge(right(), { ...HS256, ...members })
const payload = (members: object) => forge({ ...right(), ...members })
const named = (name: string, values: unknown[], token: (value: unknown) => string) =>
  Object.fromEntries(values.map(value => [`${name} ${JSON.stringify(value)}`, token(value)]))

const [h, p, s] = forge(right()).split('.') as [string, string, string]
/** Pads JSON with spaces until `rest` bytes are left over from groups of three. */
const spare = (json: string, rest: number) => base64url(json.padEnd(json.length + 3 - ((json.length - rest) % 3)))
/** The last character carries unused bits: the letter that follows decodes to the same bytes. */
const respelled = (text: string) => text.slice(0, -1) + ALPHABET[ALPHABET.indexOf(text.at(-1) as string) + 1]
/** Adds a character that is one too many for whole bytes. A lenient decoder drops it. */
const oneMore = (json: string) => `${spare(json, 0)}A`

const LONG = 'x'.repeat(6000)
const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

/** The user of all accepted tokens is Ada. */
const SOURCES: Record<string, { refused: Record<string, string>; accepted?: Record<string, string> }> = {
  'RFC 7515 section 2 and RFC 4648: segments in base64url': {
    refused: {
      // Only the owner of the key can create these tokens. RFC 4648 3.5 lets a decoder refuse them.
      'unused bits in the header, correctly signed': sealed(`${respelled(spare(HEADER, 2))}.${p}`),
      'a header with a character too many, correctly signed': sealed(`${oneMore(HEADER)}.${p}`),
      'a payload with a character too many, correctly signed': sealed(`${h}.${oneMore(RIGHT)}`),
      'a padded header, correctly signed': sealed(`${h}=.${p}`),
      'four segments, correctly signed': sealed(`${h}.${p}.${s}`)
    }
  },
  'RFC 7515 section 4: the header': {
    refused: {
      'b64 true': header({ b64: true }),
      'zip null': header({ zip: null }),
      'enc null': header({ enc: null }),
      ...named('crit', [null, {}], crit => header({ crit })),
      'a header that is not UTF-8': sealed(
        `${Buffer.from('{"alg":"HS256","x":"\xff"}', 'latin1').toString('base64url')}.${p}`
      )
    },
    accepted: {
      'crit in another case': header({ Crit: ['urn:x'], 'crit ': 1 }),
      'cty without a nested JWT': header({ cty: 'JWT' }),
      'claims in the header': header({ sub: 'admin', exp: 1, nbf: 1e11 })
    }
  },
  'RFC 7519 section 4: the claims': {
    refused: {
      ...Object.fromEntries(
        (['sub', 'display_name', 'iat', 'exp'] as const).flatMap(name => [
          [`${name} only in the header`, forge({ ...right(), [name]: undefined }, { ...HS256, ...right() })],
          ...[undefined, null, true, [], {}, [claims()[name]], { value: 1 }].map(value => [
            `${name} that is ${JSON.stringify(value)}`,
            payload({ [name]: value })
          ])
        ])
      ),
      'iat with a fraction': payload({ iat: now() - 10.5 }),
      ...named('nbf', [null, [0], true], nbf => payload({ nbf })),
      ...named('aud', [['this', 'that'], null], aud => payload({ aud }))
    },
    accepted: {
      'iat zero': payload({ iat: 0 }),
      'iat before 1970': payload({ iat: -1e9 }),
      'nbf with a fraction': payload({ nbf: now() - 0.5 })
    }
  },
  'RFC 8725 2.1 and 3.11: algorithms, and tokens of another kind': {
    refused: {
      ...named('alg', [false, 1, 'HS2567', {}, { HS256: true }], alg => header({ alg })),
      'HS256, signed with SHA-512 and cut': forge(right(), HS256, { hash: 'sha512' }).slice(0, -43),
      ...named('typ', ['application/jwt', 'JWT ', '', null, false, ['JWT'], {}], typ => header({ typ }))
    }
  },
  'names of the prototype': {
    refused: {
      'alg in __proto__': forge(right(), '{"__proto__":{"alg":"HS256"},"typ":"JWT"}'),
      'all claims in __proto__': forge(`{"__proto__":${RIGHT}}`),
      'all claims in constructor.prototype': forge(`{"constructor":{"prototype":${RIGHT}}}`)
    },
    accepted: {
      'a header with __proto__': forge(right(), HEADER.replace('}', ',"__proto__":{"crit":["x"],"typ":"at+jwt"}}'))
    }
  },
  'size and depth': {
    refused: {
      '8 KB of segments': 'a.'.repeat(4096),
      'a signature of 8 KB': `${h}.${p}.${'A'.repeat(8192)}`,
      'a header of 8 KB without JSON': sealed(`${'e'.repeat(8192)}.${p}`),
      'a payload of 3000 arrays': forge(deep(3000)),
      'an object that does not end': forge('{"a":'.repeat(1500))
    },
    accepted: {
      'a claim of 6000 characters': payload({ x: LONG }),
      'a kid of 6000 characters': header({ kid: LONG }),
      'a claim of 3000 arrays': forge(RIGHT.replace('{', `{"x":${deep(3000)},`))
    }
  }
}

/** Asserts that a guarded route refuses a token as it refuses all others. */
async function refuses(t: Test, app: FastifyInstance, name: string, token: string): Promise<void> {
  const { statusCode, body, headers } = await app.inject({ url: '/screen', headers: bearer(token) })
  const challenge = 'Bearer realm="screen", error="invalid_token"'
  t.strictSame([statusCode, body, headers['www-authenticate']], [401, '', challenge], `refused: ${name}`)
}

for (const [source, { refused, accepted = {} }] of Object.entries(SOURCES)) {
  t.test(`every forged token gets the same 401: ${source}`, async t => {
    const app = await host(t)
    for (const [name, token] of Object.entries(refused)) await refuses(t, app, name, token)
    for (const [name, token] of Object.entries(accepted)) {
      const response = await app.inject({ url: '/screen', headers: bearer(token) })
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

/** The tokens that a server may accept or refuse, and that the plugin accepts: it uses the last of two members. */
const ACCEPTED =
  'proto kid exp-exponent exp-milliseconds exp-2-53 exp-2-64 exp-huge exp-twice-past-first sub-twice ' +
  'alg-twice-none-first jwk-right-key'

t.test('the plugin agrees with the HS256 token vectors of the kit, and refuses only with 401', async t => {
  const file = new URL('../../conformance/token-vectors.json', import.meta.url)
  const groups: Group[] = JSON.parse(readFileSync(file, 'utf8')).groups
  const { key, tests } = groups.find(({ alg }) => alg === 'HS256') as Group
  const app = await host(t, { secret: key.secret })
  const accepted = ACCEPTED.split(' ').map(name => `hs256-${name}`)
  for (const { id, token, result } of tests)
    if (result === 'valid' || accepted.includes(id))
      t.equal((await app.inject({ url: '/screen', headers: bearer(token) })).statusCode, 200, id)
    else await refuses(t, app, id, token)
  t.ok(tests.length > 150)
})
