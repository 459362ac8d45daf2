/**
 * Converts a schema to OpenAPI 3.0, which has no type null, no conditions, and only one example for each schema. Uses
 * `nullable` with `allOf` for "a screen or null", because most generators support it.
 */
export function toOpenapi30<T extends object>(schema: T): T {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (['if', 'then', 'else'].includes(key)) return undefined
    if (value?.anyOf?.[1]?.type === 'null') {
      const { anyOf, ...rest } = value
      const [schema] = anyOf
      // A reference can have no properties beside it.
      return { ...rest, ...(schema.$ref ? { type: 'object', allOf: [schema] } : schema), nullable: true }
    }
    if (!Array.isArray(value?.examples) && !Array.isArray(value?.type)) return value
    const { type, examples, ...rest } = value
    return {
      ...rest,
      ...(Array.isArray(type) ? { type: type.find(name => name !== 'null'), nullable: true } : { type }),
      ...(examples && { example: examples[0] })
    }
  })
}
