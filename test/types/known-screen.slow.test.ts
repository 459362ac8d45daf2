// Compares the types of `fastify-screen-auth/screens` with known-screen.schema.json, which describes known clients.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { outsideTap } from '../helpers.ts'

type Json = Record<string, unknown>

const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const known: Json = JSON.parse(readFileSync(pathOf('../../schemas/known-screen.schema.json'), 'utf8'))
// `tsc` has checked the types already.
const generate = ['--yes', 'ts-json-schema-generator@2.4.0', '--no-type-check', '--type', '*']
const files = ['--path', pathOf('../../schemas/screens.ts'), '--tsconfig', pathOf('../../tsconfig.json')]
const typed: Json = JSON.parse(execFileSync(...outsideTap('npx', [...generate, ...files]), { encoding: 'utf8' }))

t.test('the types match the schema at every level', async t => {
  t.strictSame(plain(typed, 'AnyScreen'), plain(known, ''))
})

t.test('the type of the response to a button matches the schema', async t => {
  t.strictSame(plain(typed, 'ActionResponse'), plain(known, 'ActionResponse'))
})

t.test('the type of each layout has the properties of AnyScreen, and requires one of them', async t => {
  for (const [name, needed] of Object.entries({
    MenuScreen: 'menu',
    CardScreen: 'sections',
    ListScreen: 'lines'
  })) {
    const { layout, [needed]: part, ...others } = plain(typed, name) as Json
    const { layout: _, [`${needed}?`]: same, ...all } = plain(typed, 'AnyScreen') as Json
    t.strictSame([others, part], [all, same], name)
  }
})

/** Inlines the definitions of a schema, and omits what a type cannot express: patterns, ranges and descriptions. */
function plain(root: Json, name: string): unknown {
  const definitions = (root.definitions ?? root.$defs) as Record<string, Json>
  return inline(name === '' ? root : (definitions[name] as Json))

  function inline(schema: Json): unknown {
    const { $ref, type, properties, required = [], items, enum: choices, anyOf, additionalProperties } = schema
    if ($ref !== undefined) {
      const target = String($ref).split('/').at(-1) as string
      // The response to a button contains a screen, which is not inlined.
      return target === '#' || target === 'AnyScreen' ? 'a screen' : inline(definitions[target] as Json)
    }
    if (Array.isArray(anyOf)) return unionOf(anyOf.flatMap(one => inline(one)))
    if (Array.isArray(choices)) return unionOf(choices)
    if (schema.const !== undefined) return unionOf([schema.const])
    if (items !== undefined) return { arrayOf: inline(items as Json) }
    if (type !== 'object') return type === 'integer' ? 'number' : type
    const known = Object.entries((properties ?? {}) as Record<string, Json>)
    if (known.length === 0) return { anyName: inline((additionalProperties ?? {}) as Json) }
    const members = known.map(([key, value]) => [
      (required as string[]).includes(key) ? key : `${key}?`,
      key === 'actions' ? pathsIn(value) : inline(value)
    ])
    return separate(Object.fromEntries(members.sort()))
  }

  /** Drops the names of the actions: the schema allows any name, and the types have the three of known clients. */
  function pathsIn(actions: Json): unknown {
    const { anyName, ...others } = inline(actions) as Json
    return new Set(Object.values(anyName === undefined ? others : { anyName }))
  }
}

/** Splits an object with a URL and several values of `type` into one object for each value. */
function separate(members: Json): Json | Json[] {
  const { type } = members as { type?: { anyOf?: unknown[] } }
  const words = type?.anyOf ?? []
  return words.length > 1 && 'url' in members ? words.map(word => ({ ...members, type: { anyOf: [word] } })) : members
}

function unionOf(members: unknown[]): Json {
  return { anyOf: members.map(member => JSON.stringify(member)).sort() }
}
