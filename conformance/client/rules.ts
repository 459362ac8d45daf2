import type { Facts } from './facts.ts'

/** A fault of a client in words, with the faulty request. `request` is absent if a request is missing. */
export interface Violation {
  what: string
  request?: Facts
}

export type Predicate = (request: Facts) => boolean

/** Judges each `of` request or, with `after`, the next request after each response to an `after` request. */
export interface Rule {
  /** Default: every request. */
  of?: Predicate
  /** The rule applies only if there is such a request. Default: `after` or `of`. */
  given?: Predicate
  after?: Predicate
  /** The requests to ignore behind `after`. */
  skip?: Predicate
  /** Returns the fault of a request, or false if the request is right. */
  fault: (request: Facts) => string | false
  /** The fault if there is no request to judge. */
  missing?: string
}

/** Returns the violations in the requests of a scenario, or undefined if there is nothing to judge. */
export function violationsOf(rule: Rule, requests: Facts[]): Violation[] | undefined {
  const { after, of = () => true, given = after ?? of, skip = () => false, fault, missing } = rule
  const next = ({ respondedAt }: Facts) => requests.find(request => request.at >= respondedAt && !skip(request))
  const judged = after === undefined ? requests.filter(of) : [...new Set(requests.filter(after).map(next))]
  const violations = judged.flatMap(request => {
    const what = request !== undefined && fault(request)
    return what === false ? [] : [{ what, request }]
  }) as Violation[]
  const isMissing = after === undefined ? judged.length === 0 : judged.includes(undefined)
  if (isMissing && missing !== undefined) return [...violations, { what: missing }]
  return requests.some(given) ? violations : undefined
}
