import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { type ClientCase, type ClientRule, clientCases, clientScript, type Scenario } from '../cases.ts'
import { type Failure, isSelected, type NotJudged, type Result } from '../report/report.ts'
import { type Entered, type Facts, factsOf } from './facts.ts'
import type { WatchSettings } from './options.ts'
import type { RecordedRequest } from './recorded-request.ts'

const isKnown = (entered: Entered) => Object.values(entered).some(value => value !== undefined)

/** Returns the cases of a scenario, without the one about what was entered when the kit does not know that. */
export function casesFor(scenario: Scenario, entered: Entered): ClientCase[] {
  return clientCases.filter(
    ({ id, scenarios }) => scenarios.includes(scenario) && (isKnown(entered) || id !== 'sends-what-was-entered')
  )
}

/**
 * Returns the results of a scenario: the rule of each case applied to the requests that the server recorded.
 *
 * @param earlierTokens those of the scenarios before
 */
export function evaluate(
  { scenario, requests }: { scenario: Scenario; requests: RecordedRequest[] },
  entered: Entered,
  earlierTokens: readonly string[]
): Result[] {
  const checked = requests.filter(({ outcome, respondedAt }) => outcome !== 'ignored' && respondedAt !== undefined)
  const facts = factsOf(checked, entered, earlierTokens)
  return casesFor(scenario, entered).map(({ scenarios, rule, ...about }) => {
    const result = { ...about, title: `${about.title} (${scenario})` }
    const violations = judge(rule, facts)
    if (violations === undefined) return { ...result, status: 'skipped', note: 'the client did not come so far' }
    if (violations.length === 0) return { ...result, status: 'ok' }
    const failures = violations.map(violation => describe(violation, about.title))
    return { ...result, status: about.level === 'MUST' ? 'failed' : 'warning', failures }
  })
}

/** What a client did wrong, and in which request; without one when a request is missing. */
interface Violation {
  what: string
  facts?: Facts
}

const ajv = new Ajv2020({ strict: false, validateSchema: false })
const validators = new Map<object | true, ValidateFunction>()

function matches(schema: object | true, facts: Facts): boolean {
  const validate = validators.get(schema) ?? ajv.compile({ allOf: [schema], $defs: clientScript.$defs })
  validators.set(schema, validate)
  return validate(facts)
}

/** Returns the violations of a rule; undefined when there is nothing to judge. */
function judge(rule: ClientRule, requests: Facts[]): Violation[] | undefined {
  const absent = rule.missing === undefined ? [] : [{ what: rule.missing }]
  const unless = (schema: object, facts: Facts) => (matches(schema, facts) ? [] : [{ what: rule.violation, facts }])

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

/** Returns the MUST cases that were judged in no scenario, and what to do about each. */
export function notJudged(
  results: Result[],
  { expect, entered, ...selection }: Pick<WatchSettings, 'expect' | 'entered' | 'exclude'>
): NotJudged[] {
  const judged = new Set(results.filter(({ status }) => status !== 'skipped').map(({ id }) => id))
  return clientCases
    .filter(one => one.level === 'MUST' && !judged.has(one.id) && isSelected(one, selection))
    .map(({ id, title, scenarios }) => {
      const scenario = scenarios.find(one => expect.includes(one))
      if (scenario === undefined) return { what: title, give: `--expect ${scenarios[0]}` }
      if (id === 'sends-what-was-entered' && !isKnown(entered))
        return { what: title, give: '--username and --password' }
      return { what: title, give: `a client that does every step of ${scenario}` }
    })
}

/** Returns why a client without failures does not conform: it did not come to what a scenario is about. */
export function obstacleOf(results: Result[]): string | undefined {
  const isAbout = ({ id, level }: Result) =>
    level === 'MUST' && clientCases.some(one => one.id === id && 'after' in one.rule)
  const skipped = results.find(result => result.status === 'skipped' && isAbout(result))
  return skipped && `the client did not come so far: ${skipped.title}`
}

function describe({ what, facts }: Violation, title: string): Failure {
  return { sent: facts === undefined ? 'nothing' : show(facts.request), expected: [title], came: what }
}

/** A request without any value: each could be the password. */
function show({ method, path, headers, body, authorization }: RecordedRequest): string {
  const [pathname = '', query] = path.split('?')
  const shown = pathname.replace(/[^/]{24,}/g, '<long>')
  const lines = [`${method} ${shown}${query === undefined ? '' : `?${query.replace(/=[^&]*/g, '=<value>')}`}`]
  if (headers.authorization !== undefined)
    lines.push(`authorization: ${showCredentials(headers.authorization, authorization)}`)
  if (headers['content-type'] !== undefined) lines.push(`content-type: ${headers['content-type']}`)
  if (headers.cookie !== undefined) lines.push(`cookie: ${headers.cookie.replace(/=[^;]*/g, '=<value>')}`)
  if (body.length > 0) lines.push(showBody(body))
  return lines.join('\n')
}

function showCredentials(value: string, kind: RecordedRequest['authorization']): string {
  if (kind === 'empty') return value
  const [, scheme = '', rest = value] = /^(\w{1,8}) +(.*)$/s.exec(value) ?? []
  const words = { current: '<the token>', refused: '<a refused token>', stored: '<a stored token>' }
  const what = words[kind as keyof typeof words] ?? `<something else, ${rest.length} characters>`
  return `${scheme} ${what}`.trim()
}

/** The JSON of a body with the type of each value in its place. */
function showBody(body: Buffer): string {
  try {
    return JSON.stringify(JSON.parse(body.toString()), (_, value) =>
      typeof value === 'object' && value !== null ? value : `<${value === null ? 'null' : typeof value}>`
    )
  } catch {
    return `<${body.length} bytes that are no JSON>`
  }
}
