/**
 * OpenAPI 3.0 has no type null, no conditions, and one example of a schema. "A screen or null" is in the words that most
 * generators understand.
 */
export function toOpenapi30<T extends object>(schema: T): T {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (['if', 'then', 'else'].includes(key)) return undefined
    if (value?.anyOf?.[1]?.type === 'null') {
      const { anyOf, ...rest } = value
      return { ...rest, type: 'object', nullable: true, allOf: [anyOf[0]] }
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
