import type { Facts } from './facts.ts'

/** A fault of a client in words, with the faulty request. `request` is absent if a request is missing. */
export interface Violation {
  what: string
  request?: Facts
}

/** Returns the violations in the requests of a scenario, or undefined if there is nothing to judge. */
export type Rule = (requests: Facts[]) => Violation[] | undefined

export type Predicate = (request: Facts) => boolean

/** Returns the fault of a request, or false if the request is right. */
export type Fault = (request: Facts) => string | false

const violationsIn = (requests: Facts[], fault: Fault): Violation[] =>
  requests.flatMap(request => {
    const what = fault(request)
    return what === false ? [] : [{ what, request }]
  })

/** Judges the first request. */
export const first =
  (fault: Fault): Rule =>
  requests =>
    requests.length === 0 ? [{ what: 'sent no request' }] : violationsIn(requests.slice(0, 1), fault)

/** Judges the next request after each response to an `after` request. Ignores `skip` requests in between. */
export const next =
  (rule: { after: Predicate; skip?: Predicate; fault: Fault; missing?: string }): Rule =>
  requests => {
    const { after, skip = () => false, fault, missing } = rule
    const causes = requests.filter(after)
    if (causes.length === 0) return undefined
    const followers = new Set(
      causes.map(({ respondedAt }) => requests.find(request => request.at >= respondedAt && !skip(request)))
    )
    const absent = missing !== undefined && followers.delete(undefined) ? [{ what: missing }] : []
    return [
      ...violationsIn(
        [...followers].filter(one => one !== undefined),
        fault
      ),
      ...absent
    ]
  }

/** Judges each `of` request, but only if there is a `given` request. */
export const each =
  (rule: { of: Predicate; given?: Predicate; fault: Fault; missing?: string }): Rule =>
  requests => {
    const { of, given = of, fault, missing } = rule
    const judged = requests.filter(of)
    if (judged.length === 0 && missing !== undefined) return [{ what: missing }]
    return requests.some(given) ? violationsIn(judged, fault) : undefined
  }
