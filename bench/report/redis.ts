import { OURS } from '../contenders.ts'
import { line, origin } from './markdown.ts'
import { ranking, resultOf } from './ranking.ts'
import type { RedisCost, RedisUse, Report, Row } from './report.ts'

/** The figures besides the CPU time, for the terminal. */
export function inWords({ short, firstUse, known, rejected, login, commands, latency }: RedisCost): string {
  return [
    `short route ${short.median.toFixed(2)}`,
    `p50 ${latency.p50.median.toFixed(2)} ms`,
    `p99 ${latency.p99.median.toFixed(2)} ms`,
    `round trips (commands) ${use(firstUse)}, then ${use(known)}, login rejected ${use(rejected)}, accepted ${use(login)}`,
    `commands ${commands.toFixed(2)}`
  ].join('; ')
}

/** A table of the cost of sessions in Redis, compared with JWTs; null when it was not measured. */
export function redisMarkdown(report: Report): string | null {
  const result = resultOf(report, 'redis')
  if (result === undefined) return null
  const { remarks = [], run = report } = result
  return [
    line([
      '',
      'CPU time, menu',
      'short route',
      'round trips (commands), first use',
      'then',
      'login rejected',
      'accepted',
      'commands',
      'p50',
      'p99'
    ]),
    line(['---', '--:', '--:', '--:', '--:', '--:', '--:', '--:', '--:', '--:']),
    ...ranking(result).map(row => line(cells(row))),
    '',
    ...remarks.map(remark => `- ${remark}`),
    '',
    origin(run)
  ].join('\n')
}

function cells({ name, label, ratio, redis }: Row): string[] {
  const { short, firstUse, known, rejected, login, commands, latency } = redis as RedisCost
  const values = [
    label,
    ratio.median.toFixed(2),
    short.median.toFixed(2),
    ...[firstUse, known, rejected, login].map(use),
    commands.toFixed(2),
    `${latency.p50.median.toFixed(2)} ms`,
    `${latency.p99.median.toFixed(2)} ms`
  ]
  return name === OURS ? values.map(value => `**${value}**`) : values
}

function use({ roundTrips, commands }: RedisUse): string {
  return `${roundTrips} (${commands})`
}
