import { createHash, createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { brotliCompressSync, deflateRawSync } from 'node:zlib'
import { base64url, claims, forge, now, SECRET } from '../helpers.ts'

/**
 * Tokens that one document warns of or allows, by name, without those of the kit (conformance/token-vectors.json), which
 * the plugin is held against as well. The user of all accepted ones is Ada.
 */
export interface Source {
  source: string
  /** The server's secret, if it is not the usual one. */
  secret?: string | Buffer
  refused?: Record<string, string>
  /** Signed with the right key, and allowed by section 2 of the design. */
  accepted?: Record<string, string>
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const HS256 = { alg: 'HS256', typ: 'JWT' }
const HEADER = JSON.stringify(HS256)

// The tokens are made when the module loads and are checked later: they must not expire in between.
const right = () => ({ ...claims(), exp: now() + 3600 })
const RIGHT = JSON.stringify(right())

const hmac = (input: string, secret: string | Buffer = SECRET) =>
  createHmac('sha256', secret).update(input).digest('base64url')
const sealed = (input: string, secret?: string | Buffer) => `${input}.${hmac(input, secret)}`
/** Signs header and payload byte for byte. */
const bytes = (header: string | Buffer, payload: string | Buffer) =>
  sealed(
    `${Buffer.from(header as string).toString('base64url')}.${Buffer.from(payload as string).toString('base64url')}`
  )
const header = (members: object) => forge(right(), { ...HS256, ...members })
const payload = (members: object) => forge({ ...right(), ...members })
/** Adds members as JSON text, for what JSON.stringify cannot write. */
const headerText = (members: string) => bytes(HEADER.replace('}', `,${members}}`), RIGHT)
const payloadText = (members: string) => bytes(HEADER, RIGHT.replace(/\}$/, `,${members}}`))
const named = (name: string, values: unknown[], token: (value: unknown) => string) =>
  Object.fromEntries(values.map(value => [`${name} ${JSON.stringify(value) ?? 'absent'}`, token(value)]))

const good = forge(right())
const [h, p, s] = good.split('.') as [string, string, string]
const last = (text: string, step: number) => {
  const index = ALPHABET.indexOf(text.at(-1) as string)
  return text.slice(0, -1) + ALPHABET[(index + step) % 64]
}
const standard = (segment: string) => segment.replaceAll('-', '+').replaceAll('_', '/')
/** Adds spaces, which JSON ignores, until the base64url text has unused bits. */
const spare = (json: string) => base64url(json.padEnd(json.length + 3 - ((json.length + 1) % 3)))

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const p521 = generateKeyPairSync('ec', { namedCurve: 'P-521' })
const ed25519 = generateKeyPairSync('ed25519')
const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString()
const jwkOf = (key: KeyObject) => key.export({ format: 'jwk' })

function asymmetric(alg: string, hash: string | null, key: KeyObject, members: object = {}): string {
  const input = `${base64url({ alg, typ: 'JWT', ...members })}.${base64url(right())}`
  return `${input}.${sign(hash, Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

/** RFC 7515 A.1.1: the key, the header with its line break, and the claims. */
const A1 = {
  key: Buffer.from(
    'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow',
    'base64url'
  ),
  header: 'eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9',
  payload: 'eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ',
  signature: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
}
export const RFC7515_A1 = `${A1.header}.${A1.payload}.${A1.signature}`
export const RFC7515_A1_KEY = A1.key

const bom = (text: string, encoding: 'utf8' | 'utf16le') => Buffer.from(`\ufeff${text}`, encoding)
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16()
const utf32 = (text: string, offset: 0 | 3) => {
  const buffer = Buffer.alloc(text.length * 4)
  for (let i = 0; i < text.length; i++) buffer[i * 4 + offset] = text.charCodeAt(i)
  return buffer
}

const LONG = 'x'.repeat(6000)
const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

export const SOURCES: Source[] = [
  {
    source: 'RFC 7515 A.1, on a server with the key of the example',
    secret: A1.key,
    refused: {
      'the example: expired, and no sub': RFC7515_A1,
      'the example with an exp to come': sealed(
        `${A1.header}.${base64url({ iss: 'joe', exp: now() + 3600, 'http://example.com/is_root': true })}`,
        A1.key
      ),
      'right claims under the signature of the example': `${A1.header}.${base64url(right())}.${A1.signature}`,
      'right claims, signed with the text of the key': sealed(
        `${A1.header}.${base64url(right())}`,
        A1.key.toString('base64url')
      )
    },
    accepted: {
      'right claims with the line break in the header': sealed(`${A1.header}.${base64url(right())}`, A1.key),
      'right claims beside those of the example': sealed(
        `${A1.header}.${base64url({ iss: 'joe', 'http://example.com/is_root': true, ...right() })}`,
        A1.key
      )
    }
  },
  {
    source: 'RFC 7515 A.1 to A.6, on any server',
    refused: {
      'A.1': RFC7515_A1,
      'A.2, RS256': `eyJhbGciOiJSUzI1NiJ9.${A1.payload}.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw`,
      'A.3, ES256': `eyJhbGciOiJFUzI1NiJ9.${A1.payload}.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q`,
      'A.4, ES512':
        'eyJhbGciOiJFUzUxMiJ9.UGF5bG9hZA.AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-mZZqwqT2SI-KGDKB34XO0aw_7XdtAG8GaSwFKdCAPZgoXD2YBJZCPEX3xKpRwcdOO8KpEHwJjyqOgzDO7iKvU8vcnwNrmxYbSW9ERBXukOXolLzeO_Jn',
      'A.5, unsecured': `eyJhbGciOiJub25lIn0.${A1.payload}.`,
      'A.6, general JSON serialisation': JSON.stringify({
        payload: p,
        signatures: [{ protected: h, signature: s }]
      }),
      'a JSON serialisation as base64url': base64url({ payload: p, protected: h, signature: s }),
      'Appendix F, detached content': `${h}..${s}`,
      'ES512 with right claims': asymmetric('ES512', 'sha512', p521.privateKey),
      'EdDSA with right claims': asymmetric('EdDSA', null, ed25519.privateKey)
    }
  },
  {
    source: 'RFC 7515 section 2 and RFC 4648: the alphabet of base64url',
    refused: {
      ...Object.fromEntries(
        [1, 2, 3].map(step => [`spelling ${step + 1} of the signature`, `${h}.${p}.${last(s, step)}`])
      ),
      'another spelling of the header under the old signature': `${last(spare(HEADER), 1)}.${p}.${hmac(`${spare(HEADER)}.${p}`)}`,
      'another spelling of the payload under the old signature': `${h}.${last(spare(RIGHT), 1)}.${hmac(`${h}.${spare(RIGHT)}`)}`,
      'a padded header': `${h}=.${p}.${s}`,
      'a padded header, signed so': sealed(`${h}=.${p}`),
      'padding inside the header, signed so': sealed(`${h.slice(0, 4)}=${h.slice(4)}.${p}`),
      '+ in the header, signed so': sealed(`${standard(base64url({ ...HS256, kid: '>>>>~~~' }))}.${p}`),
      'a space behind': `${good} `,
      'a space between the segments': `${h} .${p}.${s}`,
      'a tab inside, signed so': sealed(`${h}\t.${p}`),
      'a line feed behind': `${good}\n`,
      'a line break behind': `${good}\r\n`,
      'a line feed inside, signed so': sealed(`${h}.\n${p}`),
      'NUL behind': `${good}\0`,
      'a character beyond ASCII that base64 decoders skip': `${h}.${p}\u00a0.${s}`,
      'dots that are percent-encoded': good.replaceAll('.', '%2E'),
      'a percent-encoded letter': `%${h.charCodeAt(0).toString(16)}${good.slice(1)}`,
      'percent-encoded padding': `${good}%3D`,
      'two dots': `${h}..${p}.${s}`,
      'two dots, signed so': sealed(`${h}..${p}`),
      'two dots before the signature': `${h}.${p}..${s}`,
      'two dots before the signature, signed so': sealed(`${h}.${p}.`),
      'four segments, signed so': sealed(`${h}.${p}.${s}`),
      'header and signature only': `${h}.${s}`,
      'an empty payload, signed so': sealed(`${h}.`),
      'both empty, signed so': sealed('.'),
      'one dot': '.',
      'a signature with a byte more': `${h}.${p}.${Buffer.concat([Buffer.from(s, 'base64url'), Buffer.from([0])]).toString('base64url')}`,
      'the token in quotes': `"${good}"`,
      'the whole token once more in base64url': base64url(good),
      // Only the owner of the key can make these. RFC 4648 3.5 lets a decoder refuse them.
      'unused bits in the header, signed so': sealed(`${last(spare(HEADER), 1)}.${p}`),
      'unused bits in the payload, signed so': sealed(`${h}.${last(spare(RIGHT), 1)}`)
    }
  },
  {
    source: 'RFC 7515 section 4: the header',
    refused: {
      ...named('the header', [null, true, 0, 'HS256', [], [HS256], [['alg', 'HS256']]], value =>
        forge(right(), JSON.stringify(value))
      ),
      'a duplicate typ, the last one another': headerText('"typ":"at+jwt"'),
      'crit that names alg': header({ crit: ['alg'] }),
      'crit in a duplicate': headerText('"crit":["urn:x"],"crit":null'),
      ...named('crit', [[], null, '', {}, [null], [1], ['b64', 'b64']], crit => header({ crit })),
      'b64 false without crit': header({ b64: false }),
      'b64 true': header({ b64: true }),
      'b64 true with crit': header({ b64: true, crit: ['b64'] })
    },
    accepted: {
      'no typ': forge(right(), { alg: 'HS256' }),
      'typ before alg, and white space': forge(right(), ' {\n"typ" : "JWT" ,\t"alg" : "HS256" }\r\n'),
      // Section 4 lets a parser use the last of two members with one name.
      'a duplicate alg, the last one HS256': forge(right(), '{"alg":"none","alg":"HS256"}'),
      'an escaped name and value': forge(right(), '{"\\u0061lg":"\\u0048S256"}'),
      'a private parameter': header({ 'http://example.com/x': { deep: [1] } }),
      'alg beside ALG and Alg': header({ ALG: 'none', Alg: 'none' }),
      'a Crit that is none': header({ Crit: ['urn:x'], 'crit ': 1 })
    }
  },
  {
    source: 'RFC 7519 section 4: the claims',
    refused: {
      ...named('the payload', [null, false, 0, 'ada', '', [], [right()]], value =>
        forge(JSON.stringify(value))
      ),
      'a byte of sub that is not UTF-8': bytes(HEADER, Buffer.from(RIGHT.replace('ada', 'ad\xff'), 'latin1')),
      'an overlong letter in sub': bytes(HEADER, Buffer.from(RIGHT.replace('ada', '\xc1\xa1da'), 'latin1')),
      'half a character in sub': bytes(HEADER, Buffer.from(RIGHT.replace('ada', '\xed\xa0\x80'), 'latin1')),
      'a byte of the header that is not UTF-8': bytes(
        Buffer.from('{"alg":"HS256","x":"\xff"}', 'latin1'),
        RIGHT
      ),
      'no claims': forge('{}'),
      ...Object.fromEntries(
        ['sub', 'display_name', 'iat', 'exp'].flatMap(name => [
          [`no ${name}`, payload({ [name]: undefined })],
          [
            `${name} only in upper case`,
            payload({ [name]: undefined, [name.toUpperCase()]: claims()[name as 'sub'] })
          ],
          [`${name} only in the header`, forge({ ...right(), [name]: undefined }, { ...HS256, ...right() })],
          [`${name} only in an object of claims`, payload({ [name]: undefined, claims: right() })],
          ...[null, true, [], {}, [claims()[name as 'sub']], { value: 1 }].map(value => [
            `${name} that is ${JSON.stringify(value)}`,
            payload({ [name]: value })
          ])
        ])
      ),
      'an empty sub': payload({ sub: '' }),
      'a sub that is a number': payload({ sub: 0 }),
      'a display_name that is a number': payload({ display_name: 7 }),
      'exp now': payload({ exp: now() }),
      'exp a second ago': payload({ exp: now() - 1 }),
      'exp with a fraction': payload({ exp: now() + 3600.5 }),
      'exp too large for a double': forge(RIGHT.replace(/"exp":\d+/, '"exp":1e400')),
      'iat in an hour': payload({ iat: now() + 3600 }),
      'iat in milliseconds': payload({ iat: Date.now() }),
      'iat with a fraction': payload({ iat: now() - 10.5 }),
      'iat as a string': payload({ iat: String(now()) }),
      'iat huge': payload({ iat: 1e300 }),
      'iat too large for a double': forge(RIGHT.replace(/"iat":\d+/, '"iat":1e400')),
      'iat minus infinity': forge(RIGHT.replace(/"iat":\d+/, '"iat":-1e400')),
      'nbf too large for a double': payloadText('"nbf":1e400'),
      'nbf null': payload({ nbf: null }),
      'nbf an array': payload({ nbf: [0] }),
      'nbf true': payload({ nbf: true }),
      'a duplicate sub, the last one empty': payloadText('"sub":""'),
      'a duplicate nbf, the last one to come': payloadText(`"nbf":0,"nbf":${now() + 3600}`),
      'a nested JWT (5.2)': forge(good, { ...HS256, cty: 'JWT' }),
      'a nested JWT as the only claim': forge({ jwt: good }, { ...HS256, cty: 'JWT' })
    },
    accepted: {
      'exp huge': payload({ exp: 1e300 }),
      'exp in milliseconds': payload({ exp: Date.now() }),
      'exp as 1e11': forge(RIGHT.replace(/"exp":\d+/, '"exp":1e11')),
      'exp as a whole number with a point': forge(RIGHT.replace(/"exp":(\d+)/, '"exp":$1.0')),
      'iat zero': payload({ iat: 0 }),
      'iat before 1970': payload({ iat: -1e9 }),
      'iat as minus zero': forge(RIGHT.replace(/"iat":\d+/, '"iat":-0')),
      'nbf with a fraction': payload({ nbf: now() - 0.5 }),
      'nbf before 1970': payload({ nbf: -1 }),
      // RFC 7519 section 4 lets a parser use the last of two members with one name.
      'a duplicate exp, the last one to come': forge(RIGHT.replace('{', '{"exp":1,')),
      'a duplicate sub, the last one Ada': forge(RIGHT.replace('{', '{"sub":"admin",')),
      'claims in the header that say something else (5.3)': header({
        sub: 'admin',
        display_name: 'Admin',
        exp: 1,
        nbf: 1e11
      }),
      'cty, and yet no nested JWT': header({ cty: 'JWT' }),
      'further registered claims': payload({ iss: 'x', jti: '1', scope: 'admin' }),
      'names in other cases': payload({ Sub: 'admin', EXP: 1, ' sub': 'admin', 'sub\u0000': 'admin' })
    }
  },
  {
    source: 'RFC 8725 2.1 and 3.1: algorithms',
    refused: {
      ...named(
        'alg',
        [
          false,
          1,
          'Hs256',
          'hS256',
          ' HS256',
          'HS256\n',
          'HmacSHA256',
          'HS2567',
          'ＨＳ256',
          'H\u017f256',
          'НS256',
          'ES256K',
          'PS256',
          'EdDSA',
          'A256GCMKW',
          [['HS256']],
          ['HS256', 'none'],
          [],
          {},
          { 0: 'HS256' },
          { toString: 'HS256' },
          { HS256: true },
          'none,HS256',
          'HS256,none',
          '__proto__',
          'toString'
        ],
        alg => header({ alg })
      ),
      'HS256, signed with SHA-512': forge(right(), HS256, { hash: 'sha512' }),
      'HS256, signed with SHA-512 and cut': forge(right(), HS256, { hash: 'sha512' }).slice(
        0,
        h.length + p.length + 2 + 43
      ),
      'HS256 over the decoded text': `${h}.${p}.${hmac(HEADER + RIGHT)}`,
      'HS256 over the payload alone': `${h}.${p}.${hmac(p)}`,
      'HS256 over the header alone': `${h}.${p}.${hmac(h)}`,
      'HS256 over both without the dot': `${h}.${p}.${hmac(h + p)}`,
      'a hash without a key': `${h}.${p}.${createHash('sha256').update(`${h}.${p}`).digest('base64url')}`,
      'a hash with the key in front': `${h}.${p}.${createHash('sha256').update(`${SECRET}${h}.${p}`).digest('base64url')}`,
      'HS256 with an RSA public key': forge(right(), HS256, { secret: pem }),
      'RS256 by header, HS256 with the public key by signature': forge(
        right(),
        { alg: 'RS256' },
        { secret: pem }
      ),
      'PS256 by header': asymmetric('PS256', 'sha256', rsa.privateKey),
      'RS256 with the private key and its jwk': asymmetric('RS256', 'sha256', rsa.privateKey, {
        jwk: jwkOf(rsa.publicKey)
      }),
      'an RSA signature under HS256': asymmetric('HS256', 'sha256', rsa.privateKey),
      'an ECDSA signature under HS256': asymmetric('HS256', 'sha256', p256.privateKey)
    }
  },
  {
    source: 'RFC 8725 2.2 and 3.5: keys that are guessed',
    refused: Object.fromEntries(
      [
        '\0',
        'a-string-secret-at-least-256-bits-long',
        '\0'.repeat(32),
        SECRET.slice(1),
        SECRET.slice(0, 32),
        `${SECRET} `,
        ` ${SECRET}`,
        SECRET.toUpperCase(),
        SECRET + SECRET,
        [...SECRET].reverse().join(''),
        standard(base64url(SECRET)),
        Buffer.from(SECRET).toString('hex'),
        Buffer.from(SECRET, 'base64'),
        Buffer.from(SECRET, 'utf16le'),
        createHash('sha256').update(SECRET).digest(),
        HEADER,
        h
      ].map(secret => [
        JSON.stringify(Buffer.from(secret as string).toString('latin1')),
        forge(right(), HS256, { secret })
      ])
    ),
    // HMAC pads a short key with zeros (RFC 2104 section 2).
    accepted: { 'the secret with zeros behind': forge(right(), HS256, { secret: `${SECRET}\0\0` }) }
  },
  {
    source: 'RFC 8725 2.2: a secret longer than a block',
    secret: SECRET.repeat(3),
    refused: { 'the secret with zeros behind': forge(right(), HS256, { secret: `${SECRET.repeat(3)}\0` }) },
    // HMAC hashes a key of more than 64 bytes (RFC 2104 section 2).
    accepted: {
      'its hash': forge(right(), HS256, { secret: createHash('sha256').update(SECRET.repeat(3)).digest() })
    }
  },
  {
    source: 'RFC 8725 2.3, 2.4 and 3.6: encryption and compression',
    refused: {
      'a JWE of five parts': `${base64url({ alg: 'dir', enc: 'A256GCM' })}..48V1_ALb6US04U3b.5eym8TW_c8SuK0ltJ3rpYIzOeDQz7TALvtu6UG9oMo4vpzs9tX_EFShS8iB7j6jiSdiwkIr3ajwQzaBtQD_A.XFBoMYUZodetZdvTiFvSkQ`,
      'five parts with a right signature': sealed(`${h}.${p}.${h}.${p}`),
      'a JWE header in three parts': header({ enc: 'A128CBC-HS256' }),
      'alg dir and enc, signed': header({ alg: 'dir', enc: 'A256GCM' }),
      'PBES2 with a costly count': header({ alg: 'PBES2-HS256+A128KW', p2c: 2 ** 31, p2s: 'x' }),
      'zip, not compressed': header({ zip: 'DEF' }),
      'zip null': header({ zip: null }),
      'zip and a bomb': bytes(
        JSON.stringify({ ...HS256, zip: 'DEF' }),
        deflateRawSync(RIGHT.padEnd(1_000_000))
      ),
      'compressed without a word': bytes(HEADER, deflateRawSync(RIGHT)),
      'compressed by Brotli': bytes(JSON.stringify({ ...HS256, zip: 'BR' }), brotliCompressSync(RIGHT)),
      'enc null': header({ enc: null })
    }
  },
  {
    source: 'RFC 8725 2.5, 3.3 and 3.4: elliptic curves and other signatures that check nothing',
    refused: {
      'ES256 of zeros (psychic)': `${base64url({ alg: 'ES256' })}.${p}.${Buffer.alloc(64).toString('base64url')}`,
      'ES256 of zeros as DER': `${base64url({ alg: 'ES256' })}.${p}.MAYCAQACAQA`,
      'ES256 of r and s equal to the order': `${base64url({ alg: 'ES256' })}.${p}.${Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551'.repeat(2), 'hex').toString('base64url')}`,
      'ES512 of zeros': `${base64url({ alg: 'ES512' })}.${p}.${Buffer.alloc(132).toString('base64url')}`,
      'an epk on an invalid curve': header({
        alg: 'ECDH-ES',
        epk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }
      }),
      'a signature of the empty text': `${h}.${p}.${hmac('')}`
    }
  },
  {
    source: 'RFC 8725 2.6 and 3.7: other encodings of JSON',
    refused: {
      'a BOM before the header': bytes(bom(HEADER, 'utf8'), RIGHT),
      'a BOM before the payload': bytes(HEADER, bom(RIGHT, 'utf8')),
      'the header in UTF-16': bytes(Buffer.from(HEADER, 'utf16le'), RIGHT),
      'the payload in UTF-16': bytes(HEADER, Buffer.from(RIGHT, 'utf16le')),
      'the payload in UTF-16, big end first': bytes(HEADER, utf16be(RIGHT)),
      'the payload in UTF-32': bytes(HEADER, utf32(RIGHT, 0)),
      'the payload in UTF-32, big end first': bytes(HEADER, utf32(RIGHT, 3)),
      'the header in UTF-32': bytes(utf32(HEADER, 0), RIGHT),
      'the payload in UTF-7': bytes(HEADER, RIGHT.replace('{', '+AHs-')),
      'invalid UTF-8 outside of a string': bytes(
        HEADER,
        Buffer.concat([Buffer.from(RIGHT), Buffer.from([0xff])])
      ),
      'an overlong brace': bytes(
        HEADER,
        Buffer.concat([Buffer.from([0xc1, 0xbb]), Buffer.from(RIGHT.slice(1))])
      ),
      'invalid UTF-8 in the name of a claim': bytes(
        HEADER,
        Buffer.from(RIGHT.replace('"sub"', '"sub\xff"'), 'latin1')
      ),
      'invalid UTF-8 as alg': bytes(Buffer.from(HEADER.replace('HS256', 'HS256\xff'), 'latin1'), RIGHT),
      'no-break space around the payload': bytes(HEADER, `\u00a0${RIGHT}`),
      CBOR: bytes(
        Buffer.from('a163616c67654853323536', 'hex'),
        Buffer.from('a1637375626361646'.padEnd(18, '1'), 'hex')
      )
    },
    accepted: {
      'every character of a name and a value as an escape': forge(
        RIGHT.replace('"sub"', '"\\u0073\\u0075\\u0062"').replace('"ada"', '"\\u0061\\u0064\\u0061"')
      ),
      'white space around everything': forge(` \t\r\n${RIGHT.replaceAll(':', ' : ')}\n`)
    }
  },
  {
    source: 'RFC 8725 2.7, 2.8, 3.11 and 3.12: tokens of another kind',
    refused: {
      ...named(
        'typ',
        [
          'at+jwt',
          'logout+jwt',
          'secevent+jwt',
          'dpop+jwt',
          'oauth-authz-req+jwt',
          'token-introspection+jwt',
          'entity-statement+jwt',
          'kb+jwt',
          'vc+sd-jwt',
          'application/at+jwt',
          'application/jwt',
          'application/JWT',
          'jwt',
          'Jwt',
          'JWT ',
          ' JWT',
          'JWS',
          'JWE',
          'JOSE',
          'JOSE+JSON',
          '',
          null,
          false,
          0,
          1,
          [],
          ['JWT'],
          {}
        ],
        typ => header({ typ })
      ),
      'an ID token': forge({
        iss: 'https://x',
        sub: 'ada',
        aud: 'client',
        name: 'Ada',
        iat: now(),
        exp: now() + 3600,
        nonce: 'n'
      }),
      'a logout token': forge(
        { iss: 'https://x', sub: 'ada', iat: now(), jti: '1', events: {} },
        { ...HS256, typ: 'logout+jwt' }
      ),
      'for another audience': payload({ aud: 'another-service' }),
      'for several audiences': payload({ aud: ['this', 'that'] }),
      'an audience of null': payload({ aud: null }),
      'another issuer, with its own key': forge({ ...right(), iss: 'https://evil.example' }, HS256, {
        secret: 'x'.repeat(32)
      })
    }
  },
  {
    source: 'RFC 8725 2.9 and 3.10: claims and parameters that are not to be trusted',
    refused: {
      'jwk of an Ed25519 key, and signed with it': asymmetric('EdDSA', null, ed25519.privateKey, {
        jwk: jwkOf(ed25519.publicKey)
      }),
      ...Object.fromEntries(
        Object.entries({
          'jku of this host': { jku: 'http://127.0.0.1:3000/auth/login' },
          'jku of a file': { jku: 'file:///etc/passwd' },
          'x5c of the attacker': { x5c: [base64url(pem)], x5t: 'AA', 'x5t#S256': 'AA' },
          'kid as a path upwards': { kid: '../../../../dev/null' },
          'kid as a command': { kid: '| sleep 10 #' },
          'kid as a template': { kid: '$' + '{7*7}{{7*7}}' },
          'kid as a name of the prototype': { kid: '__proto__' },
          'kid as an object': { kid: { $ne: null } },
          'kid as an array': { kid: ['0'] }
        }).flatMap(([name, members]) => [
          [`${name}, signed with the empty key`, forge(right(), { ...HS256, ...members }, { secret: '' })],
          [
            `${name}, signed with the attacker's key`,
            forge(right(), { ...HS256, ...members }, { secret: 'x' })
          ],
          [`${name}, unsigned`, `${base64url({ ...HS256, alg: 'none', ...members })}.${p}.`]
        ])
      )
    },
    // Only the owner of the key can make these, and the server ignores the parameters: no attack.
    accepted: {
      'kid as SQL': header({ kid: "x' UNION SELECT 'x" }),
      'kid as an object': header({ kid: { $ne: null } }),
      'jku, x5u and x5c': header({ jku: 'https://evil.example', x5u: 'file:///etc/passwd', x5c: ['x'] }),
      'a jwk': header({ jwk: { kty: 'oct', k: 'AA' } })
    }
  },
  {
    source: 'design 2: names of the prototype',
    refused: {
      'alg in __proto__': forge(right(), '{"__proto__":{"alg":"HS256"},"typ":"JWT"}'),
      'alg in constructor': forge(right(), '{"constructor":{"prototype":{"alg":"HS256"}}}'),
      'all claims in __proto__': forge(`{"__proto__":${RIGHT}}`),
      'all claims in constructor.prototype': forge(`{"constructor":{"prototype":${RIGHT}}}`),
      'sub in __proto__, signed so': forge(
        JSON.stringify({ ...right(), sub: undefined }).replace('{', '{"__proto__":{"sub":"ada"},')
      ),
      'exp in __proto__, signed so': forge(
        JSON.stringify({ ...right(), exp: undefined }).replace('{', '{"__proto__":{"exp":9999999999},')
      ),
      'a payload of __proto__ null': forge('{"__proto__":null}')
    },
    accepted: {
      'claims beside a __proto__ that says something else': payloadText(
        '"__proto__":{"sub":"admin","nbf":99999999999}'
      ),
      'claims beside a constructor': payloadText(
        '"constructor":{"prototype":{"sub":"admin"}},"toString":1,"hasOwnProperty":null'
      ),
      'a header with __proto__': headerText('"__proto__":{"crit":["x"],"typ":"at+jwt"}'),
      'a header with constructor': headerText(
        '"constructor":{"prototype":{"crit":["x"]}},"toString":1,"valueOf":null'
      )
    }
  },
  {
    source: 'design 2: size and depth',
    refused: {
      '8 KB of one letter': 'a'.repeat(8192),
      '8 KB of dots': '.'.repeat(8192),
      '8 KB of segments': 'a.'.repeat(4096),
      '8 KB of padding': '='.repeat(8192),
      'a signature of 8 KB': `${h}.${p}.${'A'.repeat(8192)}`,
      'a header of 8 KB without JSON': sealed(`${'e'.repeat(8192)}.${p}`),
      'a payload of 3000 arrays': forge(deep(3000)),
      'a header of 3000 arrays': forge(right(), deep(3000)),
      'an array that does not end': forge('['.repeat(6000)),
      'an object that does not end': forge('{"a":'.repeat(1500)),
      'a long sub under another signature': `${h}.${base64url({ ...right(), sub: LONG })}.${s}`,
      'an exp of 6000 digits': forge(RIGHT.replace(/"exp":\d+/, `"exp":${'9'.repeat(6000)}`))
    },
    accepted: {
      'a claim of 6000 characters': payload({ x: LONG }),
      'a kid of 6000 characters': header({ kid: LONG }),
      'a claim of 3000 arrays': payloadText(`"x":${deep(3000)}`),
      'a parameter of 3000 arrays': headerText(`"x":${deep(3000)}`),
      'a number of 6000 digits': payloadText(`"x":${'9'.repeat(6000)}`),
      '500 claims': payload(Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`x${i}`, i])))
    }
  }
]
