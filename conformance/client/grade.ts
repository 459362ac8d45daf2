import { clientCases } from '../cases.ts'
import type { Failure, Result } from '../report/report.ts'
import { type Entered, type Offence, rules } from './rules.ts'
import { fieldsOf, type Seen } from './seen.ts'
import type { Stage } from './stage.ts'

/** So much of a request is shown, in characters. */
const SHOWN = 500

/** Grades what a client sent in a scenario. */
export function grade(stage: Stage, { entered }: { entered: Entered }): Result[] {
  const watched = { stage, entered, seen: stage.seen.filter(({ event }) => event !== 'ignored') }
  const isTold = Object.values(entered).some(value => value !== undefined)
  return clientCases
    .filter(
      ({ id, scenarios }) => scenarios.includes(stage.scenario) && (isTold || id !== 'sends-what-was-entered')
    )
    .map(({ scenarios, ...about }) => {
      const result = { ...about, title: `${about.title} (${stage.scenario})` }
      const offences = (rules[about.id] as (typeof rules)[string])(watched)
      if (offences.length === 0) return { ...result, status: 'ok' }
      const failures = offences.map(offence => describe(offence, about.title, stage, entered))
      return { ...result, status: about.level === 'MUST' ? 'failed' : 'warning', failures }
    })
}

function describe({ what, seen }: Offence, title: string, stage: Stage, entered: Entered): Failure {
  const secrets = [
    ...stage.seen.map(({ token }) => [token, '<token>'] as const),
    ...[entered.password, ...stage.seen.map(({ body }) => fieldsOf(body)?.password)].map(
      value => [value, '<password>'] as const
    )
  ]
  const mask = (text: string) =>
    secrets.reduce(
      (masked, [secret, word]) =>
        typeof secret === 'string' && secret !== '' ? masked.replaceAll(secret, word) : masked,
      text
    )
  return {
    sent: seen === undefined ? 'nothing more' : mask(show(seen)).slice(0, SHOWN),
    expected: [title],
    came: what
  }
}

function show({ method, path, headers, body }: Seen): string {
  const shown = ['authorization', 'content-type', 'cookie'].filter(name => headers[name] !== undefined)
  return [`${method} ${path}`, ...shown.map(name => `${name}: ${headers[name]}`), body].join('\n').trim()
}
