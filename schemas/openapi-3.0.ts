import { isDeepStrictEqual } from 'node:util'
import { mapSchema } from './map-schema.ts'

/** The only schema of OpenAPI 3.0 that matches null and nothing else: `nullable` has no effect without a `type`. */
const NULL = { type: 'object', nullable: true, enum: [null] }

/** Converts a schema to OpenAPI 3.0, which has no type null and no conditions. */
export function toOpenapi30<T extends object>(schema: T): T {
  return mapSchema(schema, ({ if: _if, then: _then, else: _else, ...value }) => {
    if (value.type === 'null') return NULL
    const { anyOf, ...rest } = value
    if (anyOf?.length === 2 && isDeepStrictEqual(anyOf[1], NULL)) {
      const [type] = anyOf
      // A reference cannot be nullable: `nullable` adds nothing to what the reference allows.
      return type.$ref ? { ...rest, oneOf: anyOf } : { ...rest, ...type, nullable: true }
    }
    if (!Array.isArray(value.type)) return value
    return { ...value, type: value.type.find((name: string) => name !== 'null'), nullable: true }
  })
}
