import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { CompactEncrypt } from 'jose'
import type { Flag } from './flags.ts'
import { type Algorithm, testKey } from './keys.ts'
import { base64url, CLAIMS, ISSUED, LATER, ecdsa as sign, type TokenMaker } from './token-maker.ts'
import type { Vector } from './token-vectors.ts'

/** A vector; the id is without the group, and the result is `invalid` where none is given. */
type Row = [id: string, comment: string, flags: Flag | Flag[], token: string, result?: Vector['result']]

/** The vectors of one group. */
export async function rows(maker: TokenMaker): Promise<Row[]> {
  const { alg } = maker
  return [
    ...ordinary(maker),
    ...times(maker),
    ...members(maker),
    ...json(maker),
    ...shape(maker),
    ...base64(maker),
    ...algorithms(maker),
    ...keys(maker),
    ...(alg.startsWith('HS') ? secrets(maker) : confusion(maker)),
    ...signatures(maker),
    ...(alg === 'RS256' ? rsa(maker) : []),
    ...(alg === 'ES256' ? ecdsa(maker) : []),
    ...extensions(maker),
    ...(await encrypted(maker))
  ]
}

const TEXT = JSON.stringify(CLAIMS)
const { exp, ...UNLIMITED } = CLAIMS
const PAST = ISSUED + 3600

/** The JSON of the claims with members put behind the others, as they are written. */
const withText = (more: string, text = TEXT) => text.replace(/\}$/, `,${more}}`)

function ordinary({ token, make, alg }: TokenMaker): Row[] {
  const { sub, display_name, iat } = CLAIMS
  return [
    ['ordinary', 'As the reference server makes them', 'Ordinary', token, 'valid'],
    ['order', 'The members in another order', 'Ordinary', make({ exp, iat, display_name, sub }), 'valid'],
    [
      'spaces',
      'White space in the JSON',
      'Ordinary',
      make(JSON.stringify(CLAIMS, null, 2), `{ "alg" : "${alg}",\r\n\t"typ" : "JWT" }`),
      'valid'
    ],
    [
      'letters',
      'Letters past ASCII in the name',
      'Ordinary',
      make({ ...CLAIMS, display_name: 'Žofie Nováková 李 🎉' }),
      'valid'
    ],
    [
      'escapes',
      'The same as escapes of JSON',
      'Ordinary',
      make(TEXT.replace('Ada ', '\\u017dofie\\u0020\\ud83c\\udf89 ')),
      'valid'
    ],
    ['no-typ', 'Without a typ', 'Ordinary', make(CLAIMS, { alg }), 'valid'],
    ['nbf-past', 'With an nbf that has passed', 'Ordinary', make({ ...CLAIMS, nbf: ISSUED }), 'valid'],
    [
      'more-claims',
      'With claims that only its maker knows',
      'ExtraMember',
      make({ ...CLAIMS, jti: '7', roles: ['user'], ext: { a: null } }),
      'valid'
    ],
    [
      'more-header',
      'With a member of the header that only its maker knows',
      'ExtraMember',
      make(CLAIMS, { alg, typ: 'JWT', app: 'demo' }),
      'valid'
    ],
    ['aud', 'Made for an audience', 'ExtraMember', make({ ...CLAIMS, aud: 'another-service' }), 'acceptable'],
    [
      'proto',
      'With a claim __proto__, which is none of the object in any language',
      'ExtraMember',
      make(withText('"__proto__":{"exp":1}')),
      'acceptable'
    ]
  ]
}

