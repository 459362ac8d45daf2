import { type ClientCase, clientCases, type Scenario } from '../cases.ts'
import type { Failure, Result } from '../report/report.ts'
import { type Entered, type Offence, rules } from './rules.ts'
import type { Seen } from './seen.ts'
import type { Stage } from './stage.ts'

/** The cases of a scenario; what was entered is judged only when the kit was told. */
export function casesFor(scenario: Scenario, entered: Entered): ClientCase[] {
  const isTold = Object.values(entered).some(value => value !== undefined)
  return clientCases.filter(
    ({ id, scenarios }) => scenarios.includes(scenario) && (isTold || id !== 'sends-what-was-entered')
  )
}

/** Grades what a client sent in a scenario. */
export function grade(stage: Stage, { entered }: { entered: Entered }): Result[] {
  const watched = { stage, entered, seen: stage.seen.filter(({ event }) => event !== 'ignored') }
  return casesFor(stage.scenario, entered).map(({ scenarios, ...about }) => {
    const result = { ...about, title: `${about.title} (${stage.scenario})` }
    const offences = rules[about.id]?.(watched)
    if (offences === undefined)
      return { ...result, status: 'skipped', note: 'the client did not come so far' }
    if (offences.length === 0) return { ...result, status: 'ok' }
    const failures = offences.map(offence => describe(offence, about.title))
    return { ...result, status: about.level === 'MUST' ? 'failed' : 'warning', failures }
  })
}

function describe({ what, seen, expected }: Offence, title: string): Failure {
  return {
    sent: seen === undefined ? 'nothing' : show(seen),
    expected: [expected ?? title],
    came: what
  }
}

/** A request without any value in it: it may hold the password wherever a careless client put it. */
function show({ method, path, headers, body, token }: Seen): string {
  const [pathname = '', query] = path.split('?')
  const shown = pathname.replace(/[^/]{24,}/g, '<long>')
  const lines = [`${method} ${shown}${query === undefined ? '' : `?${query.replace(/=[^&]*/g, '=<value>')}`}`]
  if (headers.authorization !== undefined)
    lines.push(`authorization: ${showCredentials(headers.authorization, token)}`)
  if (headers['content-type'] !== undefined) lines.push(`content-type: ${headers['content-type']}`)
  if (headers.cookie !== undefined) lines.push(`cookie: ${headers.cookie.replace(/=[^;]*/g, '=<value>')}`)
  if (body !== '') lines.push(skeleton(body))
  return lines.join('\n')
}

function showCredentials(authorization: string, token: string | undefined): string {
  if (authorization === token) return '<token>'
  const [, scheme = '', rest = authorization] = /^(\w{1,8}) +(.*)$/s.exec(authorization) ?? []
  return `${scheme} ${rest === token ? '<token>' : `<something else, ${rest.length} characters>`}`.trim()
}

/** The body with the kinds of its values in their place. */
function skeleton(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), (_, value) =>
      typeof value === 'object' && value !== null ? value : `<${value === null ? 'null' : typeof value}>`
    )
  } catch {
    return `<${Buffer.byteLength(body)} bytes that are no JSON>`
  }
}
