import type { Case, Subject } from '../cases.ts'
import type { Bearer } from './jwt.ts'
import type { Need } from './needs.ts'
import type { JudgedResponse, Values } from './values.ts'

export interface ServerCase extends Case {
  subject: Subject
  /** Properties and options that the run must have. */
  needs?: readonly Need[]
  /** `side by side`: the requests are concurrent. Default: one after the other, each on its own connection. */
  connection?: 'kept alive' | 'pipelined' | 'side by side'
  /**
   * The responses to check. `between logins`: all but the first and the last; `until met`: only the last, which is the
   * first that meets `expect` if there is one. Default: all.
   */
  judged?: 'first' | 'last' | 'between logins' | 'until met'
  /** Returns requests, or names of exchanges. A run sends each named exchange only once. */
  requests(values: Values): readonly (string | CaseRequest)[]
  /** A precondition. Responses that do not meet it are not checked. Default: none. */
  given?: Check
  expect?: Check
  /** Returns the value that the report shows for an OBSERVED case. */
  observe?(response: JudgedResponse): unknown
}

export interface Unmet {
  words: string
  /** The property or the claim that is missing. */
  missing?: string
}

/** Checks a response. Returns the violated expectation; undefined if there is none. */
export type Check = (response: JudgedResponse, values: Values) => Unmet | undefined

/** The kind of the token in Authorization: Bearer. */
export type TokenKind = 'none' | 'valid' | 'invalid'

export interface CaseRequest {
  method: string
  /** Relative to the base URL. */
  path: string
  /** Sends the request target in absolute form, as to a proxy. */
  absolute?: true
  headers?: Record<string, string>
  bearer?: Bearer
  /** Only for a request with its own Authorization header. Default: the kind of `bearer`. */
  token?: TokenKind
  json?: unknown
  body?: string | Buffer
  /** The user whose right credentials the request contains. */
  login?: 'first' | 'second'
  chunked?: true
  /** The server may close the connection without a response. */
  mayClose?: true
  pause?: number
}
