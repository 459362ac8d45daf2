// Vectors about the signature of a token.
import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { base64url, recorded, ecdsa as sign } from './cryptography.ts'
import { testKey } from './keys.ts'
import { CLAIMS, LATER, type TokenMaker } from './vector.ts'

export function addSignatureVectors(maker: TokenMaker): void {
  const ofOne = { HS256: [secrets], HS512: [secrets], RS256: [confusion, rsa], ES256: [confusion, ecdsa] }
  for (const add of [algorithms, keys, signatures, ...ofOne[maker.alg]]) add(maker)
}

function algorithms({ invalid, parts, input, withHeader, own, makeWith, signed, alg }: TokenMaker) {
  const [, claims, signature] = parts
  const none = base64url({ alg: 'none' })
  const others = alg === 'ES256' ? [] : ['256', '384', '512'].map(size => alg.slice(0, 2) + size)
  const another = alg === 'HS256' ? 'HS512' : 'HS256'
  for (const [index, spelling] of ['none', 'None', 'NONE', 'nOnE', 'none ', 'none\0', 'nоne'].entries()) {
    const head = base64url({ alg: spelling, typ: 'JWT' })
    const id = index === 0 ? 'alg-none' : `alg-none-${index + 1}`
    const about = `The alg is ${JSON.stringify(spelling)}`
    invalid('AlgNone', {
      [id]: [`${about}, and the signature empty`, `${head}.${claims}.`],
      [`${id}-signature-kept`]: [`${about}, with the signature of another token`, `${head}.${claims}.${signature}`]
    })
  }
  invalid('AlgNone', {
    'alg-none-signed': ['The alg is none, but it is signed', withHeader({ alg: 'none' })],
    'alg-none-other-user': ['The alg is none, for another user', `${none}.${base64url({ ...CLAIMS, sub: 'eve' })}.`]
  })
  invalid(['AlgNone', 'Shape'], {
    'alg-none-no-dot': ['The alg is none, without the last full stop', `${none}.${claims}`]
  })
  for (const other of others.filter(other => other !== alg))
    invalid('WrongAlgorithm', {
      [`alg-${other.toLowerCase()}`]: [`${other} with the right key`, makeWith(other, own)]
    })
  invalid('WrongAlgorithm', {
    'alg-lies': ['The header says another algorithm than it is signed with', withHeader({ alg: another })],
    'alg-sha-1': ['Signed with SHA-1', signed(input, own, `${alg.slice(0, 2)}1`)],
    'alg-unknown': ['An unknown algorithm', withHeader({ alg: 'XS256' })]
  })
}

function keys({ invalid, acceptable, alg, header, own, other, makeWith, signed, parts, input }: TokenMaker) {
  const [head, claims, signature] = parts
  const jwkOf = (key: KeyObject) => (key.type === 'secret' ? key : createPublicKey(key)).export({ format: 'jwk' })
  const address = 'https://attacker.example/keys.json'
  const eve = base64url({ ...CLAIMS, sub: 'eve' })
  const later = base64url({ ...CLAIMS, exp: LATER })
  const attackers = (['HS256', 'RS256', 'ES256'] as const).filter(one => one !== alg)
  // Signs with a guessed secret, with the group's algorithm if it is HMAC, otherwise with HS256.
  const guessed = (secret: string, more: object = {}) =>
    makeWith(alg.startsWith('HS') ? alg : 'HS256', Buffer.from(secret), more)
  invalid('WrongKey', { 'other-key': ['Signed with another key', signed(input, other)] })
  for (const one of attackers)
    invalid(['WrongKey', 'WrongAlgorithm'], {
      [`other-key-${one.toLowerCase()}`]: [`${one}, with another key`, makeWith(one, testKey('other', one))]
    })
  for (const one of attackers.filter(one => one !== 'HS256'))
    invalid(['EmbeddedKey', 'WrongKey', 'WrongAlgorithm'], {
      [`jwk-${one.toLowerCase()}`]: [
        `${one}, with another key, which is in the header`,
        makeWith(one, testKey('other', one), { jwk: jwkOf(testKey('other', one)) })
      ]
    })
  invalid(['EmbeddedKey', 'WrongKey'], {
    jwk: ['Signed with another key, which is in the header', makeWith(alg, other, { jwk: jwkOf(other) })],
    jku: ['Signed with another key, whose URL is in the header', makeWith(alg, other, { jku: address, kid: '1' })],
    x5u: ['The same, with the address of a certificate', makeWith(alg, other, { x5u: address })]
  })
  acceptable('EmbeddedKey', {
    'jwk-right-key': [
      'The header brings a key, but it is signed with the right one',
      makeWith(alg, own, { jwk: jwkOf(other) })
    ]
  })
  invalid(['KeyId', 'WeakKey'], {
    'kid-file': [
      'The kid is the path of an empty file, and so is the key',
      guessed('', { kid: '../../../../../../dev/null' })
    ],
    'kid-sql': ['The kid is SQL that returns the key', guessed('eve', { kid: "' UNION SELECT 'eve" })]
  })
  invalid('WeakKey', { 'empty-key': ['Signed with HMAC and an empty key', guessed('')] })
  invalid('Tampered', {
    'kept-signature': ['The claims of another user, with the signature of the first', `${head}.${eve}.${signature}`],
    'kept-signature-later-expiry': ['A later expiry, with the signature of the first', `${head}.${later}.${signature}`],
    'kept-signature-other-header': [
      'Another header, with the signature of the first',
      `${base64url({ ...header, kid: '1' })}.${claims}.${signature}`
    ],
    'parts-swapped': ['Header and claims swapped', `${claims}.${head}.${signature}`]
  })
}

