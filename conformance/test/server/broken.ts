// What the tables of broken servers have in common.
import type { CheckServerOptions } from '../../index.ts'
import { type Any, type Break, type Change, type Form, type Incoming, type Parts, response } from './minimal-server.ts'

export interface BrokenServer {
  /** What the kit must find, and the fault. */
  name: string
  /** The cases that must fail or warn. */
  ids: string[]
  form: Form
  prefix?: string
  /** Options of the kit, besides the credentials and the secret. */
  options?: CheckServerOptions
  change: Change
}

/** Returns a function for a table of broken servers: by the ids and the fault, the rows from which `make` makes changes. */
export const broken =
  <Row>(make: (row: Row) => Change, about: Partial<Pick<BrokenServer, 'form' | 'prefix' | 'options'>> = {}) =>
  (rows: Record<string, Row>): BrokenServer[] =>
    Object.entries(rows).map(([name, row]) => {
      const [ids = ''] = name.split(': ')
      return { form: 'opaque', ...about, name, ids: ids.split(' '), change: make(row) }
    })

export const change = (row: Change) => row

export const base64 = (text: string) => Buffer.from(text).toString('base64')

export const setsCookie = response('accept')(one => ({ ...one, headers: { 'set-cookie': 'sid=1; HttpOnly' } }))

/** Uses the token that `find` returns for a request. If `find` returns none, reads the token in the usual way. */
export const readingToken =
  (find: (request: Incoming) => Any): Break =>
  parts => ({ tokenOf: request => find(request) || parts.tokenOf(request) })

export const opens =
  (test: (request: Incoming, parts: Parts) => unknown): Break =>
  parts => ({
    tokenOf: request => (test(request, parts) ? 'open' : parts.tokenOf(request)),
    isValid: (token, request) => token === 'open' || parts.isValid(token, request)
  })
