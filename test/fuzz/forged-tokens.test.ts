// The token vectors of the conformance kit, and what they lack.
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

const p = base64url(RIGHT)
/** Pads JSON with spaces until `rest` bytes are left over from groups of three. */
const spare = (json: string, rest: number) => base64url(json.padEnd(json.length + 3 - ((json.length - rest) % 3)))
/** The last character carries unused bits: the letter that follows decodes to the same bytes. */
const respelled = (text: string) => text.slice(0, -1) + ALPHABET[ALPHABET.indexOf(text.at(-1) as string) + 1]
const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

/** Correctly signed tokens. */
const REFUSED: Record<string, string> = {
  // RFC 4648 3.5 lets a decoder refuse unused bits.
  'unused bits in the header': sealed(`${respelled(spare(HEADER, 2))}.${p}`),
  'a header with a character too many': sealed(`${spare(HEADER, 0)}A.${p}`),
  'a padded header': sealed(`${base64url(HEADER)}=.${p}`),
  'a header that is not UTF-8': sealed(
    `${Buffer.from('{"alg":"HS256","x":"\xff"}', 'latin1').toString('base64url')}.${p}`
  ),
  'crit null': header({ crit: null }),
  'zip null': header({ zip: null }),
  'typ null': header({ typ: null }),
  'nbf null': payload({ nbf: null }),
  'aud null': payload({ aud: null }),
  'iat with a fraction': payload({ iat: now() - 10.5 }),
  ...Object.fromEntries(
    (['sub', 'display_name', 'iat', 'exp'] as const).flatMap(name => [
      [`${name} only in the header`, forge({ ...right(), [name]: undefined }, { ...HS256, ...right() })],
      ...[null, true, {}, [claims()[name]]].map(value => [
        `${name} that is ${JSON.stringify(value)}`,
        payload({ [name]: value })
      ])
    ])
  ),
  'alg in __proto__': forge(right(), '{"__proto__":{"alg":"HS256"},"typ":"JWT"}'),
  'all claims in __proto__': forge(`{"__proto__":${RIGHT}}`),
  'a header of 8 KB without JSON': sealed(`${'e'.repeat(8192)}.${p}`),
  'a payload of 3000 arrays': forge(deep(3000))
}

/** Tokens of Ada. */
const ACCEPTED: Record<string, string> = {
  'claims in the header': header({ sub: 'admin', exp: 1, nbf: 1e11 }),
  'a header with __proto__': forge(right(), HEADER.replace('}', ',"__proto__":{"crit":["x"],"typ":"at+jwt"}}')),
  'iat before 1970': payload({ iat: -1e9 }),
  'nbf with a fraction': payload({ nbf: now() - 0.5 }),
  'a claim of 6000 characters': payload({ x: 'x'.repeat(6000) }),
  'a claim of 3000 arrays': forge(RIGHT.replace('{', `{"x":${deep(3000)},`))
}

/** Asserts that a guarded route refuses a token as it refuses all others. */
async function refuses(t: Test, app: FastifyInstance, name: string, token: string): Promise<void> {
  const { statusCode, body, headers } = await app.inject({ url: '/screen', headers: bearer(token) })
  const challenge = 'Bearer realm="screen", error="invalid_token"'
  t.strictSame([statusCode, body, headers['www-authenticate']], [401, '', challenge], `refused: ${name}`)
}

t.test('a signed token that breaks a rule gets the same 401 as every other, and an odd one is accepted', async t => {
  const app = await host(t)
  for (const [name, token] of Object.entries(REFUSED)) await refuses(t, app, name, token)
  for (const [name, token] of Object.entries(ACCEPTED)) {
    const response = await app.inject({ url: '/screen', headers: bearer(token) })
    t.strictSame([response.statusCode, response.body], [200, JSON.stringify(ADA)], `accepted: ${name}`)
  }
})

t.test('CVE-2026-34950: a public key, a certificate or a private key is rejected as a secret', async t => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const pkcs1 = publicKey.export({ type: 'pkcs1', format: 'pem' }).toString()
  const secrets = [
    `# our key\n${pkcs1}`,
    Buffer.from(publicPem),
    publicPem.replaceAll('\n', '\\n'),
    `"${publicPem.replaceAll('\n', ' ')}"`,
    privateKey.export({ type: 'pkcs8', format: 'pem' }),
    publicKey.export({ type: 'spki', format: 'der' }),
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

interface Group {
  alg: string
  key: { secret: string }
  tests: { id: string; token: string; result: 'valid' | 'invalid' | 'acceptable' }[]
}

/** The tokens that a server may accept or refuse, and that the plugin accepts: it uses the last of two members. */
const ACCEPTED_OF_KIT =
  'proto kid exp-exponent exp-milliseconds exp-2-53 exp-2-64 exp-huge exp-twice-past-first sub-twice ' +
  'alg-twice-none-first jwk-right-key'

t.test('the plugin agrees with the HS256 token vectors of the kit, and refuses only with 401', async t => {
  const file = new URL('../../conformance/token-vectors.json', import.meta.url)
  const groups: Group[] = JSON.parse(readFileSync(file, 'utf8')).groups
  const { key, tests } = groups.find(({ alg }) => alg === 'HS256') as Group
  const app = await host(t, { secret: key.secret })
  const accepted = ACCEPTED_OF_KIT.split(' ').map(name => `hs256-${name}`)
  for (const { id, token, result } of tests)
    if (result === 'valid' || accepted.includes(id))
      t.equal((await app.inject({ url: '/screen', headers: bearer(token) })).statusCode, 200, id)
    else await refuses(t, app, id, token)
  t.ok(tests.length > 150)
})
