// Functions that break one part of a conforming server, and that build tables of broken servers.
import type { CheckServerOptions } from '../../index.ts'
import { conforming, type Form, type Incoming, type Outgoing, type Parts } from './minimal-server.ts'

type Break = (parts: Parts) => Partial<Parts>

/** The replaced parts, or a function that builds them from the conforming parts. */
export type Change = Break | Partial<Parts>

/** A server that breaks one clause in one way. */
export interface BrokenServer {
  name: string
  clause: string
  form: Form
  prefix: string
  /** Options for the kit besides the credentials and the secret. */
  options: CheckServerOptions
  change: Change
}

// biome-ignore lint/suspicious/noExplicitAny: a broken response may have any type
export type Any = any

/**
 * Returns a broken server for each row of a table.
 *
 * @param make returns the change for a row
 * @param rows each key is the broken clause, a colon, and a description
 */
export function broken<Row>(
  subject: string,
  { form = 'opaque', prefix = '', options = {} }: Partial<BrokenServer>,
  make: (row: Row) => Change,
  rows: Record<string, Row>
): BrokenServer[] {
  return Object.entries(rows).map(([key, row]) => {
    const [clause = '', how] = key.split(': ')
    return { name: `${subject}: ${how}`, clause, form, prefix, options, change: make(row) }
  })
}

/** Returns all parts of a broken server. The parts that `change` does not replace conform. */
export function partsOf({ form, prefix, change }: Pick<BrokenServer, 'form' | 'prefix' | 'change'>): Parts {
  const parts = conforming(form, prefix)
  return { ...parts, ...(typeof change === 'function' ? change(parts) : change) }
}

/** For tables whose rows are changes. */
export const change = (row: Change) => row

export const response =
  (part: 'form' | 'accept' | 'reject') =>
  (change: (response: Outgoing) => Outgoing): Break =>
  parts => ({ [part]: (...args: [never, never]) => change(parts[part](...args)) })

/** Changes the bodies of a part: replaces members, or calls a function. */
export const body =
  (part: 'form' | 'accept' | 'reject') =>
  (change: object | ((body: Any) => unknown)): Break =>
    response(part)(({ body, ...rest }) => ({
      ...rest,
      body: typeof change === 'function' ? change(body) : { ...(body as object), ...change }
    }))

export const setsCookie = response('accept')(({ headers, ...rest }) => ({
  ...rest,
  headers: { ...headers, 'set-cookie': 'sid=1; HttpOnly' }
}))

/** Changes members of the menu: in the response to a login, and in later responses. */
export const menu =
  ({ login, later }: { login?: object; later?: object }): Break =>
  parts => ({
    menu: (isLogin, username) => ({
      ...(parts.menu(isLogin, username) as object),
      ...(isLogin ? login : later)
    })
  })

/** Also accepts credentials that pass the test. */
export const acceptingLogin =
  (test: (username: unknown, password: unknown) => boolean): Break =>
  parts => ({
    checks: (username, password) => test(username, password) || parts.checks(username, password)
  })

/** Takes the fields from `read`. If `read` returns false, reads them in the usual way. */
export const readingFields =
  (read: (request: Incoming, parts: Parts) => Record<string, unknown> | false): Break =>
  parts => ({ readFields: request => read(request, parts) || parts.readFields(request) })

/** Uses the token that `find` returns for a request. If `find` returns none, reads the token in the usual way. */
export const readingToken =
  (find: (request: Incoming) => Any): Break =>
  parts => ({ tokenOf: request => find(request) || parts.tokenOf(request) })

/** Also accepts every token for which `test` returns a truthy value. */
export const acceptingToken =
  (test: (token: string, request: Incoming) => unknown): Break =>
  parts => ({ isValid: (token, request) => parts.isValid(token, request) || Boolean(test(token, request)) })

/** Rejects even valid tokens in requests that pass the test. */
export const rejecting =
  (test: (request: Incoming) => boolean): Break =>
  parts => ({ isValid: (token, request) => parts.isValid(token, request) && !test(request) })

/** Validates tokens against the list of issued tokens, in the order of issue. */
export const comparingToIssued =
  (isValid: (token: string, issued: string[]) => boolean, form = (token: string) => token): Break =>
  parts => {
    const issued: string[] = []
    return {
      issue(username) {
        const token = form(parts.issue(username))
        issued.push(token)
        return token
      },
      isValid: token => isValid(token, issued)
    }
  }

/** Requires no token for requests that pass the test. */
export const opens =
  (test: (request: Incoming, parts: Parts) => unknown): Break =>
  parts => ({
    tokenOf: request => (test(request, parts) ? 'open' : parts.tokenOf(request)),
    isValid: (token, request) => token === 'open' || parts.isValid(token, request)
  })

/** Responds to some requests before the guard does. */
export const beforeGuard =
  (respond: (request: Incoming, parts: Parts) => Outgoing | false): Break =>
  parts => ({
    raw(request, _, outgoing) {
      const response = respond(request, parts)
      if (response === false) return false
      outgoing.writeHead(response.status, response.headers)
      outgoing.end(response.body && JSON.stringify(response.body))
      return true
    }
  })
