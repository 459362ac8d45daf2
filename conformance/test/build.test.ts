// The data that `npm run build` makes: the files are what their makers make again, and those who do not know the makers
// agree with it.
import { constants, createHash, createPrivateKey, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { compactDecrypt, importJWK, jwtVerify } from 'jose'
import t from 'tap'
import { recordedAnswers, replay } from '../build/recorded-answers.ts'
import { type Group, tokenVectors } from '../build/token-vectors.ts'
import { serverCases } from '../cases.ts'

const read = (name: string) => readFileSync(new URL(`../${name}.json`, import.meta.url), 'utf8')
const vectors = tokenVectors()
const answers = await recordedAnswers()

for (const [name, made] of Object.entries({ 'token-vectors': vectors, 'recorded-answers': answers })) {
  t.test(`made again, ${name}.json has the same bytes`, async t => {
    t.ok(read(name) === `${JSON.stringify(made, null, 2)}\n`, 'if the sources have changed: npm run build')
  })
}

t.test('every id is there once, and every flag is explained and used', async t => {
  const tests = vectors.groups.flatMap(({ tests }) => tests)
  t.equal(new Set(tests.map(({ id }) => id)).size, tests.length)
  t.strictSame(new Set(tests.flatMap(({ flags }) => flags)), new Set(Object.keys(vectors.flags)))
})

/** Returns whether a promise resolves. */
const resolves = (promise: Promise<unknown>) =>
  promise.then(
    () => true,
    () => false
  )

// jose does not look at padding and spaces. RFC 7515 does.
const LENIENT = ['claims-padded', 'signature-padded', 'signature-space']

for (const { alg, key, tests } of vectors.groups) {
  t.test(`jose agrees with the results: ${alg}`, async t => {
    const verifier = await importJWK('publicJwk' in key ? key.publicJwk : key.privateJwk, alg)
    const disagreements = []
    for (const { id, token, result } of tests.filter(({ result }) => result !== 'acceptable')) {
      const isAccepted = await resolves(jwtVerify(token, verifier, { algorithms: [alg] }))
      if (isAccepted !== (result === 'valid')) disagreements.push(id)
    }
    t.strictSame(
      disagreements.sort(),
      LENIENT.map(id => `${alg.toLowerCase()}-${id}`)
    )
  })

  t.test(`who has the key decrypts what is encrypted: ${alg}`, async t => {
    const decrypted = async (id: string) => {
      const secret = 'secret' in key ? createHash('sha256').update(key.secret).digest() : undefined
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
  const key = createPublicKey({ key: group.key.privateJwk, format: 'jwk' })
  const [content, signature = ''] = tokenOf(group, 'pss').split(/\.(?=[^.]*$)/)
  const options = { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }
  t.ok(verify('sha256', Buffer.from(content as string), options, Buffer.from(signature, 'base64url')))
  await t.resolves(jwtVerify(tokenOf(group, 'alg-ps256'), key, { algorithms: ['PS256'] }))
})

for (const run of answers.runs) {
  t.test(`the judge agrees: ${run.name}`, async t => {
    t.strictSame(replay(run), run.cases)
  })
}

t.test('every case is recorded that needs nothing which a recorded run does not have', async t => {
  const recorded = new Set(answers.runs.flatMap(({ cases }) => cases.map(({ id }) => id)))
  const rare = ['lifetime', 'expired token']
  t.strictSame(
    serverCases.cases
      .filter(({ id, needs = [] }) => !recorded.has(id) && !needs.some(need => rare.includes(need)))
      .map(({ id }) => id),
    []
  )
})

t.test('every status is recorded', async t => {
  const statuses = new Set(answers.runs.flatMap(({ cases }) => cases.map(({ status }) => status)))
  t.strictSame([...statuses].sort(), ['failed', 'ok', 'skipped', 'warning'])
})
