import t from 'tap'
import { mapSchema } from '../../schemas/map-schema.ts'
import { toOpenapi30 } from '../../schemas/openapi-3.0.ts'

const KEYWORDS = [
  '$ref',
  'additionalProperties',
  'anyOf',
  'auth_action',
  'else',
  'enum',
  'if',
  'items',
  'nullable',
  'type'
]

/** Each keyword as the name of a value that looks like a schema. */
const named = Object.fromEntries(KEYWORDS.map(name => [name, { type: ['string', 'null'], if: {} }]))

t.test('properties with the names of keywords are schemas like all others', t => {
  const expected = Object.fromEntries(KEYWORDS.map(name => [name, { type: 'string', nullable: true }]))
  t.strictSame(toOpenapi30({ type: 'object', properties: named }), { type: 'object', properties: expected })
  t.strictSame(toOpenapi30({ $defs: named }), { $defs: expected })
  t.end()
})

t.test('values that look like schemas stay as they are', t => {
  const schema = {
    default: named,
    const: named,
    enum: [named],
    example: named,
    examples: [named],
    'x-items': named,
    items2: named,
    'x-properties': named,
    properties2: named
  }
  t.strictSame(toOpenapi30(schema), schema)
  t.end()
})

t.test('an `anyOf` keeps each of its schemas', t => {
  const [text, nothing, number] = [{ type: 'string' }, { type: 'null' }, { type: 'number' }]
  const { anyOf } = toOpenapi30({ anyOf: [text, nothing, number] })
  t.strictSame(anyOf, [text, { type: 'object', nullable: true, enum: [null] }, number])
  t.end()
})

t.test('each schema in a schema is changed, also in an array and by name', t => {
  const part = { type: 'string' }
  const schema = {
    $defs: { part },
    additionalProperties: part,
    allOf: [part],
    dependencies: { a: ['b'], c: part },
    if: part,
    items: [part, true],
    not: part,
    properties: { part, any: true }
  }
  const before = structuredClone(schema)
  const changed = mapSchema(schema, part => (part.type ? { type: 'number' } : part))
  t.equal(JSON.stringify(changed), JSON.stringify(schema).replaceAll('"string"', '"number"'))
  t.strictSame(schema, before, 'the argument is unchanged')
  t.end()
})

t.test('a schema that contains itself gets a copy that contains itself', t => {
  const tree = { type: 'object', properties: { label: { type: 'string' }, child: {} } }
  tree.properties.child = tree
  const changed = mapSchema(tree, part => ({ ...part, title: 'changed' }))
  t.not(changed, tree)
  t.equal(changed.properties.child, changed)
  t.notOk('title' in tree)
  t.end()
})

t.test('a schema with many ways to one shared part takes no longer than its parts', t => {
  let schema: object = { type: 'string' }
  for (let depth = 0; depth < 100; depth++) schema = { anyOf: [schema, schema] }
  let calls = 0
  mapSchema(schema, part => {
    calls++
    return part
  })
  t.equal(calls, 101)
  t.end()
})
