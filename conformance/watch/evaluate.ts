import { isSelected, MOST_FAILURES, type NotJudged, type Result, type Selection } from '../report/report.ts'
import { type ClientCase, clientCases, type Rule } from './cases.ts'
import { type Entered, type Facts, factsOf } from './facts.ts'
import type { Scenario } from './scenarios.ts'
import type { ScriptedServer } from './scripted-server.ts'

const isKnown = (entered: Entered) => Object.values(entered).some(value => value !== undefined)

/** Returns the cases of a scenario. Omits the case about the entered values if the kit does not know them. */
export function casesFor(scenario: Scenario, entered: Entered): ClientCase[] {
  return clientCases.filter(
    ({ id, scenarios }) => scenarios.includes(scenario) && (isKnown(entered) || id !== 'sends-what-was-entered')
  )
}

export function evaluate({ scenario, requests }: ScriptedServer, entered: Entered, earlierTokens: string[]): Result[] {
  const checked = requests.filter(({ outcome, respondedAt }) => outcome !== 'ignored' && respondedAt !== undefined)
  const facts = factsOf(checked, entered, earlierTokens)
  return casesFor(scenario, entered).map(({ scenarios, rule, essential, ...about }) => {
    const result = { ...about, title: `${about.title} (${scenario})` }
    const violations = violationsOf(rule, facts)
    if (violations === undefined)
      return { ...result, status: 'skipped', reason: 'unseen', note: 'the client did not get this far' }
    if (violations.length === 0) return { ...result, status: 'ok' }
    const failures = violations.slice(0, MOST_FAILURES).map(({ what, request }) => ({
      sent: request?.shown ?? 'nothing',
      expected: [about.title],
      came: what,
      place: { scenario, ...(request && { request: facts.indexOf(request) }) }
    }))
    return { ...result, status: about.level === 'MUST' ? 'failed' : 'warning', failures }
  })
}

/** Returns the faults in the requests of a scenario, in words; undefined if there is nothing to judge. */
function violationsOf(rule: Rule, requests: Facts[]): { what: string; request?: Facts | undefined }[] | undefined {
  const { after, of = () => true, given = after ?? of, skip = () => false, fault, missing } = rule
  const next = ({ respondedAt }: Facts) => requests.find(request => request.at >= respondedAt && !skip(request))
  const judged = after === undefined ? requests.filter(of) : [...new Set(requests.filter(after).map(next))]
  const violations = judged.flatMap(request => {
    const what = request !== undefined && fault(request)
    return what === false ? [] : [{ what, request }]
  })
  const isMissing = after === undefined ? judged.length === 0 : judged.includes(undefined)
  if (isMissing && missing !== undefined) return [...violations, { what: missing }]
  return requests.some(given) ? violations : undefined
}

/** Returns the MUST cases that no scenario judged, each with the option or the step that it needs. */
export function notJudged(
  results: Result[],
  { expect, entered, ...selection }: { expect: readonly Scenario[]; entered: Entered } & Selection
): NotJudged[] {
  const judged = new Set(results.filter(({ status }) => status !== 'skipped').map(({ id }) => id))
  return clientCases
    .filter(one => one.level === 'MUST' && !judged.has(one.id) && isSelected(one, selection))
    .map(({ id, title, scenarios }) => {
      const scenario = scenarios.find(one => expect.includes(one))
      if (scenario === undefined) return { what: title, why: `give --expect ${scenarios[0]}` }
      if (id === 'sends-what-was-entered' && !isKnown(entered))
        return { what: title, why: 'give --username and --password' }
      return { what: title, why: `no request in ${scenario} showed it` }
    })
}

/** Returns the reason for no verdict: all scenarios skipped an essential case. Returns undefined if there is none. */
export function obstacleOf(results: Result[]): string | undefined {
  const unjudged = clientCases.find(({ id, essential }) => {
    const own = results.filter(result => result.id === id)
    return essential !== undefined && own.length > 0 && own.every(({ status }) => status === 'skipped')
  })
  return unjudged?.essential
}
