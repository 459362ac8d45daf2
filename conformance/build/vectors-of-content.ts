// Vectors about the content and the structure of a token.
import { deflateRawSync } from 'node:zlib'
import { base64url, recorded } from './cryptography.ts'
import { CLAIMS, ISSUED, LATER, type TokenMaker } from './vector.ts'

const TEXT = JSON.stringify(CLAIMS)
const UNSPACED = TEXT.replaceAll(' ', '')
const { exp, ...UNLIMITED } = CLAIMS
const PAST = ISSUED + 3600

/** Returns the JSON of the claims, with the text of further members appended verbatim. */
const withText = (more: string, text = TEXT) => text.replace(/\}$/, `,${more}}`)

export function addContentVectors(maker: TokenMaker): void {
  for (const add of [ordinary, times, members, json, shape, base64, extensions, encrypted]) add(maker)
}

function ordinary({ valid, acceptable, token, make, withClaims, withHeader, alg }: TokenMaker) {
  const { sub, display_name, iat } = CLAIMS
  const spacedHeader = `{ "alg" : "${alg}",\r\n\t"typ" : "JWT" }`
  const more = { jti: '7', roles: ['user'], ext: { a: null } }
  const escaped = TEXT.replace('Ada ', '\\u017dofie\\u0020\\ud83c\\udf89 ')
  valid('Ordinary', {
    ordinary: ['As the reference server issues tokens', token],
    order: ['The members in another order', make({ exp, iat, display_name, sub })],
    spaces: ['White space in the JSON', make(JSON.stringify(CLAIMS, null, 2), spacedHeader)],
    letters: ['Letters beyond ASCII in the name', withClaims({ display_name: 'Žofie Nováková 李 🎉' })],
    escapes: ['The same as escapes of JSON', make(escaped)],
    'no-typ': ['Without a typ', withHeader({ typ: undefined })],
    'nbf-past': ['With an nbf that has passed', withClaims({ nbf: ISSUED })]
  })
  valid('ExtraMember', {
    'more-claims': ['With claims that only its maker knows', withClaims(more)],
    'more-header': ['With a member of the header that only its maker knows', withHeader({ app: 'demo' })]
  })
  acceptable('ExtraMember', {
    aud: ['Made for an audience', withClaims({ aud: 'another-service' })],
    proto: [
      'With a claim __proto__, which is none of the object in any language',
      make(withText('"__proto__":{"exp":1}'))
    ],
    kid: ['The header names an unknown key, but the token is signed with the right one', withHeader({ kid: 'unknown' })]
  })
}

function times({ invalid, acceptable, make, withClaims }: TokenMaker) {
  const at = (text: string | number) => make(withText(`"exp":${text}`, JSON.stringify(UNLIMITED)))
  invalid('Expired', {
    expired: ['Expired', at(PAST)],
    'expired-float': ['Expired, with a fraction', at(`${PAST}.5`)],
    'expired-exponent': ['Expired, with an exponent', at('1.7040708e9')],
    'exp-zero': ['Expired in 1970: zero is a time', at('0')],
    'exp-minus-zero': ['The same with a sign', at('-0')],
    'exp-negative': ['Expired before 1970', at('-1')],
    'exp-tiny': ['Expired in 1970, in tiny fractions', at('1e-300')],
    'exp-huge-negative': ['Expired far in the past', at('-1e300')]
  })
  acceptable('UnusualTime', {
    'exp-float': ['The expiry has a fraction', at(`${exp}.5`)],
    'exp-exponent': ['The expiry has an exponent', at('4.1024448e9')],
    'exp-milliseconds': ['The expiry in milliseconds', at(`${exp}000`)],
    'exp-2-53': ['The expiry is 2 to the 53rd', at('9007199254740992')],
    'exp-2-64': ['The expiry is 2 to the 64th', at('18446744073709551616')],
    'exp-huge': ['The expiry is 1e300', at('1e300')]
  })
  acceptable('NoExpiry', { 'exp-missing': ['No expiry', make(UNLIMITED)] })
  invalid('WrongType', {
    'exp-string': ['The expiry is a string', at(`"${exp}"`)],
    'exp-date': ['The expiry is a date', at('"2100-01-01T00:00:00Z"')],
    'exp-empty': ['The expiry is an empty string', at('""')],
    'exp-null': ['The expiry is null', at('null')],
    'exp-true': ['The expiry is true', at('true')],
    'exp-array': ['The expiry is in an array', at(`[${exp}]`)],
    'exp-object': ['The expiry is in an object', at(`{"value":${exp}}`)],
    'nbf-string': ['The nbf is a string', withClaims({ nbf: String(LATER) })]
  })
  invalid('NotYetValid', { 'nbf-future': ['Not valid yet, for its nbf', withClaims({ nbf: LATER })] })
  acceptable('NotYetValid', {
    'iat-future': ['Issued in the future: the RFC has no rule for it', withClaims({ iat: LATER, exp: LATER + 3600 })]
  })
}

