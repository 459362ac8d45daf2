/** Keywords of JSON Schema with a schema or an array of schemas. */
const WITH_SCHEMA =
  /^((additional|unevaluated)(Items|Properties)|allOf|anyOf|contains|contentSchema|else|if|items|not|oneOf|prefixItems|propertyNames|then)$/

/** Keywords of JSON Schema with schemas by name. */
const WITH_NAMES = /^(\$defs|definitions|dependencies|dependentSchemas|patternProperties|properties)$/

/**
 * Returns a copy of a JSON Schema with each schema in it changed, the innermost first. Names of properties, and values
 * such as examples, stay as they are. A schema that contains itself gets a copy that contains itself.
 *
 * @param change gets a schema whose own parts are changed already
 */
export function mapSchema<T extends object>(schema: T, change: (schema: Schema) => object): T {
  const copies = new Map<object, object>()
  function map(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(map)
    if (typeof value !== 'object' || value === null) return value
    const existing = copies.get(value)
    if (existing) return existing
    const copy = {}
    copies.set(value, copy)
    return Object.assign(copy, change(mapValues<unknown, unknown>({ ...value }, mapKeyword)))
  }
  function mapKeyword(value: unknown, keyword: string): unknown {
    if (WITH_SCHEMA.test(keyword)) return map(value)
    return WITH_NAMES.test(keyword) ? mapValues(Object(value), map) : value
  }
  return map(schema) as T
}

// biome-ignore lint/suspicious/noExplicitAny: the values of its keywords are of any type
export type Schema = Record<string, any>

/** Returns a copy of an object with each value changed. */
export function mapValues<T, R>(record: Record<string, T>, change: (value: T, key: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]))
}
