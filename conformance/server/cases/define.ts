import type { Case, Level, Subject } from '../../cases.ts'
import type { Need } from '../needs.ts'
import type { CaseRequest, Check, ServerCase } from '../server-case.ts'

type Requests = ServerCase['requests'] | string | CaseRequest | readonly (string | CaseRequest)[]

/** How a case judges its requirement. */
type Way = Omit<ServerCase, keyof Case | 'subject' | 'requests'> & { subject?: Subject; requests: Requests }

type Ways = Record<string, Way>

/** A row of a list of requirements: id, level, clauses, and the requirement, which may be on a second line. */
const LINE = /^ *(\S+) (MUST|SHOULD|OBSERVED|HARDENING) (.+?):\s+(.+)$/gm

/**
 * Returns the cases for a list of requirements. In the list, HARDENING is a MUST of that profile: word lists, unusual
 * headers or forged tokens.
 *
 * @param subject of each case whose way names no other
 * @throws Error that names an id which only the requirements or only the ways have
 */
export function cases(subject: Subject, requirements: string, ways: Ways): ServerCase[] {
  const rows = new Map([...requirements.matchAll(LINE)].map(([, id = '', ...row]) => [id, row]))
  return [...new Set([...rows.keys(), ...Object.keys(ways)])].map(id => {
    const [level, clauses, title] = rows.get(id) ?? []
    if (level === undefined || clauses === undefined || title === undefined)
      throw new Error(`the case ${id} has no row in the requirements`)
    if (!Object.hasOwn(ways, id)) throw new Error(`the case ${id} has no way to check it`)
    const { requests, ...way } = ways[id] as Way
    const [clause = '', ...also] = clauses.split(', ')
    return {
      id,
      clause,
      also: also.length > 0 ? also : undefined,
      ...(level === 'HARDENING' ? { level: 'MUST', hardening: true } : { level: level as Level }),
      title,
      subject,
      ...way,
      requests: typeof requests === 'function' ? requests : () => [requests].flat() as (string | CaseRequest)[]
    }
  })
}

export const expecting = (expect: Check, requests: Requests): Way => ({ expect, requests })

/** Returns the same for another subject than that of the other cases of a list. */
const about = (subject: Subject) => (expect: Check, requests: Requests) => ({ subject, expect, requests })
export const elsewhere = about('elsewhere')
export const expiry = about('expiry')
export const spelling = about('spelling')
export const header = about('header')

export const showingStatus = (requests: Requests): Way => ({ observe: ({ status }) => status, requests })

export const needs = (all: readonly Need[], ways: Ways): Ways =>
  Object.fromEntries(Object.entries(ways).map(([id, way]) => [id, { ...way, needs: all }]))
