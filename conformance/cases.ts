export { clauses, version } from './generated.ts'

/** MUST: the contract demands it. SHOULD: an RFC or security practice does. OBSERVED: the contract leaves it open. */
export type Level = 'MUST' | 'SHOULD' | 'OBSERVED'

/** A case of the kit. */
export interface Case {
  id: string
  /** The clause of the contract that it checks, an id of `clauses`. */
  clause: string
  /** Further clauses that say the same. */
  also?: string[]
  level: Level
  /** Part of the profile `hardening`: it runs only when that is asked for. */
  hardening?: true
  /** What must hold, as a sentence. */
  title: string
}
