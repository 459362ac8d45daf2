import { inspect } from 'node:util'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { LRUCache } from 'lru-cache'
import { type CaseRequest, type ServerCase, serverCases } from '../cases.ts'
import type { Failure, Result } from '../report/report.ts'
import type { HttpRequest, HttpResponse } from './http.ts'
import { fill, lookupIn } from './prepare-request.ts'
import type { Exchange, Session } from './session.ts'

/** The beginning of a body or of an observation that a report shows, in characters. */
const SHOWN = 500

/** How a case ended. */
export type Outcome = Pick<Result, 'status' | 'note' | 'failures'>

/**
 * Sends the requests of a case.
 *
 * @param path the route of a case that is run once for each `--protected`
 * @throws ThrottledError when the server limits requests
 * @throws MissingValueError when a placeholder has no value
 * @throws CannotRunError when the server cannot be reached or rejects the credentials
 */
export async function exchangesOf(test: ServerCase, session: Session, path?: string): Promise<Exchange[]> {
  const requests = test.requests as CaseRequest[]
  if (test.connection === 'side by side') {
    const made = await Promise.all(requests.map(request => session.exchange(request, path)))
    return made.filter(exchange => exchange !== undefined)
  }
  if (test.connection !== undefined) return session.exchangeOnOneConnection(requests, test.connection === 'pipelined')
  const exchanges: Exchange[] = []
  for (const request of test.requests) {
    const exchange = typeof request === 'string' ? await session.named(request) : await session.exchange(request, path)
    if (exchange !== undefined) exchanges.push(exchange)
  }
  return exchanges
}

/** The exchanges that are judged: of the last with the requests before it, and none when the server closed before. */
function judgedOf({ requests, judged }: ServerCase, exchanges: Exchange[]): Exchange[] {
  if (judged === 'first') return exchanges.slice(0, 1)
  const last = exchanges.at(-1)
  if (judged !== 'last') return exchanges
  if (last === undefined || exchanges.length < requests.length) return []
  return [{ ...last, before: exchanges.slice(0, -1).map(({ request }) => request) }]
}

/** Compares the responses to the requests of a case with its expectation. */
export function judge(test: ServerCase, all: Exchange[], session: Session): Outcome {
  const exchanges = judgedOf(test, all)
  if (exchanges.length === 0) {
    // On a connection of its own none is possible only where no request was sent.
    const isShared = test.connection !== undefined
    const note = isShared ? 'the server closed the connection before' : 'none of its requests is possible here'
    return { status: 'skipped', note }
  }
  const lookup = lookupIn(session.values)
  const { given = {}, expectation = {} } = fill({ given: test.given, expectation: test.expectation }, lookup)
  const checked = exchanges.filter(
    ({ response }) => response === undefined || schemaErrors(given, response).length === 0
  )
  if (checked.length === 0) return { status: 'skipped', note: 'there was nothing to check' }

  const failures = checked
    .map(exchange => ({
      exchange,
      expected: exchange.response ? schemaErrors(expectation, exchange.response) : ['a response']
    }))
    .filter(({ expected }) => expected.length > 0)
    .map(({ exchange, expected }) => describe(exchange, expected, session))

  if (test.level === 'OBSERVED')
    return { status: 'ok', note: session.mask(observation(test, checked, failures)).slice(0, SHOWN) }
  if (failures.length === 0) return { status: 'ok' }
  return { status: test.level === 'MUST' ? 'failed' : 'warning', failures }
}

function observation({ observe }: ServerCase, exchanges: Exchange[], failures: Failure[]): string {
  if (observe === undefined) return failures.length === 0 ? 'yes' : 'no'
  return exchanges
    .flatMap(({ response, error }) => (response ? observe.map(pointer => show(pointer, response)) : [error]))
    .join(', ')
}

/** The value at a JSON Pointer (RFC 6901) as text. No case needs the escapes of a pointer. */
function show(pointer: string, response: object): string {
  const value = pointer
    .slice(1)
    .split('/')
    .reduce<unknown>((part, key) => (Object(part) as Record<string, unknown>)[key], response)
  // Unlike JSON.stringify, inspect takes a value of any depth.
  return value === undefined
    ? 'none'
    : inspect(value, { breakLength: Number.POSITIVE_INFINITY, maxStringLength: Number.POSITIVE_INFINITY })
}

