import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { LRUCache } from 'lru-cache'
import { serverCases } from '../cases.ts'

/** By the JSON text of the schema: compiling one takes longer than a request, and most cases share theirs. */
const validators = new LRUCache<string, ValidateFunction>({
  max: 200,
  memoMethod(text) {
    // Not strict: an expectation says what it needs, and leaves types open where another case checks them.
    const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true, verbose: true })
    return ajv.compile({ ...JSON.parse(text), $defs: serverCases.$defs })
  }
})

/**
 * Compares a response with an expectation.
 *
 * @param expectation JSON Schema 2020-12, which may refer to the `$defs` of the cases
 * @returns what does not match, a line each; empty when everything matches
 */
export function schemaErrors(expectation: object, response: object): string[] {
  try {
    const validate = validators.memo(JSON.stringify(expectation))
    if (validate(response)) return []
    const errors = validate.errors as ErrorObject[]
    const plain = errors.filter(({ keyword }) => !['if', 'anyOf', 'allOf'].includes(keyword))
    return [...new Set(plain.map(explain))]
  } catch {
    // Comparing fails for a value that is nested too deep or has a member toString.
    return ['the response cannot be checked']
  }
}

function explain({ instancePath, message, params, keyword, parentSchema, schema }: ErrorObject): string {
  const where = instancePath === '' ? 'the response' : instancePath.slice(1).replaceAll('/', '.')
  if (keyword === 'required' && instancePath === '' && params.missingProperty === 'body')
    return 'the body must be JSON, in UTF-8 without a byte order mark'
  if (keyword === 'not') return `${where} must not be ${range(schema) ?? JSON.stringify(schema)}`
  return `${where} ${range(parentSchema) === undefined ? message : `must be ${range(parentSchema)}`}`
}

/** The values that a schema allows, when it is one that lists them. */
function range(schema: unknown): string | undefined {
  const { const: one, enum: some, minimum, maximum } = Object(schema)
  if (one !== undefined) return JSON.stringify(one)
  if (some !== undefined) return `one of ${some.join(', ')}`
  if (minimum !== undefined && maximum !== undefined) return `from ${minimum} to ${maximum}`
  return maximum === undefined ? undefined : `at most ${maximum}`
}
