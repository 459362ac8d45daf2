/** The only schema of OpenAPI 3.0 that matches null and nothing else: `nullable` has no effect without a `type`. */
const NULL = { type: 'object', nullable: true, enum: [null] }

/** Converts a schema to OpenAPI 3.0, which has no type null and no conditions. */
export function toOpenapi30<T extends object>(schema: T): T {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (['if', 'then', 'else'].includes(key)) return undefined
    if (value?.type === 'null') return NULL
    const { anyOf, ...rest } = value ?? {}
    if (anyOf?.[1] === NULL) {
      const [type] = anyOf
      // A reference cannot be nullable: `nullable` adds nothing to what the reference allows.
      return type.$ref ? { ...rest, oneOf: anyOf } : { ...rest, ...type, nullable: true }
    }
    if (!Array.isArray(value?.type)) return value
    return { ...value, type: value.type.find((name: string) => name !== 'null'), nullable: true }
  })
}
