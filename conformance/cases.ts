import { createRequire } from 'node:module'

/** MUST: the contract demands it. SHOULD: an RFC or security practice does. OBSERVED: the contract leaves it open. */
export type Level = 'MUST' | 'SHOULD' | 'OBSERVED'

/** A case of the kit. */
export interface Case {
  id: string
  /** The clause of the contract that it checks, an id of `clauses.json`. */
  clause: string
  /** Further clauses that say the same. */
  also?: string[]
  level: Level
  /** Part of the profile `hardening`: it runs only when that is asked for. */
  hardening?: true
  /** What must hold, as a sentence. */
  title: string
}

/** A case that is checked by the requests of a client; `client-cases.schema.json` describes every member. */
export interface ClientCase extends Case {
  scenarios: Scenario[]
  rule: ClientRule
}

/** What must hold for the requests of a client. Its schemas are of JSON Schema 2020-12, for one request. */
export type ClientRule = { violation: string; missing?: string } & (
  | { first: object }
  | { after: object; skip?: object; next: object }
  | { given?: object; for: object | true; expect: object }
)

/** What the scripted server does with a client. */
export type Scenario = 'login' | 'reject-then-login' | 'login-then-expire' | 'start-again' | 'no-auth'

/** A state of the scripted server. */
export interface ScenarioState {
  auth?: false
  submission?: 'accepted' | 'rejected'
  token?: 'valid' | 'expired'
  until: string
}

interface ClientScript {
  responses: Record<string, { status: number; body?: unknown }>
  scenarios: Record<Scenario, { steps: string; states: ScenarioState[]; responses?: ClientScript['responses'] }>
  $defs: Record<string, object>
  cases: ClientCase[]
}

// By its name, because the build puts this file into another folder.
const require = createRequire(import.meta.url)

/** The version of this package. */
export const { version }: { version: string } = require('screen-auth-conformance/package.json')

/** The scenarios of the scripted server, and what else is in the file of the cases for clients. */
export const clientScript: ClientScript = require('screen-auth-conformance/client-cases.json')

/** The cases for clients. */
export const clientCases: ClientCase[] = clientScript.cases

/** The text of each clause of the contract, by its id; of a row of a table, its cells. */
export const clauses: Map<string, string> = new Map(
  require('screen-auth-conformance/clauses.json').clauses.map(({ id, text }: { id: string; text: string }) => [
    id,
    plain(text)
  ])
)

function plain(line: string): string {
  return line.replace(/^\d+\. |^\| | \|$/g, '').replaceAll(' | ', ' · ')
}