function members({ invalid, acceptable, make, withClaims, withHeader, header, alg }: TokenMaker) {
  const twice = (name: string, first: unknown, last: unknown) => {
    const others = Object.fromEntries(Object.entries(CLAIMS).filter(([key]) => key !== name))
    const pair = [first, last].map(value => `"${name}":${JSON.stringify(value)}`).join()
    return make(withText(pair, JSON.stringify(others)))
  }
  const algTwice = (first: string, last: string) => make(CLAIMS, `{"alg":"${first}","alg":"${last}"}`)
  invalid(['DuplicateKeys', 'Expired'], {
    'exp-twice-past-last': ['The expiry twice, the last has passed', twice('exp', exp, PAST)]
  })
  invalid(['DuplicateKeys', 'AlgNone'], {
    'alg-twice-none-last': ['The alg twice, the last is none', algTwice(alg, 'none')]
  })
  acceptable('DuplicateKeys', {
    'exp-twice-past-first': ['The expiry twice, the first has passed', twice('exp', PAST, exp)],
    'sub-twice': ['The user twice', twice('sub', 'eve', 'ada')],
    'alg-twice-none-first': ['The alg twice, the first is none', algTwice('none', alg)]
  })
  invalid(['CaseOfNames', 'Expired'], {
    'exp-other-case': ['Expired, with an EXP that has not', withClaims({ exp: PAST, EXP: exp })]
  })
  invalid('CaseOfNames', {
    'alg-other-case': ['An ALG in place of the alg', make(CLAIMS, { ALG: alg })]
  })
  acceptable('WrongType', {
    'sub-missing': ['No user', withClaims({ sub: undefined })],
    'sub-empty': ['The user is an empty string', withClaims({ sub: '' })],
    'sub-number': ['The user is a number', withClaims({ sub: 7 })]
  })
  acceptable('TokenType', {
    'typ-lower-case': ['The typ is jwt', withHeader({ typ: 'jwt' })],
    'typ-other': ['The typ is at+jwt', withHeader({ typ: 'at+jwt' })]
  })
  acceptable(['TokenType', 'WrongType'], {
    'typ-number': ['The typ is a number', withHeader({ typ: 7 })]
  })
  invalid('WrongType', {
    'claims-array': ['The claims are an array', make([CLAIMS])],
    'claims-string': ['The claims are a string', make(JSON.stringify(TEXT))],
    'claims-number': ['The claims are a number', make('7')],
    'claims-null': ['The claims are null', make('null')],
    'header-array': ['The header is an array', make(CLAIMS, [header])],
    'header-string': ['The header is a string', make(CLAIMS, `"${alg}"`)],
    'header-null': ['The header is null', make(CLAIMS, 'null')]
  })
  invalid(['WrongAlgorithm', 'WrongType'], {
    'alg-null': ['The alg is null', withHeader({ alg: null })],
    'alg-array': ['The alg is in an array', withHeader({ alg: [alg] })]
  })
  invalid('WrongAlgorithm', {
    'alg-missing': ['The header has no alg', withHeader({ alg: undefined })],
    'alg-empty': ['The alg is an empty string', withHeader({ alg: '' })],
    'alg-lower-case': ['The alg in lower case', withHeader({ alg: alg.toLowerCase() })],
    'alg-space': ['A space behind the alg', withHeader({ alg: `${alg} ` })],
    'alg-zero-byte': ['A zero byte behind the alg', withHeader({ alg: `${alg}\0` })]
  })
}

