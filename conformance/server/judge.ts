import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'

// Not strict: an expectation says what it needs, and leaves types open where another case judges them.
const ajv = new Ajv2020({ strict: false, allErrors: true, verbose: true })

/** What of an answer does not meet an expectation, a line each; empty when all does. */
export function judge(expectation: object, answer: object): string[] {
  const validate = ajv.compile(expectation)
  try {
    if (validate(answer)) return []
  } catch {
    // Too deep to be compared, for instance.
    return ['the answer cannot be judged']
  }
  const errors = validate.errors as ErrorObject[]
  const plain = errors.filter(({ keyword }) => !['if', 'anyOf', 'allOf'].includes(keyword))
  return [...new Set(plain.map(explain))]
}

function explain({ instancePath, message, params, keyword, parentSchema, schema }: ErrorObject): string {
  const where = instancePath === '' ? 'the answer' : instancePath.slice(1).replaceAll('/', '.')
  if (keyword === 'required' && instancePath === '' && params.missingProperty === 'body')
    return 'the body must be JSON'
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
