import type { Level, Report, Status } from '../index.ts'
import { type Facts, makeReport, markKnown, type Result, type Selection } from '../report/report.ts'

export const failures = [
  {
    sent: "curl -i 'http://host/menu/main'",
    expected: ['status must be 401', 'the body must be JSON'],
    came: 'status 403: <b>]]>``` & \u0000\uD800'
  }
]

function result(id: string, clause: string, level: Level, title: string, status: Status, more = {}): Result {
  return { id, clause, level, title, status, ...more }
}

export const CARD = result('form-layout', '2.6.1', 'MUST', 'Card', 'ok')
export const MENU = result('menu-head', '4 rule 1', 'MUST', 'A "401" <x>', 'failed', { failures })
export const SCHEME = result('challenge', '7 missing token', 'SHOULD', 'The scheme', 'warning', { failures })
export const HEAD = result('form-head', '5.2', 'OBSERVED', 'HEAD', 'ok', { note: '200 | a' })
export const TOKEN = result('token', '5.2', 'MUST', 'Token', 'skipped', { note: 'no <token>' })
export const FORGED = result('forged', '5.3.2', 'MUST', 'Forged', 'ok', { hardening: true })
export const LIFETIME = result('lifetime', '5.3.2', 'OBSERVED', 'Ends', 'skipped', { note: 'it needs a lifetime' })
export const all = [CARD, MENU, SCHEME, HEAD, TOKEN]

/** Returns a failed case with a failure for each of the facts. By default, a request without a token gets a response. */
export function fault(id: string, ...facts: Partial<Facts>[]): Result {
  const request = { subject: 'guard', method: 'GET', path: '/menu/main', token: 'none', hasBody: false } as const
  const plain = { ...request, isOwnRoute: false, status: 200, isScreen: false, isForm: false, isAccepted: false }
  const own = facts.map(some => ({ sent: `curl of ${id}`, expected: [], came: 'status', facts: { ...plain, ...some } }))
  return result(id, '4 rule 1', 'MUST', 'A fault', 'failed', { failures: own })
}

export function reportOn(results: Result[], selection: Selection = {}, more: Partial<Report> = {}): Report {
  const about = { side: 'server' as const, target: 'http://host/', version: '1.2.3', duration: 1234, hints: [] }
  const marked = results.map(result => markKnown(result, selection))
  return makeReport({ ...about, ...more }, marked, selection)
}
