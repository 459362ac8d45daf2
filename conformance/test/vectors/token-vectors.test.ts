// The vectors of tokens: they are what their maker makes, and two verifiers that do not know it agree with the results.
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { importJWK, jwtVerify } from 'jose'
import t from 'tap'
import { type Group, tokenVectors, type Vector } from './token-vectors.ts'

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'))
const file: Awaited<ReturnType<typeof tokenVectors>> = read('token-vectors.json')

/** Encryption and PS256 have random parts. */
const fixedPart = ({ token, ...rest }: Vector) =>
  rest.flags.includes('Encrypted') || /pss|ps256/.test(rest.id) ? rest : { token, ...rest }

const withFixedParts = ({ groups, ...rest }: typeof file) => ({
  ...rest,
  groups: groups.map(({ tests, ...group }) => ({ ...group, tests: tests.map(fixedPart) }))
})

t.test('the file is what make-token-vectors.ts writes', async t => {
  t.strictSame(withFixedParts(file), withFixedParts(await tokenVectors()))
})

t.test(
  'the file matches its schema, every id is there once, and every flag is explained and used',
  async t => {
    const validate = new Ajv2020({ strictTypes: false }).compile(read('token-vectors.schema.json'))
    t.ok(validate(file), JSON.stringify(validate.errors))
    const tests = file.groups.flatMap(({ tests }) => tests)
    t.equal(new Set(tests.map(({ id }) => id)).size, tests.length)
    t.strictSame(new Set(tests.flatMap(({ flags }) => flags)), new Set(Object.keys(file.flags)))
  }
)

/** The vectors of a group whose result is another one than a verifier has found. */
async function disagreements({ tests }: Group, accepts: (token: string) => Promise<boolean>) {
  const judged = tests.filter(({ result }) => result !== 'acceptable')
  const found = await Promise.all(
    judged.map(async one => ((await accepts(one.token)) === (one.result === 'valid') ? [] : [one.id]))
  )
  return found.flat()
}

// jose does not look at padding and spaces. RFC 7515 does.
const LENIENT = ['signature-padded', 'signature-space', 'claims-padded']

for (const group of file.groups) {
  t.test(`jose agrees with the results: ${group.alg}`, async t => {
    const { alg, key } = group
    const verifier = await importJWK('publicJwk' in key ? key.publicJwk : key.privateJwk, alg)
    t.strictSame(
      await disagreements(group, token =>
        jwtVerify(token, verifier, { algorithms: [alg] }).then(
          () => true,
          () => false
        )
      ),
      LENIENT.map(id => `${alg.toLowerCase()}-${id}`)
    )
  })
}
