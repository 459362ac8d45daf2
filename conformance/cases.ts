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
<<<<<<< HEAD
=======

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

// By its name, because the build puts this file into another folder.
const require = createRequire(import.meta.url)

/** The version of this package. */
export const { version }: { version: string } = require('screen-auth-conformance/package.json')

/** The cases for servers. */
export const serverCases: ServerCases = require('screen-auth-conformance/server-cases.json')

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
>>>>>>> wt-kitclient