function describe(
  { request, before = [], response, error }: Exchange,
  expected: string[],
  { values, mask }: Session
): Failure {
  return {
    sent: curl(
      values.origin,
      [...before, request].map(({ masked }) => masked)
    ),
    expected: expected.map(mask),
    // Masked before it is cut: half a token would not be recognised.
    came: response ? head(response, mask) + mask(response.text).slice(0, SHOWN) : mask(error as string)
  }
}

function head({ status, headers }: HttpResponse, mask: (text: string) => string): string {
  const shown = ['content-type', 'www-authenticate', 'location', 'retry-after', 'cache-control']
  const lines = shown
    .filter(name => headers[name] !== undefined)
    .map(name => `${name}: ${mask(headers[name] as string)}`)
  return [`status ${status}`, ...lines, '', ''].join('\n')
}

/** By the JSON text of the schema: compiling one takes longer than a request, and most cases share theirs. */
const validators = new LRUCache<string, ValidateFunction>({
  max: 200,
  memoMethod(text) {
    // Not strict: an expectation says what it needs, and leaves types open where another case checks them.
    const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true, verbose: true })
    return ajv.compile({ ...JSON.parse(text), $defs: serverCases.$defs })
  }
})

/**
 * Compares a response with an expectation.
 *
 * @param expectation JSON Schema 2020-12, which may refer to the `$defs` of the cases
 * @returns what does not match, a line each; empty when everything matches
 */
function schemaErrors(expectation: object, response: object): string[] {
  try {
    const validate = validators.memo(JSON.stringify(expectation))
    if (validate(response)) return []
    const errors = validate.errors as ErrorObject[]
    const plain = errors.filter(({ keyword }) => !['if', 'anyOf', 'allOf'].includes(keyword))
    return [...new Set(plain.map(explain))]
  } catch {
    // Comparing fails for a value that is nested too deep or has a member toString.
    return ['the response cannot be checked']
  }
}

function explain({ instancePath, message, params, keyword, parentSchema, schema }: ErrorObject): string {
  const where = instancePath === '' ? 'the response' : instancePath.slice(1).replaceAll('/', '.')
  if (keyword === 'required' && instancePath === '' && params.missingProperty === 'body')
    return 'the body must be JSON, in UTF-8 without a byte order mark'
  if (keyword === 'not') return `${where} must not be ${range(schema) ?? JSON.stringify(schema)}`
  return `${where} ${range(parentSchema) === undefined ? message : `must be ${range(parentSchema)}`}`
}

/** The values that a schema allows, when it is one that lists them. */
function range(schema: unknown): string | undefined {
  const { const: one, enum: some, minimum, maximum } = Object(schema)
  if (one !== undefined) return JSON.stringify(one)
  if (some !== undefined) return `one of ${some.join(', ')}`
  if (minimum !== undefined && maximum !== undefined) return `from ${minimum} to ${maximum}`
  return maximum === undefined ? undefined : `at most ${maximum}`
}

/** Returns requests as a command that a person can paste into a shell. Several go over one connection. */
function curl(origin: string, requests: HttpRequest[]): string {
  return `curl ${requests.map(request => argumentsFor(origin, request)).join(' --next ')}`
}

function argumentsFor(origin: string, { method, path, headers, body, chunked }: HttpRequest): string {
  const parts = ['-i --path-as-is']
  if (method === 'HEAD') parts.push('--head')
  else if (method !== (body === undefined ? 'GET' : 'POST')) parts.push(`-X ${method}`)
  parts.push(quote(path.startsWith('/') ? origin + path : origin))
  // Absolute, as to a proxy.
  if (!path.startsWith('/')) parts.push(`--request-target ${quote(path)}`)
  // With a semicolon, curl sends a header that has no value.
  for (const [name, value] of headers) parts.push(`-H ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`)
  if (chunked) parts.push("-H 'Transfer-Encoding: chunked'")
  if (Buffer.isBuffer(body)) parts.push(`--data-binary @<(echo ${body.toString('base64')} | base64 -d)`)
  else if (body !== undefined) parts.push(`--data-raw ${quote(body)}`)
  return parts.join(' ')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
