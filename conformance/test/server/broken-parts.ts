// Ways to break a part of a server that conforms, and tables of servers that are broken in one of them.
import type { CheckServerOptions } from '../../index.ts'
import { conforming, type Form, type Incoming, type Outgoing, type Parts } from './minimal-server.ts'

/** Returns the parts that a broken server has in place of those that conform. */
type Break = (parts: Parts) => Partial<Parts>

/** The same, or the parts themselves where they need no others. */
export type Change = Break | Partial<Parts>

/** A server that breaks one clause in one way. */
export interface BrokenServer {
  name: string
  /** The clause that it breaks. */
  clause: string
  form: Form
  prefix: string
  /** What the kit is given besides the credentials and the secret. */
  options: CheckServerOptions
  change: Change
}

// biome-ignore lint/suspicious/noExplicitAny: a broken response may have any type
export type Any = any

/**
 * Returns a broken server for each row of a table.
 *
 * @param make returns the change of a row
 * @param rows by the clause that is broken, a colon, and how
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

/** Returns the parts of a broken server; the others are those of one that conforms. */
export function partsOf({ form, prefix, change }: Pick<BrokenServer, 'form' | 'prefix' | 'change'>): Parts {
  const parts = conforming(form, prefix)
  return { ...parts, ...(typeof change === 'function' ? change(parts) : change) }
}

/** For rows that are changes. */
export const change = (row: Change) => row

/** Changes the responses of a part. */
export const response =
  (part: 'form' | 'accept' | 'reject') =>
  (change: (response: Outgoing) => Outgoing): Break =>
  parts => ({ [part]: (...args: [never, never]) => change(parts[part](...args)) })

/** Changes the bodies of a part: some of their members, or with a function. */
export const body =
  (part: 'form' | 'accept' | 'reject') =>
  (change: object | ((body: Any) => unknown)): Break =>
    response(part)(({ body, ...rest }) => ({
      ...rest,
      body: typeof change === 'function' ? change(body) : { ...(body as object), ...change }
    }))

/** Sets a cookie at the login. */
export const setsCookie = response('accept')(({ headers, ...rest }) => ({
  ...rest,
  headers: { ...headers, 'set-cookie': 'sid=1; HttpOnly' }
}))

/** Changes members of the menu, of a login and of later requests. */
export const menu =
  ({ login, later }: { login?: object; later?: object }): Break =>
  parts => ({
    menu: (isLogin, username) => ({
      ...(parts.menu(isLogin, username) as object),
      ...(isLogin ? login : later)
    })
  })

/** Accepts also the credentials for which the test holds. */
export const accepting =
  (test: (username: unknown, password: unknown) => boolean): Break =>
  parts => ({
    checks: (username, password) => test(username, password) || parts.checks(username, password)
  })

/** Reads the fields of some requests in another way. */
export const reading =
  (read: (request: Incoming, parts: Parts) => Record<string, unknown> | false): Break =>
  parts => ({ readFields: request => read(request, parts) || parts.readFields(request) })

/** Finds the token of some requests in another place. */
export const finding =
  (find: (request: Incoming) => Any): Break =>
  parts => ({ tokenOf: request => find(request) || parts.tokenOf(request) })

/** Accepts also the tokens for which the test holds. */
export const trusting =
  (test: (token: string, request: Incoming) => unknown): Break =>
  parts => ({ isValid: (token, request) => parts.isValid(token, request) || Boolean(test(token, request)) })

/** Refuses also valid tokens in requests for which the test holds. */
export const refusing =
  (test: (request: Incoming) => boolean): Break =>
  parts => ({ isValid: (token, request) => parts.isValid(token, request) && !test(request) })

/** Judges tokens by those that it has issued, the last one last. */
export const remembering =
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

/** Needs no token for the requests for which the test holds. */
export const opens =
  (test: (request: Incoming, parts: Parts) => unknown): Break =>
  parts => ({
    tokenOf: request => (test(request, parts) ? 'open' : parts.tokenOf(request)),
    isValid: (token, request) => token === 'open' || parts.isValid(token, request)
  })

/** Responds to some requests before the guard does. */
export const before =
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