function times({ make }: TokenMaker): Row[] {
  const at = (text: string) => make(withText(`"exp":${text}`, JSON.stringify(UNLIMITED)))
  return [
    ['expired', 'Expired', 'Expired', at(String(PAST))],
    ['expired-float', 'Expired, with a fraction', 'Expired', at(`${PAST}.5`)],
    ['expired-exponent', 'Expired, with an exponent', 'Expired', at('1.7040708e9')],
    ['exp-zero', 'Expired in 1970: zero is a time', 'Expired', at('0')],
    ['exp-minus-zero', 'The same with a sign', 'Expired', at('-0')],
    ['exp-negative', 'Expired before 1970', 'Expired', at('-1')],
    ['exp-tiny', 'Expired in 1970, in tiny fractions', 'Expired', at('1e-300')],
    ['exp-huge-negative', 'Expired before the world began', 'Expired', at('-1e300')],
    ['exp-float', 'The expiry has a fraction', 'UnusualTime', at(`${exp}.5`), 'acceptable'],
    ['exp-exponent', 'The expiry has an exponent', 'UnusualTime', at('4.1024448e9'), 'acceptable'],
    ['exp-milliseconds', 'The expiry in milliseconds', 'UnusualTime', at(`${exp}000`), 'acceptable'],
    ['exp-2-53', 'The expiry is 2 to the 53rd', 'UnusualTime', at('9007199254740992'), 'acceptable'],
    ['exp-2-64', 'The expiry is 2 to the 64th', 'UnusualTime', at('18446744073709551616'), 'acceptable'],
    ['exp-huge', 'The expiry is 1e300', 'UnusualTime', at('1e300'), 'acceptable'],
    ['exp-missing', 'No expiry', 'NoExpiry', make(UNLIMITED), 'acceptable'],
    ['exp-string', 'The expiry is a string', 'WrongType', at(`"${exp}"`)],
    ['exp-date', 'The expiry is a date', 'WrongType', at('"2100-01-01T00:00:00Z"')],
    ['exp-empty', 'The expiry is an empty string', 'WrongType', at('""')],
    ['exp-null', 'The expiry is null', 'WrongType', at('null')],
    ['exp-true', 'The expiry is true', 'WrongType', at('true')],
    ['exp-array', 'The expiry is in an array', 'WrongType', at(`[${exp}]`)],
    ['exp-object', 'The expiry is in an object', 'WrongType', at(`{"value":${exp}}`)],
    ['nbf-future', 'Not valid yet, for its nbf', 'NotYetValid', make({ ...CLAIMS, nbf: LATER })],
    ['nbf-string', 'The nbf is a string', 'WrongType', make({ ...CLAIMS, nbf: String(LATER) })],
    [
      'iat-future',
      'Issued in the future: the RFC has no rule for it',
      'NotYetValid',
      make({ ...CLAIMS, iat: LATER, exp: LATER + 3600 }),
      'acceptable'
    ]
  ]
}

function members({ make, header, alg }: TokenMaker): Row[] {
  const twice = (name: string, first: unknown, last: unknown) => {
    const others = Object.fromEntries(Object.entries(CLAIMS).filter(([key]) => key !== name))
    const pair = [first, last].map(value => `"${name}":${JSON.stringify(value)}`).join()
    return make(withText(pair, JSON.stringify(others)))
  }
  return [
    [
      'exp-twice-past-last',
      'The expiry twice, the last has passed',
      ['DuplicateKeys', 'Expired'],
      twice('exp', exp, PAST)
    ],
    [
      'exp-twice-past-first',
      'The expiry twice, the first has passed',
      'DuplicateKeys',
      twice('exp', PAST, exp),
      'acceptable'
    ],
    ['sub-twice', 'The user twice', 'DuplicateKeys', twice('sub', 'eve', 'ada'), 'acceptable'],
    [
      'alg-twice-none-last',
      'The alg twice, the last is none',
      ['DuplicateKeys', 'AlgNone'],
      make(CLAIMS, `{"alg":"${alg}","alg":"none"}`)
    ],
    [
      'alg-twice-none-first',
      'The alg twice, the first is none',
      'DuplicateKeys',
      make(CLAIMS, `{"alg":"none","alg":"${alg}"}`),
      'acceptable'
    ],
    [
      'exp-other-case',
      'Expired, with an EXP that has not',
      ['CaseOfNames', 'Expired'],
      make({ ...CLAIMS, exp: PAST, EXP: exp })
    ],
    ['alg-other-case', 'An ALG in place of the alg', 'CaseOfNames', make(CLAIMS, { ALG: alg })],
    ['sub-missing', 'No user', 'WrongType', make({ ...CLAIMS, sub: undefined }), 'acceptable'],
    ['sub-empty', 'The user is an empty string', 'WrongType', make({ ...CLAIMS, sub: '' }), 'acceptable'],
    ['sub-number', 'The user is a number', 'WrongType', make({ ...CLAIMS, sub: 7 }), 'acceptable'],
    ['typ-lower-case', 'The typ is jwt', 'TokenType', make(CLAIMS, { alg, typ: 'jwt' }), 'acceptable'],
    ['typ-other', 'The typ is at+jwt', 'TokenType', make(CLAIMS, { alg, typ: 'at+jwt' }), 'acceptable'],
    [
      'typ-number',
      'The typ is a number',
      ['TokenType', 'WrongType'],
      make(CLAIMS, { ...header, typ: 7 }),
      'acceptable'
    ],
    ['claims-array', 'The claims are an array', 'WrongType', make([CLAIMS])],
    ['claims-string', 'The claims are a string', 'WrongType', make(JSON.stringify(TEXT))],
    ['claims-number', 'The claims are a number', 'WrongType', make('7')],
    ['claims-null', 'The claims are null', 'WrongType', make('null')],
    ['header-array', 'The header is an array', 'WrongType', make(CLAIMS, [header])],
    ['header-string', 'The header is a string', 'WrongType', make(CLAIMS, `"${alg}"`)],
    ['header-null', 'The header is null', 'WrongType', make(CLAIMS, 'null')],
    ['alg-missing', 'The header has no alg', 'WrongAlgorithm', make(CLAIMS, { typ: 'JWT' })],
    ['alg-empty', 'The alg is an empty string', 'WrongAlgorithm', make(CLAIMS, { ...header, alg: '' })],
    ['alg-null', 'The alg is null', ['WrongAlgorithm', 'WrongType'], make(CLAIMS, { ...header, alg: null })],
    [
      'alg-array',
      'The alg is in an array',
      ['WrongAlgorithm', 'WrongType'],
      make(CLAIMS, { ...header, alg: [alg] })
    ],
    [
      'alg-lower-case',
      'The alg in lower case',
      'WrongAlgorithm',
      make(CLAIMS, { ...header, alg: alg.toLowerCase() })
    ],
    ['alg-space', 'A space behind the alg', 'WrongAlgorithm', make(CLAIMS, { ...header, alg: `${alg} ` })],
    [
      'alg-zero-byte',
      'A zero byte behind the alg',
      'WrongAlgorithm',
      make(CLAIMS, { ...header, alg: `${alg}\0` })
    ]
  ]
}

