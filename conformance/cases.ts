import { createRequire } from 'node:module'

/** How much a case weighs: the contract demands it, an RFC or plain safety does, or it is open and only reported. */
export type Level = 'MUST' | 'SHOULD' | 'OBSERVED'

/** A case of the kit, as its JSON files hold it; `server-cases.schema.json` describes every part. */
export interface Case {
  id: string
  /** The clause of the contract that it judges, an id of `clauses.json`. */
  clause: string
  /** Further clauses that say the same. */
  also?: string[]
  level: Level
  /** What must be so, as a sentence. */
  title: string
}

/** A case that is judged by what a server answers. */
export interface ServerCase extends Case {
  /** Default: `auth`. */
  mode?: 'auth' | 'no-auth'
  /** What a run must have for it: a token that is a JWT, `--secret`, a `--protected` path. */
  needs?: ('jwt' | 'secret' | 'protected')[]
  /** Requests, or the names of exchanges, each of whose answers must meet the expectation. */
  requests: (string | CaseRequest)[]
  /** JSON Schema 2020-12 of the answers that can be judged; others are left out. Default: all. */
  given?: object
  /** JSON Schema 2020-12 of an answer. */
  expectation?: object
  /** JSON Pointers into the answer, whose values are reported. */
  observe?: string[]
}

/** A case that is judged by what a client sends; its rule is code, under the same id. */
export interface ClientCase extends Case {
  scenarios: Scenario[]
}

/** What a scripted server plays to a client. */
export type Scenario = 'login' | 'reject-then-login' | 'login-then-expire' | 'no-auth'

/** A request as a case describes it, with placeholders. */
export interface CaseRequest {
  method: string
  path: string
  headers?: Record<string, string | string[]>
  /** The token of `Authorization: Bearer`. */
  bearer?: string | { token: TokenChange } | { jwt: JwtChange }
  json?: unknown
  text?: string
}

/** What is done to the server's token. */
export type TokenChange =
  | 'first changed'
  | 'middle changed'
  | 'end changed'
  | 'last changed'
  | 'first half'
  | 'second half'
  | 'first character'
  | 'appended'
  | 'prepended'
  | 'part appended'
  | 'symbol inserted'
  | 'two swapped'
  | 'end cut'
  | 'other case'

/** What is done to the server's token when it is a JWT. */
export interface JwtChange {
  /** JSON Merge Patches (RFC 7396). */
  header?: Record<string, unknown>
  claims?: Record<string, unknown>
  signature:
    | 'kept'
    | 'other case'
    | 'start changed'
    | 'empty'
    | 'missing'
    | 'other key'
    | 'empty key'
    | 'secret'
    | 'secret, other algorithm'
}

interface ServerCases {
  exchanges: Record<string, CaseRequest>
  $defs: Record<string, object>
  cases: ServerCase[]
}

const require = createRequire(import.meta.url)

/** The cases for servers. */
export const serverCases: ServerCases = require('./server-cases.json')

/** The cases for clients. */
export const clientCases: ClientCase[] = require('./client-cases.json').cases

/** The text of each clause of the contract, by its id; a row of a table as its cells. */
export const clauses: Map<string, string> = new Map(
  require('./clauses.json').clauses.map(({ id, text }: { id: string; text: string }) => [id, plain(text)])
)

function plain(line: string): string {
  return line.replace(/^\d+\. |^\| | \|$/g, '').replaceAll(' | ', ' · ')
}
