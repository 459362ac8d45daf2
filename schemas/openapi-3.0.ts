/** OpenAPI 3.0 has no type null, no conditions, and one example of a schema. */
export function toOpenapi30<T extends object>(schema: T): T {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (['if', 'then', 'else'].includes(key)) return undefined
    if (value?.type === 'null') return { type: 'object', nullable: true, enum: [null] }
    if (!Array.isArray(value?.examples) && !Array.isArray(value?.type)) return value
    const { type, examples, ...rest } = value
    return {
      ...rest,
      ...(Array.isArray(type) ? { type: type.find(name => name !== 'null'), nullable: true } : { type }),
      ...(examples && { example: examples[0] })
    }
  })
}