/** Weak secrets, and common mistakes with the right secret. */
function secrets({ invalid, own, alg, makeWith }: TokenMaker) {
  const secret = own.export().toString()
  const by = (text: string) => makeWith(alg, Buffer.from(text))
  const zeros = ['0'.repeat(32), '\0'.repeat(32)]
  const weak = ['secret', 'changeit', 'your-256-bit-secret', ...zeros, 'undefined', 'null']
  for (const [index, guess] of weak.entries())
    invalid('WeakKey', { [`weak-key-${index + 1}`]: [`Signed with the key ${JSON.stringify(guess)}`, by(guess)] })
  invalid('WrongKey', {
    'key-as-base64': ['Signed with the text of the key in Base64 in place of its bytes', by(base64url(secret))],
    'key-line-break': ['Signed with the key and a line break', by(`${secret}\n`)],
    'key-cut': ['Signed with the first half of the key', by(secret.slice(0, secret.length >> 1))]
  })
}

/** HMAC with the public key as the secret. Anyone may have the public key. */
function confusion({ invalid, own, alg, makeWith }: TokenMaker) {
  const key = createPublicKey(own)
  const pem = key.export({ format: 'pem', type: 'spki' }).toString()
  const jwk = key.export({ format: 'jwk' })
  const [name, numbers] = alg === 'ES256' ? ['point', `${jwk.x}${jwk.y}`] : ['modulus', String(jwk.n)]
  const forms: [id: string, form: string, secret: string | Buffer][] = [
    ['pem', 'as PEM', pem],
    ['pem-trimmed', 'as PEM without the last line break', pem.trimEnd()],
    ['pem-crlf', 'as PEM with the line breaks of Windows', pem.replaceAll('\n', '\r\n')],
    ['pem-one-line', 'as PEM without line breaks', pem.replaceAll('\n', '')],
    ['pem-body', 'as the Base64 in its PEM', pem.replace(/-----[^-]+-----|\n/g, '')],
    ['der', 'as DER', key.export({ format: 'der', type: 'spki' })],
    ['jwk', 'as JWK', JSON.stringify(jwk)],
    ['numbers', `as the bytes of its ${name}`, Buffer.from(numbers, 'base64url')]
  ]
  if (alg === 'RS256') forms.push(['pkcs-1', 'as PEM of PKCS #1', key.export({ format: 'pem', type: 'pkcs1' })])
  for (const [id, form, secret] of forms)
    for (const by of id === 'pem' ? ['HS256', 'HS384', 'HS512'] : ['HS256'])
      invalid('KeyConfusion', {
        [`confused-${by.toLowerCase()}-${id}`]: [
          `${by}, and the secret is the public key ${form}`,
          makeWith(by, secret)
        ]
      })
}

function signatures({ invalid, input, parts, token, resigned, withClaims }: TokenMaker) {
  const [, , signature] = parts
  const zero = Buffer.alloc(1)
  const flipped = (at: number) =>
    resigned(bytes => Buffer.from(bytes.map((byte, index) => (index === at ? byte ^ 1 : byte))))
  const bytes = Buffer.from(signature, 'base64url')
  const { length } = bytes
  const another = withClaims({ jti: '1' }).split('.')[2]
  invalid('Truncated', {
    'signature-empty': ['No signature', `${input}.`],
    'signature-one-byte': ['The first byte of the signature', resigned(bytes => bytes.subarray(0, 1))],
    'signature-half': ['The first half of the signature', resigned(bytes => bytes.subarray(0, length >> 1))],
    'signature-short': ['The signature without its last byte', resigned(bytes => bytes.subarray(0, -1))],
    'signature-character-less': ['The signature without its last character', token.slice(0, -1)]
  })
  invalid('TooLong', {
    'signature-long': ['A zero byte behind the signature', resigned(bytes => Buffer.concat([bytes, zero]))],
    'signature-long-before': ['A zero byte before the signature', resigned(bytes => Buffer.concat([zero, bytes]))],
    'signature-character-more': ['An x behind the signature', `${token}x`],
    'signature-twice': ['The signature twice', token + signature]
  })
  invalid('Tampered', {
    'signature-zero': ['Zero bytes', resigned(() => Buffer.alloc(length))],
    'signature-ones': ['Bytes of which every bit is set', resigned(() => Buffer.alloc(length, 255))],
    'signature-first-bit': ['A bit of the first byte is another one', flipped(0)],
    'signature-last-bit': ['A bit of the last byte is another one', flipped(length - 1)],
    'signature-of-another': ['The signature of another token of the same user', `${input}.${another}`]
  })
  invalid('WrongFormat', {
    'signature-hexadecimal': ['The signature in hexadecimal digits', `${input}.${bytes.toString('hex')}`],
    'signature-base64-twice': ['The signature in Base64url twice', `${input}.${base64url(signature)}`]
  })
}

