import { isDeepStrictEqual } from 'node:util'
import { ScreenContract } from '../../schemas/generated/compiled.ts'
import { addComponents, inVersion, namesIn, REFERENCE } from './components.ts'
import type { OpenApi, Schema } from './document.ts'

const SCREEN = withoutExamples(ScreenContract)

/** How @fastify/swagger writes the examples of a schema that is a whole response: beside it, and with names. */
const EXAMPLES = Object.fromEntries(
  ScreenContract.examples.map((value: object, index: number) => [`example${index + 1}`, { value }])
)

/**
 * A document in which ScreenContract is a component, referred to where @fastify/swagger has written a copy. A schema
 * that says more, for instance what is in the menus of the host, is no copy.
 */
export function referToScreens(document: OpenApi): OpenApi {
  const screen = { $ref: REFERENCE + namesIn(document).ScreenContract }
  const screenOrNull = inVersion(document, { anyOf: [screen, { type: 'null' }] })
  // With `app.addSchema(ScreenContract)` there is a component already, for instance of the name `def-0`.
  const copies = Object.entries(document.components?.schemas ?? {})
    .filter(([, schema]) => isScreen(schema) && !isNullable(schema))
    .map(([name]) => name)

  let isUsed = false
  const referring: OpenApi = JSON.parse(JSON.stringify(document), (_key, value) => {
    if (typeof value === 'string') return movedReference(value, copies, screen.$ref)
    if (isDeepStrictEqual(value?.examples, EXAMPLES)) delete value.examples
    if (!isScreen(value)) return value
    isUsed = true
    return isNullable(value) ? screenOrNull : screen
  })
  if (!isUsed) return document
  for (const name of copies) delete referring.components?.schemas?.[name]
  addComponents(referring, ['ScreenContract', 'Section', 'Field'])
  return referring
}

/** A reference to a component that is a copy, or into it, now leads to ours. */
function movedReference(text: string, copies: string[], $ref: string): string {
  const copy = copies.map(name => REFERENCE + name).find(copy => `${text}/`.startsWith(`${copy}/`))
  return copy === undefined ? text : $ref + text.slice(copy.length)
}

/** Whether a schema is ScreenContract, or "ScreenContract or null". */
function isScreen(value: unknown): boolean {
  if ((value as Schema | null)?.title !== ScreenContract.title) return false
  const { nullable, ...schema } = value as Schema
  return isDeepStrictEqual({ ...withoutExamples(schema), type: 'object' }, SCREEN)
}

/** In OpenAPI 3.0, and in 3.1. */
function isNullable({ nullable, type }: Schema): boolean {
  return nullable === true || Array.isArray(type)
}

/** A deep copy; some versions of OpenAPI have other examples, and none has an `$id`. */
function withoutExamples(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    ['$id', 'example', 'examples'].includes(key) ? undefined : value
  )
}
