export { clauses, version } from './generated.ts'

/** MUST: required by the contract. SHOULD: recommended by an RFC or security practice. OBSERVED: left open. */
export type Level = 'MUST' | 'SHOULD' | 'OBSERVED'

/** A case of the kit. */
export interface Case {
  id: string
  /** The clause of the contract that the case checks: an id of `clauses`. */
  clause: string
  /** Further clauses with the same requirement. */
  also?: string[] | undefined
  level: Level
  /** Whether the case belongs to the profile `hardening`, which the kit runs only on request. */
  hardening?: true | undefined
  /** The requirement, as a sentence. */
  title: string
}

/**
 * What a case is about. `first request`: the menu without a token; `elsewhere`: a token outside of Authorization: Bearer;
 * `rejection`: a login that must fail; `expiry`: an expired token; `spelling`: another spelling of a path; `header`: a
 * header or a query that must not matter; `connection`: several requests on one connection; `no-auth`: a server without a
 * login.
 */
export type Subject =
  | 'first request'
  | 'form'
  | 'login'
  | 'rejection'
  | 'second user'
  | 'guard'
  | 'token'
  | 'elsewhere'
  | 'expiry'
  | 'spelling'
  | 'header'
  | 'connection'
  | 'no-auth'
