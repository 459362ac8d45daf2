import { clientData, serverData } from './generated.ts'
import type { SignatureChange } from './server/jwt.ts'
import type { TokenChange } from './server/tokens.ts'

export { clauses, version } from './generated.ts'

/** MUST: the contract demands it. SHOULD: an RFC or security practice does. OBSERVED: the contract leaves it open. */
export type Level = 'MUST' | 'SHOULD' | 'OBSERVED'

/** A case of the kit, as in its JSON files; `server-cases.schema.json` describes every member. */
export interface Case {
  id: string
  /** The clause of the contract that it checks, an id of `clauses`. */
  clause: string
  /** Further clauses that say the same. */
  also?: string[]
  level: Level
  /** What must hold, as a sentence. */
  title: string
}

/** A case that is checked by the responses of a server. */
export interface ServerCase extends Case {
  /** Default: `auth`. */
  mode?: 'auth' | 'no-auth'
  /** What the run must have. */
  needs?: Need[]
  /** Whether all requests share one connection, or are sent at the same time. Default: one after the other. */
  connection?: 'kept alive' | 'pipelined' | 'side by side'
  /** Which responses are checked. Default: all. */
  judged?: 'all' | 'first' | 'last'
  /** The id of an earlier case: where that one holds, this one is not needed. */
  unless?: string
  /** Requests or names of exchanges; each response must match the expectation. */
  requests: (string | CaseRequest)[]
  /** JSON Schema 2020-12 of the responses that can be checked. Default: all. */
  given?: object
  /** JSON Schema 2020-12 of a response. */
  expectation?: object
  /** JSON Pointers into the response, whose values are reported. */
  observe?: string[]
}

/** What a case may need of a run: properties of the token, and what the user gives. */
export type Need =
  | 'jwt'
  | 'asymmetric'
  | 'secret'
  | 'key'
  | 'public key'
  | 'expired token'
  | 'lifetime'
  | 'second user'
  | 'reference'
  | 'protected'

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

/** A request of a case, with placeholders. */
export interface CaseRequest {
  method: string
  path: string
  headers?: Record<string, string | string[]>
  /** The token of `Authorization: Bearer`. */
  bearer?: string | { token: TokenChange } | { jwt: JwtChange }
  json?: unknown
  text?: string
  /** It has the credentials of that user. */
  login?: 'first' | 'second'
  /** The bytes of the body. */
  base64?: string
  /** The body is sent in chunks. */
  chunked?: true
  /** The server may close the connection without a response. */
  mayClose?: true
  /** Seconds to wait before the request is sent. */
  pause?: number | string
}

/** A change of the server's token when it is a JWT. */
export interface JwtChange {
  /** JSON Merge Patches (RFC 7396). */
  header?: Record<string, unknown>
  claims?: Record<string, unknown>
  signature: SignatureChange
}

interface ServerCases {
  contractVersion: string
  dataVersion: string
  exchanges: Record<string, CaseRequest>
  $defs: Record<string, object>
  cases: ServerCase[]
}

/** The cases for servers. */
export const serverCases = serverData as ServerCases

/** The scenarios of the scripted server, and what else is in the file of the cases for clients. */
export const clientScript = clientData as ClientScript

/** The cases for clients. */
export const clientCases: ClientCase[] = clientScript.cases