function json({ make, header }: TokenMaker): Row[] {
  const head = JSON.stringify(header)
  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')
  return [
    ['claims-empty', 'The claims are empty', 'InvalidJson', make('')],
    ['claims-cut', 'The claims end too early', 'InvalidJson', make(TEXT.slice(0, -1))],
    ['claims-garbage', 'Something follows the claims', 'InvalidJson', make(`${TEXT}x`)],
    ['claims-two', 'Other claims follow the claims', 'InvalidJson', make(`${TEXT}{"sub":"eve"}`)],
    ['claims-comma', 'A comma behind the last claim', 'InvalidJson', make(TEXT.replace('}', ',}'))],
    ['claims-quotes', 'The claims in single quotes', 'InvalidJson', make(TEXT.replaceAll('"', "'"))],
    ['claims-comment', 'A comment in the claims', 'InvalidJson', make(withText('"a":1/* */'))],
    ['claims-nan', 'A claim that is not a number', 'InvalidJson', make(withText('"a":NaN'))],
    ['exp-infinity', 'The expiry is infinite', 'InvalidJson', make(TEXT.replace(String(exp), 'Infinity'))],
    ['claims-line-break', 'A line break in a string', 'InvalidJson', make(TEXT.replace('Ada ', 'Ada\n'))],
    ['claims-zero-byte', 'A zero byte behind the claims', 'InvalidJson', make(`${TEXT}\0`)],
    ['header-empty', 'The header is empty', 'InvalidJson', make(CLAIMS, '')],
    ['header-cut', 'The header ends too early', 'InvalidJson', make(CLAIMS, head.slice(0, -1))],
    ['header-garbage', 'Something follows the header', 'InvalidJson', make(CLAIMS, `${head}x`)],
    ['claims-utf-16', 'The claims in UTF-16', 'WrongEncoding', make(utf16(TEXT))],
    ['header-utf-16', 'The header in UTF-16', 'WrongEncoding', make(CLAIMS, utf16(head))],
    [
      'claims-latin-1',
      'The claims in Latin-1',
      'WrongEncoding',
      make(Buffer.from(TEXT.replace('Ada', 'Zoé'), 'latin1'))
    ],
    [
      'claims-mark',
      'A byte order mark before the claims',
      'WrongEncoding',
      make(`\ufeff${TEXT}`),
      'acceptable'
    ],
    [
      'header-mark',
      'A byte order mark before the header',
      'WrongEncoding',
      make(CLAIMS, `\ufeff${head}`),
      'acceptable'
    ]
  ]
}

