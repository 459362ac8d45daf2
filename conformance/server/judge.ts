import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'

// Not strict: an expectation says what it needs, and leaves types open where another case judges them.
const ajv = new Ajv2020({ strict: false, allErrors: true })

/** What of an answer does not meet an expectation, a line each; empty when all does. */
export function judge(expectation: object, answer: object): string[] {
  const validate = ajv.compile(expectation)
  if (validate(answer)) return []
  const errors = validate.errors as ErrorObject[]
  const plain = errors.filter(({ keyword }) => !['if', 'anyOf', 'allOf'].includes(keyword))
  return [...new Set(plain.map(explain))]
}

function explain({ instancePath, message, params, keyword }: ErrorObject): string {
  const where = instancePath === '' ? 'the answer' : instancePath.slice(1).replaceAll('/', '.')
  if (keyword === 'const') return `${where} must be ${JSON.stringify(params.allowedValue)}`
  if (keyword === 'enum') return `${where} must be one of ${JSON.stringify(params.allowedValues)}`
  if (keyword === 'required' && instancePath === '' && params.missingProperty === 'body')
    return 'the body must be JSON'
  return `${where} ${message}`
}
