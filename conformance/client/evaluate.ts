import { type ClientCase, clientCases, type Scenario } from '../cases.ts'
import type { Failure, Result } from '../report/report.ts'
import { assertions, type Entered, type Violation } from './assertions.ts'
import type { RecordedRequest } from './recorded-request.ts'
import type { ScriptedServer } from './scripted-server.ts'

/** Returns the cases of a scenario, without the one about what was entered when the kit does not know that. */
export function casesFor(scenario: Scenario, entered: Entered): ClientCase[] {
  const isKnown = Object.values(entered).some(value => value !== undefined)
  return clientCases.filter(
    ({ id, scenarios }) => scenarios.includes(scenario) && (isKnown || id !== 'sends-what-was-entered')
  )
}

/** Returns the results of a scenario: each assertion applied to the requests that the server recorded. */
export function evaluate(server: ScriptedServer, entered: Entered): Result[] {
  const requests = server.requests.filter(({ outcome }) => outcome !== 'ignored')
  return casesFor(server.scenario, entered).map(({ scenarios, ...about }) => {
    const result = { ...about, title: `${about.title} (${server.scenario})` }
    const violations = assertions[about.id]?.({ server, requests, entered })
    if (violations === undefined)
      return { ...result, status: 'skipped', note: 'the client did not come so far' }
    if (violations.length === 0) return { ...result, status: 'ok' }
    const failures = violations.map(violation => describe(violation, about.title))
    return { ...result, status: about.level === 'MUST' ? 'failed' : 'warning', failures }
  })
}

function describe({ what, request, expected }: Violation, title: string): Failure {
  return {
    sent: request === undefined ? 'nothing' : show(request),
    expected: [expected ?? title],
    came: what
  }
}

/** A request without any value: each could be the password. */
function show({ method, path, headers, body, token }: RecordedRequest): string {
  const [pathname = '', query] = path.split('?')
  const shown = pathname.replace(/[^/]{24,}/g, '<long>')
  const lines = [`${method} ${shown}${query === undefined ? '' : `?${query.replace(/=[^&]*/g, '=<value>')}`}`]
  if (headers.authorization !== undefined)
    lines.push(`authorization: ${showCredentials(headers.authorization, token)}`)
  if (headers['content-type'] !== undefined) lines.push(`content-type: ${headers['content-type']}`)
  if (headers.cookie !== undefined) lines.push(`cookie: ${headers.cookie.replace(/=[^;]*/g, '=<value>')}`)
  if (body !== '') lines.push(showBody(body))
  return lines.join('\n')
}

function showCredentials(authorization: string, token: string | undefined): string {
  if (authorization === token) return '<token>'
  const [, scheme = '', rest = authorization] = /^(\w{1,8}) +(.*)$/s.exec(authorization) ?? []
  return `${scheme} ${rest === token ? '<token>' : `<something else, ${rest.length} characters>`}`.trim()
}

/** The JSON of a body with the type of each value in its place. */
function showBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), (_, value) =>
      typeof value === 'object' && value !== null ? value : `<${value === null ? 'null' : typeof value}>`
    )
  } catch {
    return `<${Buffer.byteLength(body)} bytes that are no JSON>`
  }
}