function shape({ token, input, parts: [header, claims, signature], make, alg }: TokenMaker): Row[] {
  const inner = JSON.stringify(token)
  return [
    ['dots', 'Three empty parts', 'Shape', '..'],
    ['one-part', 'The claims alone', 'Shape', claims],
    ['two-parts', 'No signature, and no full stop before it', ['Shape', 'Truncated'], input],
    ['four-parts', 'A full stop at the end', 'Shape', `${token}.`],
    ['five-parts', 'Five parts', 'Shape', `${token}.${claims}.${signature}`],
    ['leading-dot', 'A full stop at the beginning', 'Shape', `.${token}`],
    ['no-header', 'The header is left out', 'Shape', `.${claims}.${signature}`],
    ['no-claims', 'The claims are left out', 'Shape', `${header}..${signature}`],
    ['slashes', 'Slashes in place of the full stops', 'Shape', token.replaceAll('.', '/')],
    [
      'json-form',
      'As JSON, the other form of a signed object: a token never has it',
      'Shape',
      JSON.stringify({ payload: claims, protected: header, signature })
    ],
    ['twice', 'The token twice', 'Shape', `${token},${token}`],
    [
      'nested',
      'The claims are a token',
      'Nested',
      make(token, { alg, typ: 'JWT', cty: 'JWT' }),
      'acceptable'
    ],
    ['nested-string', 'The claims are a token in a string', ['Nested', 'WrongType'], make(inner)]
  ]
}

function base64({ token, input, parts, signed, first }: TokenMaker): Row[] {
  const [header, , signature] = parts
  const last = (text: string) => text.slice(text.lastIndexOf('.') + 1)
  const middle = (text: string) => text.split('.')[1] as string
  const standard = (text: string) => text.replaceAll('-', '+').replaceAll('_', '/')
  const odd = first(one => /[-_]/.test(last(one)) && middle(one).length % 4 === 2 && /[-_]/.test(middle(one)))
  const oddClaims = middle(odd)
  return [
    ['url-alphabet', 'With - and _ in the claims and in the signature', 'Ordinary', odd, 'valid'],
    [
      'signature-alphabet',
      'The signature in the alphabet of Base64',
      'LenientBase64',
      `${odd.slice(0, -last(odd).length)}${standard(last(odd))}`
    ],
    [
      'signature-padded',
      'The signature with padding',
      'LenientBase64',
      token + '='.repeat(-signature.length & 3)
    ],
    ['signature-padded-more', 'The signature with too much padding', 'LenientBase64', `${token}====`],
    [
      'signature-space',
      'A space in the signature',
      'LenientBase64',
      `${input}.${signature.slice(0, 9)} ${signature.slice(9)}`
    ],
    [
      'signature-symbol',
      'A ! in the signature',
      'LenientBase64',
      `${input}.${signature.slice(0, 9)}!${signature.slice(9)}`
    ],
    [
      'signature-unused-bits',
      'The last character of the signature is another one for the same bytes',
      'UnusedBits',
      withUnusedBits(token),
      'acceptable'
    ],
    [
      'claims-alphabet',
      'The claims in the alphabet of Base64, and signed so',
      'LenientBase64',
      signed(`${header}.${standard(oddClaims)}`)
    ],
    [
      'claims-padded',
      'The claims with padding, and signed so',
      'LenientBase64',
      signed(`${header}.${oddClaims}==`)
    ],
    [
      'claims-symbol',
      'A ! in the claims, and signed so',
      'LenientBase64',
      signed(`${header}.${oddClaims.slice(0, 9)}!${oddClaims.slice(9)}`)
    ],
    [
      'claims-unused-bits',
      'The last character of the claims is another one for the same bytes, and signed so',
      'UnusedBits',
      signed(`${header}.${withUnusedBits(oddClaims)}`),
      'acceptable'
    ],
    [
      'claims-symbol-later',
      'A ! in the claims, put in after the signature',
      ['LenientBase64', 'Tampered'],
      odd.replace('.', '.!')
    ],
    [
      'claims-unencoded',
      'The claims as JSON, and signed so',
      'LenientBase64',
      signed(`${header}.${TEXT.replaceAll(' ', '')}`)
    ]
  ]
}

/** Sets an unused bit of the last character. */
function withUnusedBits(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return text.slice(0, -1) + alphabet[alphabet.indexOf(text.at(-1) as string) + 1]
}