function json({ invalid, acceptable, make, header }: TokenMaker) {
  const head = JSON.stringify(header)
  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')
  invalid('InvalidJson', {
    'claims-empty': ['The claims are empty', make('')],
    'claims-cut': ['The claims end too early', make(TEXT.slice(0, -1))],
    'claims-garbage': ['Something follows the claims', make(`${TEXT}x`)],
    'claims-two': ['Other claims follow the claims', make(`${TEXT}{"sub":"eve"}`)],
    'claims-comma': ['A comma behind the last claim', make(TEXT.replace('}', ',}'))],
    'claims-quotes': ['The claims in single quotes', make(TEXT.replaceAll('"', "'"))],
    'claims-comment': ['A comment in the claims', make(withText('"a":1/* */'))],
    'claims-nan': ['A claim that is not a number', make(withText('"a":NaN'))],
    'exp-infinity': ['The expiry is infinite', make(TEXT.replace(String(exp), 'Infinity'))],
    'claims-line-break': ['A line break in a string', make(TEXT.replace('Ada ', 'Ada\n'))],
    'claims-zero-byte': ['A zero byte behind the claims', make(`${TEXT}\0`)],
    'header-empty': ['The header is empty', make(CLAIMS, '')],
    'header-cut': ['The header ends too early', make(CLAIMS, head.slice(0, -1))],
    'header-garbage': ['Something follows the header', make(CLAIMS, `${head}x`)]
  })
  invalid('WrongEncoding', {
    'claims-utf-16': ['The claims in UTF-16', make(utf16(TEXT))],
    'header-utf-16': ['The header in UTF-16', make(CLAIMS, utf16(head))],
    'claims-latin-1': ['The claims in Latin-1', make(Buffer.from(TEXT.replace('Ada', 'Zoé'), 'latin1'))]
  })
  acceptable('WrongEncoding', {
    'claims-mark': ['A byte order mark before the claims', make(`\ufeff${TEXT}`)],
    'header-mark': ['A byte order mark before the header', make(CLAIMS, `\ufeff${head}`)]
  })
}

function shape({ invalid, acceptable, token, input, parts, make, header }: TokenMaker) {
  const [head, claims, signature] = parts
  const inJson = JSON.stringify({ payload: claims, protected: head, signature })
  invalid('Shape', {
    dots: ['Three empty parts', '..'],
    'one-part': ['The claims alone', claims],
    'four-parts': ['A full stop at the end', `${token}.`],
    'five-parts': ['Five parts', `${token}.${claims}.${signature}`],
    'leading-dot': ['A full stop at the beginning', `.${token}`],
    'no-header': ['The header is left out', `.${claims}.${signature}`],
    'no-claims': ['The claims are left out', `${head}..${signature}`],
    slashes: ['Slashes in place of the full stops', token.replaceAll('.', '/')],
    'json-form': ['As JSON, the other form of a signed object: a token never has it', inJson],
    twice: ['The token twice', `${token},${token}`]
  })
  invalid(['Shape', 'Truncated'], { 'two-parts': ['No signature, and no full stop before it', input] })
  acceptable('Nested', { nested: ['The claims are a token', make(token, { ...header, cty: 'JWT' })] })
  invalid(['Nested', 'WrongType'], {
    'nested-string': ['The claims are a token in a string', make(JSON.stringify(token))]
  })
}

