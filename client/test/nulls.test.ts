// Null in a property of a screen, at any depth, means the same as a missing property.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { Session } from '../index.ts'

interface Schema {
  type?: string
  $ref?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema
  pattern?: string
  $defs?: Record<string, Schema>
}

const known: Schema = JSON.parse(
  readFileSync(new URL('../../schemas/known-screen.schema.json', import.meta.url), 'utf8')
)

const TEXTS = ['', 'a', '1', 'Error: a', '1-2-1990', '1.250,5', ',']

/** Returns values of a schema, with null in place of some properties that are not required. */
function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.$ref) return valuesOf(schema.$ref === '#' ? known : (known.$defs?.[schema.$ref.slice(8)] as Schema))
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valuesOf))
  if (schema.items) return fc.array(valuesOf(schema.items), { maxLength: 2 })
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'integer' || schema.type === 'number') return fc.nat(3)
  if (schema.type === 'string') return fc.constantFrom(...(schema.pattern ? ['/a', '/b/{0}'] : TEXTS))
  const { required = [], additionalProperties, properties = {} } = schema
  const more = additionalProperties && { save: additionalProperties, create: additionalProperties }
  const values: Record<string, fc.Arbitrary<unknown>> = {}
  for (const [name, one] of Object.entries({ ...properties, ...more }))
    values[name] = required.includes(name) ? valuesOf(one) : fc.option(valuesOf(one), { freq: 3 })
  return fc.record(values, { requiredKeys: required })
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!(value instanceof Object)) return value
  const entries = Object.entries(value).filter(([, one]) => one !== null)
  return Object.fromEntries(entries.map(([name, one]) => [name, withoutNulls(one)]))
}

const screens = valuesOf(known)
const responses = fc.oneof(
  screens,
  valuesOf({ $ref: '#/$defs/ActionResponse' }),
  screens.map(screen => ({ success: true, token: 'a', error: null, screen })),
  fc.constant({ redirect: '/a', layout: null, success: null })
)

/** Uses every method of a session, and returns the states and the requests. */
async function use(screen: unknown, response: unknown): Promise<unknown[]> {
  const seen: unknown[] = []
  const session = new Session({
    baseUrl: 'http://x',
    fetch: async (url, { method, body }) => {
      seen.push(`${method} ${url} ${body}`)
      return Response.json(method === 'GET' ? screen : response)
    }
  })
  const buttons = () => ('screen' in session.state ? session.state.screen.screenActions : [])
  for (const step of [
    () => session.start('/a'),
    () => session.save('save', { a: 'typed' }),
    () => session.save('create'),
    () => session.save('delete'),
    () => session.create(),
    () => session.search('a'),
    () => session.reload(),
    ...[0, 1].map(index => async () => {
      const button = buttons()[index]
      if (button) await session.act(button)
    }),
    () => session.submit({ a: 'typed' }),
    () => session.logOut()
  ]) {
    await step()
    seen.push(session.state, session.strings)
  }
  session.stop()
  return seen
}

t.test('a session shows and sends the same for null as for a missing property', async () => {
  await fc.assert(
    fc.asyncProperty(screens, responses, async (screen, response) => {
      assert.deepEqual(await use(screen, response), await use(withoutNulls(screen), withoutNulls(response)))
    }),
    { numRuns: 5 * Number(process.env.FUZZ_RUNS ?? 40) }
  )
})