function algorithms({ parts, make, own, makeWith, signed, alg }: TokenMaker): Row[] {
  const [, claims, signature] = parts
  const spellings = ['none', 'None', 'NONE', 'nOnE', 'none ', 'none\0', 'nоne']
  const unsecured = spellings.flatMap((spelling, index): Row[] => {
    const head = base64url({ alg: spelling, typ: 'JWT' })
    const name = index === 0 ? 'alg-none' : `alg-none-${index + 1}`
    return [
      [
        name,
        `The alg is ${JSON.stringify(spelling)}, and the signature empty`,
        'AlgNone',
        `${head}.${claims}.`
      ],
      [
        `${name}-signature-kept`,
        `The alg is ${JSON.stringify(spelling)}, with the signature of another token`,
        'AlgNone',
        `${head}.${claims}.${signature}`
      ]
    ]
  })
  const others = alg === 'ES256' ? [] : ['256', '384', '512'].map(size => alg.slice(0, 2) + size)
  return [
    ...unsecured,
    [
      'alg-none-signed',
      'The alg is none, but it is signed',
      'AlgNone',
      make(CLAIMS, { alg: 'none', typ: 'JWT' })
    ],
    [
      'alg-none-no-dot',
      'The alg is none, without the last full stop',
      ['AlgNone', 'Shape'],
      `${base64url({ alg: 'none' })}.${claims}`
    ],
    [
      'alg-none-other-user',
      'The alg is none, for another user',
      'AlgNone',
      `${base64url({ alg: 'none' })}.${base64url({ ...CLAIMS, sub: 'eve' })}.`
    ],
    ...others
      .filter(other => other !== alg)
      .map(
        (other): Row => [
          `alg-${other.toLowerCase()}`,
          `${other} with the right key`,
          'WrongAlgorithm',
          makeWith(other, own)
        ]
      ),
    [
      'alg-lies',
      'The header says another algorithm than it is signed with',
      'WrongAlgorithm',
      make(CLAIMS, { alg: alg === 'HS256' ? 'HS512' : 'HS256', typ: 'JWT' })
    ],
    [
      'alg-sha-1',
      'Signed with SHA-1',
      'WrongAlgorithm',
      signed(parts.slice(0, 2).join('.'), own, `${alg.slice(0, 2)}1`)
    ],
    [
      'alg-unknown',
      'An algorithm that nobody knows',
      'WrongAlgorithm',
      make(CLAIMS, { alg: 'XS256', typ: 'JWT' })
    ]
  ]
}

function keys({ alg, header, own, other, makeWith, signed, make, parts, input }: TokenMaker): Row[] {
  const embedded =
    other.type === 'secret'
      ? other.export({ format: 'jwk' })
      : createPublicKey(other).export({ format: 'jwk' })
  const address = 'https://attacker.example/keys.json'
  const attackers = (['HS256', 'RS256', 'ES256'] as Algorithm[]).filter(one => one !== alg)
  return [
    ['other-key', 'Signed with the key of somebody else', 'WrongKey', signed(input, other)],
    ...attackers.map(
      (one): Row => [
        `other-key-${one.toLowerCase()}`,
        `${one}, with the key of somebody else`,
        ['WrongKey', 'WrongAlgorithm'],
        makeWith(one, testKey('other', one))
      ]
    ),
    [
      'jwk',
      'Signed with the key of somebody else, which the header brings',
      ['EmbeddedKey', 'WrongKey'],
      makeWith(alg, other, { jwk: embedded })
    ],
    ...(['RS256', 'ES256'] as const)
      .filter(one => one !== alg)
      .map(
        (one): Row => [
          `jwk-${one.toLowerCase()}`,
          `${one}, with a key of somebody else that the header brings`,
          ['EmbeddedKey', 'WrongKey', 'WrongAlgorithm'],
          makeWith(one, testKey('other', one), {
            jwk: createPublicKey(testKey('other', one)).export({ format: 'jwk' })
          })
        ]
      ),
    [
      'jku',
      'Signed with the key of somebody else, whose address the header has',
      ['EmbeddedKey', 'WrongKey'],
      makeWith(alg, other, { jku: address, kid: '1' })
    ],
    [
      'x5u',
      'The same, with the address of a certificate',
      ['EmbeddedKey', 'WrongKey'],
      makeWith(alg, other, { x5u: address })
    ],
    [
      'jwk-right-key',
      'The header brings a key, but it is signed with the right one',
      'EmbeddedKey',
      makeWith(alg, own, { jwk: embedded }),
      'acceptable'
    ],
    [
      'kid',
      'The header names a key that nobody knows, but it is signed with the right one',
      'ExtraMember',
      make(CLAIMS, { ...header, kid: 'unknown' }),
      'acceptable'
    ],
    [
      'kid-file',
      'The kid is the path of an empty file, and so is the key',
      ['KeyId', 'WeakKey'],
      hs(alg, makeWith, '', { kid: '../../../../../../dev/null' })
    ],
    [
      'kid-sql',
      'The kid is SQL that returns the key',
      ['KeyId', 'WeakKey'],
      hs(alg, makeWith, 'eve', { kid: "' UNION SELECT 'eve" })
    ],
    ['empty-key', 'Signed with HMAC and an empty key', 'WeakKey', hs(alg, makeWith, '')],
    [
      'kept-signature',
      'The claims of another user, with the signature of the first',
      'Tampered',
      `${parts[0]}.${base64url({ ...CLAIMS, sub: 'eve' })}.${parts[2]}`
    ],
    [
      'kept-signature-later-expiry',
      'A later expiry, with the signature of the first',
      'Tampered',
      `${parts[0]}.${base64url({ ...CLAIMS, exp: LATER })}.${parts[2]}`
    ],
    [
      'kept-signature-other-header',
      'Another header, with the signature of the first',
      'Tampered',
      `${base64url({ ...header, kid: '1' })}.${parts[1]}.${parts[2]}`
    ],
    ['parts-swapped', 'Header and claims swapped', 'Tampered', `${parts[1]}.${parts[0]}.${parts[2]}`]
  ]
}

