import { createRequire } from 'node:module'
import fc from 'fast-check'
import t from 'tap'
import { toYaml } from '../../../lib/openapi/yaml.ts'

// The library that reads it is that of @fastify/swagger.
const { parse } = createRequire(createRequire(import.meta.url).resolve('@fastify/swagger'))('yaml')

t.test('there is a line for each value, with quotes only where they are needed', async t => {
  t.equal(
    toYaml({
      openapi: '3.1.0',
      paths: { '/a/{id}': { get: { tags: ['A b', 'no'], security: [{}], n: null } } }
    }),
    `openapi: 3.1.0
paths:
  "/a/{id}":
    get:
      tags:
        - "A b"
        - "no"
      security:
        - {}
      "n": null
`
  )
})

t.test('YAML 1.1 and 1.2 read back any data', async t => {
  const { data } = fc.letrec(tie => ({
    data: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom(
          '',
          'y',
          'NO',
          'null',
          '~',
          '-',
          '- a',
          '1.0',
          '1.0.0',
          '1e3',
          'e3',
          '0x1',
          '2020-01-01',
          '#a',
          '<<'
        ),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer(),
        fc.boolean(),
        fc.constant(null)
      ),
      fc.array(tie('data'), { maxLength: 4 }),
      fc.dictionary(fc.string(), tie('data'), { maxKeys: 4, noNullPrototype: true })
    )
  }))
  fc.assert(
    fc.property(data, value => {
      const plain = JSON.parse(JSON.stringify({ value }))
      for (const version of ['1.1', '1.2'])
        t.strictSame(parse(toYaml(plain), { version, merge: false }), plain)
    })
  )
})
