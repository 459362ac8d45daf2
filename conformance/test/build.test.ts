// The clauses that `npm run build` generates are complete, and an independent library agrees with the token vectors.
import { createHash, createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { compactDecrypt, importJWK, type JWK, jwtVerify } from 'jose'
import t from 'tap'
import { clauses } from '../generated.ts'
import { readSigningKey, verifies } from '../server/jwt.ts'

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')
const contract = read('contract.md')
const vectors: Vectors = JSON.parse(read('token-vectors.json'))

interface Vectors {
  dataVersion: string
  flags: Record<string, object>
  groups: Group[]
}

interface Group {
  alg: 'HS256' | 'HS512' | 'RS256' | 'ES256'
  key: { privateJwk: JWK; publicJwk?: JWK; secret?: string }
  tests: { id: string; token: string; result: 'valid' | 'invalid' | 'acceptable'; flags: string[] }[]
}

/** The SHA-256 of token-vectors.json, by version. After a change, raise `dataVersion` and add its hash here. */
const HASHES: Record<string, string> = { '2.0.1': 'fae2e20ced9782f340eed12c69e0db097f01b0992f070b10f93e1ffedf30c22a' }

t.test('token-vectors.json gets a new version when its content changes', async t => {
  const text = `${JSON.stringify(vectors, null, 2)}\n`
  t.equal(createHash('sha256').update(text).digest('hex'), HASHES[vectors.dataVersion])
})

t.test('every statement of the contract is a clause or a declared gap', async t => {
  const gaps = [/^[^·]*not shown\.$/, /^This document covers/, /^\(The prefix/]
  const isHead = (line = '', next = '') => /^#|^\|[-| ]+\|$/.test(line) || /^\|[-| ]+\|$/.test(next)
  const statements = contract
    .split('\n')
    .filter((line, at, lines) => line !== '' && !isHead(line, lines[at + 1]))
    .map(line => line.replace(/^ *\d+\. |^\| | \|$/g, '').replaceAll(' | ', ' · '))
    .filter(line => !gaps.some(gap => gap.test(line)))
  t.strictSame([...clauses.values()], statements)
  t.match([...clauses.keys()], ['1', '1 login', '2.1 fields', '2.2 success'])
  for (const id of ['2.6.4', '4 GET /menu/main', '4 all other routes', '4 rule 5', '5.3.4', '5 table POST /auth/login'])
    t.ok(clauses.has(id), id)
})

t.test('ids are unique, and every flag is explained and used', async t => {
  const tests = vectors.groups.flatMap(({ tests }) => tests)
  t.equal(new Set(tests.map(({ id }) => id)).size, tests.length)
  t.strictSame(new Set(tests.flatMap(({ flags }) => flags)), new Set(Object.keys(vectors.flags)))
})

// jose ignores padding and spaces, which RFC 7515 forbids.
const LENIENT = ['claims-padded', 'signature-padded', 'signature-space']

const FORGED = 'WrongKey WeakKey Tampered Truncated TooLong WrongFormat KeyConfusion PsychicSignature'.split(' ')
/** Some tokens with these flags have a right signature. */
const OPEN = ['AlgNone', 'WrongAlgorithm', 'Shape', 'Encrypted', 'EmbeddedKey']

for (const { alg, key, tests } of vectors.groups) {
  t.test(`jose agrees with the results: ${alg}`, async t => {
    const verifier = await importJWK(key.publicJwk ?? key.privateJwk, alg)
    const disagreements = []
    for (const { id, token, result } of tests.filter(({ result }) => result !== 'acceptable')) {
      const [{ status }] = await Promise.allSettled([jwtVerify(token, verifier, { algorithms: [alg] })])
      if ((status === 'fulfilled') !== (result === 'valid')) disagreements.push(id)
    }
    const lenient = LENIENT.map(id => `${alg.toLowerCase()}-${id}`)
    t.strictSame(disagreements.sort(), lenient)
  })

  // Else a verifier that does not check the expiry, for example, would reject an expired token for its signature.
  t.test(`a signature is wrong only where the flags say so: ${alg}`, async t => {
    const verifier = readSigningKey(JSON.stringify(key.privateJwk))
    for (const { id, token, flags } of tests) {
      const [, content = '', signature = ''] = /^([^.]*\.[^.]*)\.(.*)/s.exec(token) ?? []
      const isSigned = verifies(content, Buffer.from(signature, 'base64url').toString('base64url'), alg, verifier)
      if (flags.some(flag => FORGED.includes(flag))) t.notOk(isSigned, id)
      else if (!flags.some(flag => OPEN.includes(flag))) t.ok(isSigned, id)
    }
  })

  t.test(`the key of the group decrypts the encrypted tokens: ${alg}`, async t => {
    const decrypted = async (id: string) => {
      const secret = key.secret === undefined ? undefined : createHash('sha256').update(key.secret).digest()
      const decrypter = secret ?? createPrivateKey({ key: key.privateJwk, format: 'jwk' })
      const { plaintext } = await compactDecrypt(tokenOf({ alg, tests }, id), decrypter)
      return Buffer.from(plaintext).toString()
    }
    t.match(JSON.parse(await decrypted('encrypted')), { sub: 'ada', exp: 4_102_444_800 })
    t.match(await decrypted('encrypted-alg-none'), /^[\w-]+\.[\w-]+\.$/)
  })
}

const tokenOf = ({ alg, tests }: Pick<Group, 'alg' | 'tests'>, id: string) =>
  tests.find(test => test.id === `${alg.toLowerCase()}-${id}`)?.token as string

t.test('a verifier that allows PS256 accepts its signatures', async t => {
  const group = vectors.groups.find(({ alg }) => alg === 'RS256') as Group
  const verifier = await importJWK(group.key.publicJwk as JWK, 'PS256')
  await t.resolves(jwtVerify(tokenOf(group, 'alg-ps256'), verifier, { algorithms: ['PS256'] }))
})