/** HMAC with a guessed secret: of the group's own size, or with 256 bits. */
const hs = (alg: Algorithm, makeWith: TokenMaker['makeWith'], secret: string, more: object = {}) =>
  makeWith(alg.startsWith('HS') ? alg : 'HS256', Buffer.from(secret), more)

/** Secrets that people choose, and mistakes with the right one. */
function secrets({ own, alg, makeWith }: TokenMaker): Row[] {
  const secret = (own as KeyObject).export().toString()
  const weak = [
    'secret',
    'changeit',
    'your-256-bit-secret',
    '0'.repeat(32),
    '\0'.repeat(32),
    'undefined',
    'null'
  ]
  return [
    ...weak.map(
      (guess, index): Row => [
        `weak-key-${index + 1}`,
        `Signed with the key ${JSON.stringify(guess)}`,
        'WeakKey',
        makeWith(alg, Buffer.from(guess))
      ]
    ),
    [
      'key-as-base64',
      'Signed with the text of the key in Base64 in place of its bytes',
      'WrongKey',
      makeWith(alg, Buffer.from(base64url(secret)))
    ],
    [
      'key-line-break',
      'Signed with the key and a line break',
      'WrongKey',
      makeWith(alg, Buffer.from(`${secret}\n`))
    ],
    [
      'key-cut',
      'Signed with the first half of the key',
      'WrongKey',
      makeWith(alg, Buffer.from(secret.slice(0, secret.length >> 1)))
    ]
  ]
}

/** The public key, which everybody may have, as the secret of HMAC. */
function confusion({ own, alg, makeWith }: TokenMaker): Row[] {
  const key = createPublicKey(own)
  const pem = key.export({ format: 'pem', type: 'spki' }).toString()
  const jwk = key.export({ format: 'jwk' })
  const point =
    alg === 'ES256' ? Buffer.from(`${jwk.x}${jwk.y}`, 'base64url') : Buffer.from(String(jwk.n), 'base64url')
  const forms: [string, string, Buffer][] = [
    ['pem', 'as PEM', Buffer.from(pem)],
    ['pem-trimmed', 'as PEM without the last line break', Buffer.from(pem.trimEnd())],
    ['pem-crlf', 'as PEM with the line breaks of Windows', Buffer.from(pem.replaceAll('\n', '\r\n'))],
    ['pem-one-line', 'as PEM without line breaks', Buffer.from(pem.replaceAll('\n', ''))],
    ['pem-body', 'as the Base64 in its PEM', Buffer.from(pem.replace(/-----[^-]+-----|\n/g, ''))],
    ['der', 'as DER', key.export({ format: 'der', type: 'spki' })],
    ['jwk', 'as JWK', Buffer.from(JSON.stringify(jwk))],
    ['numbers', alg === 'ES256' ? 'as the bytes of its point' : 'as the bytes of its modulus', point],
    ...(alg === 'RS256'
      ? ([['pkcs-1', 'as PEM of PKCS #1', Buffer.from(key.export({ format: 'pem', type: 'pkcs1' }))]] as [
          string,
          string,
          Buffer
        ][])
      : [])
  ]
  return forms.flatMap(([id, form, secret]) =>
    ['HS256', 'HS384', 'HS512']
      .filter(by => by === 'HS256' || id === 'pem')
      .map(
        (by): Row => [
          `confused-${by.toLowerCase()}-${id}`,
          `${by}, and the secret is the public key ${form}`,
          'KeyConfusion',
          makeWith(by, secret)
        ]
      )
  )
}

