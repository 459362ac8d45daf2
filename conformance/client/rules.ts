import type { Facts } from './facts.ts'

/** What a client did wrong, in words, and in which request; without one when a request is missing. */
export interface Violation {
  what: string
  request?: Facts
}

/** Returns the violations by the requests of a scenario; undefined when there is nothing to judge. */
export type Rule = (requests: Facts[]) => Violation[] | undefined

/** Whether something is so of a request. */
export type Predicate = (request: Facts) => boolean

/** What is wrong with a request; false for nothing. */
export type Fault = (request: Facts) => string | false

const violationsIn = (requests: Facts[], fault: Fault): Violation[] =>
  requests.flatMap(request => {
    const what = fault(request)
    return what === false ? [] : [{ what, request }]
  })

/** The first request must be right. */
export const first =
  (fault: Fault): Rule =>
  requests =>
    requests.length === 0 ? [{ what: 'sent no request' }] : violationsIn(requests.slice(0, 1), fault)

/** After the response to certain requests the next one must be right, without those that may come in between. */
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

/** Each of certain requests must be right. */
export const each =
  (rule: { of: Predicate; given?: Predicate; fault: Fault; missing?: string }): Rule =>
  requests => {
    const { of, given = of, fault, missing } = rule
    const judged = requests.filter(of)
    if (judged.length === 0 && missing !== undefined) return [{ what: missing }]
    return requests.some(given) ? violationsIn(judged, fault) : undefined
  }