function base64({ valid, invalid, acceptable, token, input, parts, signed, first }: TokenMaker) {
  const [header, , signature] = parts
  const last = (text: string) => text.slice(text.lastIndexOf('.') + 1)
  const middle = (text: string) => text.split('.')[1] as string
  const standard = (text: string) => text.replaceAll('-', '+').replaceAll('_', '/')
  const inserted = (text: string, character: string) => text.slice(0, 9) + character + text.slice(9)
  const odd = first(one => /[-_]/.test(last(one)) && middle(one).length % 4 === 2 && /[-_]/.test(middle(one)))
  const oddClaims = middle(odd)
  const withPart = (claims: string) => signed(`${header}.${claims}`)
  valid('Ordinary', { 'url-alphabet': ['With - and _ in the claims and in the signature', odd] })
  invalid('LenientBase64', {
    'signature-alphabet': ['The signature in the alphabet of Base64', odd.replace(last(odd), standard)],
    'signature-padded': ['The signature with padding', token + '='.repeat(-signature.length & 3)],
    'signature-padded-more': ['The signature with too much padding', `${token}====`],
    'signature-space': ['A space in the signature', `${input}.${inserted(signature, ' ')}`],
    'signature-symbol': ['A ! in the signature', `${input}.${inserted(signature, '!')}`],
    'claims-alphabet': ['The claims in the alphabet of Base64, and signed so', withPart(standard(oddClaims))],
    'claims-padded': ['The claims with padding, and signed so', withPart(`${oddClaims}==`)],
    'claims-symbol': ['A ! in the claims, and signed so', withPart(inserted(oddClaims, '!'))],
    'claims-unencoded': ['The claims as JSON, and signed so', withPart(UNSPACED)]
  })
  invalid(['LenientBase64', 'Tampered'], {
    'claims-symbol-later': ['A ! in the claims, put in after the signature', odd.replace('.', '.!')]
  })
  acceptable('UnusedBits', {
    'signature-unused-bits': [
      'The last character of the signature is another one for the same bytes',
      withUnusedBits(token)
    ],
    'claims-unused-bits': [
      'The last character of the claims is another one for the same bytes, and signed so',
      withPart(withUnusedBits(oddClaims))
    ]
  })
}

function withUnusedBits(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return text.slice(0, -1) + alphabet[alphabet.indexOf(text.at(-1) as string) + 1]
}

function extensions({ invalid, acceptable, make, withHeader, header, parts, signed }: TokenMaker) {
  const unknown = { 'x-unknown': 1 }
  const unencoded = base64url({ ...header, b64: false, crit: ['b64'] })
  const deflated = make(deflateRawSync(TEXT), { ...header, zip: 'DEF' })
  invalid('CriticalHeader', {
    crit: ['An unknown critical extension', withHeader({ crit: ['x-unknown'], ...unknown })],
    'crit-missing': ['A critical extension that the header does not have', withHeader({ crit: ['x-unknown'] })],
    'crit-exp': ['The expiry in the header, as a critical extension', withHeader({ crit: ['exp'], exp })]
  })
  acceptable('CriticalHeader', {
    'crit-known': ['The alg is named as an extension', withHeader({ crit: ['alg'] })],
    'crit-empty': ['An empty list of extensions', withHeader({ crit: [] })],
    'crit-string': ['The list of extensions is a string', withHeader({ crit: 'x-unknown', ...unknown })]
  })
  invalid(['UnencodedPayload', 'CriticalHeader'], {
    'crit-b64': ['The claims are said to be plain text, and are Base64url', signed(`${unencoded}.${parts[1]}`)],
    'crit-b64-plain': ['The claims are plain text', signed(`${unencoded}.${UNSPACED}`)]
  })
  acceptable('UnencodedPayload', {
    b64: ['The header has b64, but does not say that it is critical', withHeader({ b64: false })]
  })
  invalid('Compressed', { zip: ['The claims are compressed', deflated] })
  acceptable('Compressed', {
    'zip-not': ['The claims are said to be compressed, and are not', withHeader({ zip: 'DEF' })]
  })
  acceptable('Encrypted', {
    enc: ['The header has an enc, as if it were encrypted', withHeader({ enc: 'A256GCM' })]
  })
}

/** Claims and an unsecured token, encrypted for the server. Anyone who has the public key can do this. */
function encrypted({ invalid, alg, own }: TokenMaker) {
  const how = own.type === 'secret' ? 'the hash of the secret' : 'the public key'
  invalid('Encrypted', {
    encrypted: [`Claims that are encrypted with ${how}, and not signed`, recorded(alg, 'encrypted')]
  })
  invalid(['Encrypted', 'AlgNone'], {
    'encrypted-alg-none': [`A token with the alg none, encrypted with ${how}`, recorded(alg, 'encrypted-alg-none')]
  })
}