function signatures({ input, parts, token, resigned, make }: TokenMaker): Row[] {
  const [, , signature] = parts
  const flip = (index: number) => (bytes: Buffer) => {
    const at = index < 0 ? bytes.length - 1 : index
    return Buffer.from(bytes.map((byte, i) => (i === at ? byte ^ 1 : byte)))
  }
  return [
    ['signature-empty', 'No signature', 'Truncated', `${input}.`],
    [
      'signature-one-byte',
      'The first byte of the signature',
      'Truncated',
      resigned(bytes => bytes.subarray(0, 1))
    ],
    [
      'signature-half',
      'The first half of the signature',
      'Truncated',
      resigned(bytes => bytes.subarray(0, bytes.length >> 1))
    ],
    [
      'signature-short',
      'The signature without its last byte',
      'Truncated',
      resigned(bytes => bytes.subarray(0, -1))
    ],
    ['signature-character-less', 'The signature without its last character', 'Truncated', token.slice(0, -1)],
    [
      'signature-long',
      'A zero byte behind the signature',
      'TooLong',
      resigned(bytes => Buffer.concat([bytes, Buffer.alloc(1)]))
    ],
    [
      'signature-long-before',
      'A zero byte before the signature',
      'TooLong',
      resigned(bytes => Buffer.concat([Buffer.alloc(1), bytes]))
    ],
    ['signature-character-more', 'An x behind the signature', 'TooLong', `${token}x`],
    ['signature-twice', 'The signature twice', 'TooLong', token + signature],
    ['signature-zero', 'Zero bytes', 'Tampered', resigned(bytes => Buffer.alloc(bytes.length))],
    [
      'signature-ones',
      'Bytes of which every bit is set',
      'Tampered',
      resigned(bytes => Buffer.alloc(bytes.length, 255))
    ],
    ['signature-first-bit', 'A bit of the first byte is another one', 'Tampered', resigned(flip(0))],
    ['signature-last-bit', 'A bit of the last byte is another one', 'Tampered', resigned(flip(-1))],
    [
      'signature-hexadecimal',
      'The signature in hexadecimal digits',
      'WrongFormat',
      `${input}.${Buffer.from(signature, 'base64url').toString('hex')}`
    ],
    [
      'signature-base64-twice',
      'The signature in Base64url twice',
      'WrongFormat',
      `${input}.${base64url(signature)}`
    ],
    [
      'signature-of-another',
      'The signature of another token of the same user',
      'Tampered',
      `${input}.${make({ ...CLAIMS, jti: '1' }).split('.')[2]}`
    ]
  ]
}

function rsa({ own, input, makeWith, resigned, signed }: TokenMaker): Row[] {
  const modulus = BigInt(
    `0x${Buffer.from(String(own.export({ format: 'jwk' }).n), 'base64url').toString('hex')}`
  )
  return [
    ['alg-ps256', 'PS256 with the right key', 'WrongAlgorithm', makeWith('PS256', own)],
    [
      'pss',
      'The header says RS256, and the signature is one of PS256',
      'WrongAlgorithm',
      signed(input, own, 'PS256')
    ],
    ['signature-one', 'The number one as signature', 'Tampered', resigned(bytes => number(1n, bytes.length))],
    [
      'signature-modulus',
      'The modulus as signature, which is zero to it',
      'Tampered',
      resigned(bytes => number(modulus, bytes.length))
    ],
    [
      'signature-plus-modulus',
      'The signature plus the modulus, which is the same to it',
      'TooLong',
      resigned(bytes => number(BigInt(`0x${bytes.toString('hex')}`) + modulus, bytes.length + 1))
    ]
  ]
}

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** A number in as many bytes, the highest first. */
const number = (value: bigint, length: number) =>
  Buffer.from(value.toString(16).padStart(length * 2, '0'), 'hex')

function ecdsa({ own, input, resigned, first, makeWith }: TokenMaker): Row[] {
  const pair = (r: bigint, s: bigint) =>
    `${input}.${base64url(Buffer.concat([number(r, 32), number(s, 32)]))}`
  const der = sign(createHash('sha256').update(input).digest(), own, 'der')
  const bytesOf = (token: string) => Buffer.from(token.slice(token.lastIndexOf('.') + 1), 'base64url')
  const zeroFirst = first(token => bytesOf(token)[0] === 0)
  const head = zeroFirst.slice(0, zeroFirst.lastIndexOf('.'))
  const psychic: [string, bigint, bigint][] = [
    ['0, 0', 0n, 0n],
    ['0, 1', 0n, 1n],
    ['1, 0', 1n, 0n],
    ['n, n', ORDER, ORDER],
    ['n, 0', ORDER, 0n],
    ['0, n', 0n, ORDER],
    ['n, 1', ORDER, 1n]
  ]
  return [
    ...psychic.map(
      ([name, r, s]): Row => [
        `psychic-${name.replace(', ', '-')}`,
        `r and s are ${name}`,
        'PsychicSignature',
        pair(r, s)
      ]
    ),
    [
      'other-s',
      's is replaced by n - s',
      'Malleable',
      resigned(bytes =>
        Buffer.concat([
          bytes.subarray(0, 32),
          number(ORDER - BigInt(`0x${bytes.subarray(32).toString('hex')}`), 32)
        ])
      ),
      'acceptable'
    ],
    ['der', 'The signature in DER', 'WrongFormat', `${input}.${base64url(der)}`],
    ['zero-first', 'r begins with a zero byte', 'Ordinary', zeroFirst, 'valid'],
    [
      'zero-first-cut',
      'r begins with a zero byte, which is left out',
      'WrongFormat',
      `${head}.${base64url(bytesOf(zeroFirst).subarray(1))}`
    ],
    [
      'wide',
      'r and s in 48 bytes each',
      'WrongFormat',
      resigned(bytes =>
        Buffer.concat([Buffer.alloc(16), bytes.subarray(0, 32), Buffer.alloc(16), bytes.subarray(32)])
      )
    ],
    [
      'swapped',
      'r and s swapped',
      'Tampered',
      resigned(bytes => Buffer.concat([bytes.subarray(32), bytes.subarray(0, 32)]))
    ],
    [
      'alg-es512',
      'ES512 with the right key, which is too short for it',
      'WrongAlgorithm',
      makeWith('ES512', own)
    ]
  ]
}

