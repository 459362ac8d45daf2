import type { Case } from '../cases.ts'
import type { HttpResponse } from './http.ts'
import type { Jwt, SignatureChange } from './jwt.ts'
import type { TokenChange } from './tokens.ts'
import type { Values } from './values.ts'

/** A case that is checked by the responses of a server. */
export interface ServerCase extends Case {
  /** Default: a server with a login. */
  mode?: 'no-auth'
  /** What the run must have. */
  needs?: readonly Need[]
  /** Whether all requests share one connection, or are sent at the same time. Default: one after the other. */
  connection?: 'kept alive' | 'pipelined' | 'side by side'
  /** Which responses are checked, `rest` for all but the first. Default: all. */
  judged?: 'first' | 'last' | 'rest'
  /** The id of an earlier case: where that one holds, this one is not needed. */
  unless?: string
  /** Requests, or names of exchanges that a run makes once. */
  requests(values: Values): readonly (string | CaseRequest)[]
  /** Which of the responses can be checked. Default: all. */
  given?: Check
  /** What must hold for each response. Default: anything. */
  expect?: Check
  /** What is reported of the response to an observed case. Default: whether `expect` holds. */
  observe?(response: JudgedResponse): unknown
}

/** Returns what was expected and does not hold, in words; undefined when all is right. */
export type Check = (response: JudgedResponse, values: Values) => string | undefined

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

/** A response, with the token of a login decoded. */
export interface JudgedResponse extends HttpResponse {
  jwt?: Pick<Jwt, 'header' | 'claims'> & { lifetime: number; remaining: number; signed?: boolean }
}

/** A request of a case. */
export interface CaseRequest {
  method: string
  /** Below the base URL. */
  path: string
  /** The whole URL is sent, as to a proxy. */
  absolute?: true
  headers?: Record<string, string | string[]>
  bearer?: Bearer
  json?: unknown
  body?: string | Buffer
  /** It has the credentials of that user. */
  login?: 'first' | 'second'
  /** The body is sent in chunks. */
  chunked?: true
  /** The server may close the connection without a response. */
  mayClose?: true
  /** Seconds to wait before the request is sent. */
  pause?: number
}

/** The token of `Authorization: Bearer`, or a change of that of the server. */
export type Bearer = string | { token: TokenChange } | { jwt: JwtChange }

/** A change of the server's token when it is a JWT. */
export interface JwtChange {
  /** JSON Merge Patches (RFC 7396) of the first level. */
  header?: Record<string, unknown>
  claims?: Record<string, unknown>
  signature: SignatureChange
  /** Of the signature `guessed secret`. */
  secret?: string
}
