import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { type ClientRule, clientScript } from '../cases.ts'
import type { Facts } from './facts.ts'

/** What a client did wrong, and in which request; without one when a request is missing. */
export interface Violation<Request> {
  what: string
  request?: Request
}

const ajv = new Ajv2020({ strict: false, validateSchema: false })
const validators = new Map<object | true, ValidateFunction>()

function matches(schema: object | true, facts: Facts): boolean {
  const validate = validators.get(schema) ?? ajv.compile({ allOf: [schema], $defs: clientScript.$defs })
  validators.set(schema, validate)
  return validate(facts)
}

/** Returns the violations of a rule; undefined when there is nothing to judge. */
export function judge<Request extends Facts>(
  rule: ClientRule,
  requests: Request[]
): Violation<Request>[] | undefined {
  const absent = rule.missing === undefined ? [] : [{ what: rule.missing }]
  const unless = (schema: object, request: Request) =>
    matches(schema, request) ? [] : [{ what: rule.violation, request }]

  if ('first' in rule) return requests[0] === undefined ? absent : unless(rule.first, requests[0])

  if ('after' in rule) {
    const { after, skip, next } = rule
    const causes = requests.filter(request => matches(after, request))
    if (causes.length === 0) return undefined
    const followers = causes.map(({ respondedAt }) =>
      requests.find(request => request.at >= respondedAt && !(skip && matches(skip, request)))
    )
    return [...new Set(followers)].flatMap(request => (request ? unless(next, request) : absent))
  }

  const judged = requests.filter(request => matches(rule.for, request))
  if (judged.length === 0 && rule.missing !== undefined) return absent
  if (!requests.some(request => matches(rule.given ?? rule.for, request))) return undefined
  return judged.flatMap(request => unless(rule.expect, request))
}