function extensions({ make, header, parts, signed, alg }: TokenMaker): Row[] {
  const critical = (crit: unknown, more: object = {}) => make(CLAIMS, { ...header, crit, ...more })
  const deflated = deflateRawSync(TEXT)
  const unencoded = base64url({ ...header, b64: false, crit: ['b64'] })
  return [
    [
      'crit',
      'A critical extension that nobody knows',
      'CriticalHeader',
      critical(['x-unknown'], { 'x-unknown': 1 })
    ],
    [
      'crit-missing',
      'A critical extension that the header does not have',
      'CriticalHeader',
      critical(['x-unknown'])
    ],
    [
      'crit-exp',
      'The expiry in the header, as a critical extension',
      'CriticalHeader',
      critical(['exp'], { exp })
    ],
    ['crit-known', 'The alg is named as an extension', 'CriticalHeader', critical(['alg']), 'acceptable'],
    ['crit-empty', 'An empty list of extensions', 'CriticalHeader', critical([]), 'acceptable'],
    [
      'crit-string',
      'The list of extensions is a string',
      'CriticalHeader',
      critical('x-unknown', { 'x-unknown': 1 }),
      'acceptable'
    ],
    [
      'crit-b64',
      'The claims are said to be plain text, and are Base64url',
      ['UnencodedPayload', 'CriticalHeader'],
      signed(`${unencoded}.${parts[1]}`)
    ],
    [
      'crit-b64-plain',
      'The claims are plain text',
      ['UnencodedPayload', 'CriticalHeader'],
      signed(`${unencoded}.${TEXT.replaceAll(' ', '')}`)
    ],
    [
      'b64',
      'The header has b64, but does not say that it is critical',
      'UnencodedPayload',
      make(CLAIMS, { ...header, b64: false }),
      'acceptable'
    ],
    ['zip', 'The claims are compressed', 'Compressed', make(deflated, { ...header, zip: 'DEF' })],
    [
      'zip-not',
      'The claims are said to be compressed, and are not',
      'Compressed',
      make(CLAIMS, { ...header, zip: 'DEF' }),
      'acceptable'
    ],
    [
      'enc',
      'The header has an enc, as if it were encrypted',
      'Encrypted',
      make(CLAIMS, { alg, typ: 'JWT', enc: 'A256GCM' }),
      'acceptable'
    ]
  ]
}

/** Claims, and an unsecured token, encrypted for the server: whoever can do that need not be the server. */
async function encrypted({ alg, own, parts }: TokenMaker): Promise<Row[]> {
  const key =
    own.type === 'secret' ? createHash('sha256').update(own.export()).digest() : createPublicKey(own)
  const [by, how] = {
    HS: ['dir', 'the hash of the secret'],
    RS: ['RSA-OAEP-256', 'the public key'],
    ES: ['ECDH-ES', 'the public key']
  }[alg.slice(0, 2)] as [string, string]
  const encrypt = (content: string, more: object = {}) =>
    new CompactEncrypt(Buffer.from(content))
      .setProtectedHeader({ alg: by, enc: 'A256GCM', typ: 'JWT', ...more })
      .encrypt(key)
  const unsecured = `${base64url({ alg: 'none' })}.${parts[1]}.`
  return [
    ['encrypted', `Claims that are encrypted with ${how}, and not signed`, 'Encrypted', await encrypt(TEXT)],
    [
      'encrypted-alg-none',
      `A token with the alg none, encrypted with ${how}`,
      ['Encrypted', 'AlgNone'],
      await encrypt(unsecured, { cty: 'JWT' })
    ]
  ]
}