/** Decodes a big-endian number. */
const toNumber = (bytes: Buffer) => BigInt(`0x${bytes.toString('hex')}`)

/** Encodes a number as big-endian bytes. */
const toBytes = (value: bigint, length: number) => Buffer.from(value.toString(16).padStart(length * 2, '0'), 'hex')

function rsa({ invalid, alg, own, resigned }: TokenMaker) {
  const modulus = toNumber(Buffer.from(String(own.export({ format: 'jwk' }).n), 'base64url'))
  invalid('WrongAlgorithm', {
    'alg-ps256': ['PS256 with the right key', recorded(alg, 'alg-ps256')],
    pss: ['The header says RS256, and the signature is one of PS256', recorded(alg, 'pss')]
  })
  const numbered = (value: bigint) => resigned(bytes => toBytes(value, bytes.length))
  invalid('Tampered', {
    'signature-one': ['The number one as signature', numbered(1n)],
    'signature-modulus': ['The modulus as signature, which is zero to it', numbered(modulus)]
  })
  invalid('TooLong', {
    'signature-plus-modulus': [
      'The signature plus the modulus, which is the same to it',
      resigned(bytes => toBytes(toNumber(bytes) + modulus, bytes.length + 1))
    ]
  })
}

/** The order n of the curve P-256. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

function ecdsa({ valid, invalid, acceptable, own, input, resigned, first, makeWith }: TokenMaker) {
  const pair = (r: bigint, s: bigint) => `${input}.${base64url(Buffer.concat([toBytes(r, 32), toBytes(s, 32)]))}`
  /** Returns the ordinary token with changed bytes for r and s. */
  const paired = (change: (r: Buffer, s: Buffer) => Buffer[]) =>
    resigned(bytes => Buffer.concat(change(bytes.subarray(0, 32), bytes.subarray(32))))
  const der = sign(createHash('sha256').update(input).digest(), own, 'der')
  const bytesOf = (token: string) => Buffer.from(token.slice(token.lastIndexOf('.') + 1), 'base64url')
  const zeroFirst = first(token => bytesOf(token)[0] === 0)
  const zeroFirstInput = zeroFirst.slice(0, zeroFirst.lastIndexOf('.'))
  const wide = Buffer.alloc(16)
  const psychic: [id: string, r: bigint, s: bigint][] = [
    ['0-0', 0n, 0n],
    ['0-1', 0n, 1n],
    ['1-0', 1n, 0n],
    ['n-n', ORDER, ORDER],
    ['n-0', ORDER, 0n],
    ['0-n', 0n, ORDER],
    ['n-1', ORDER, 1n]
  ]
  for (const [id, r, s] of psychic)
    invalid('PsychicSignature', { [`psychic-${id}`]: [`r and s are ${id.replace('-', ', ')}`, pair(r, s)] })
  acceptable('Malleable', {
    'other-s': ['s is replaced by n - s', paired((r, s) => [r, toBytes(ORDER - toNumber(s), 32)])]
  })
  valid('Ordinary', { 'zero-first': ['r begins with a zero byte', zeroFirst] })
  invalid('WrongFormat', {
    der: ['The signature in DER', `${input}.${base64url(der)}`],
    'zero-first-cut': [
      'r begins with a zero byte, which is left out',
      `${zeroFirstInput}.${base64url(bytesOf(zeroFirst).subarray(1))}`
    ],
    wide: ['r and s in 48 bytes each', paired((r, s) => [wide, r, wide, s])]
  })
  invalid('Tampered', { swapped: ['r and s swapped', paired((r, s) => [s, r])] })
  invalid('WrongAlgorithm', {
    'alg-es512': ['ES512 with the right key, which is too short for it', makeWith('ES512', own)]
  })
}
