import { type Facts, type Failure, MOST_FAILURES, type Result } from '../report/report.ts'
import type { HttpRequest, HttpResponse } from './http.ts'
import type { PreparedRequest } from './prepare-request.ts'
import { isRejection, LIMITED } from './retrying-client.ts'
import type { Exchange, Run } from './run.ts'
import type { Check, ServerCase } from './server-case.ts'
import type { JudgedResponse } from './values.ts'

/** Maximum number of characters of a body or an observation in a report. */
const MAX_SHOWN = 500

export type Outcome = Pick<Result, 'status' | 'note' | 'failures'>

/** Sends the requests of a case, and returns the exchanges to judge. */
async function exchangesOf(test: ServerCase, run: Run, path?: string): Promise<Exchange[]> {
  const requests = await run.prepare(values => test.requests(values), path)
  const make = (request: string | PreparedRequest) =>
    typeof request === 'string' ? run.named(request) : run.exchange(request)
  const sent: (Exchange | undefined)[] = []
  if (test.connection === undefined) for (const request of requests) sent.push(await make(request))
  else if (test.connection === 'side by side') sent.push(...(await Promise.all(requests.map(make))))
  else {
    const isPipelined = test.connection === 'pipelined'
    sent.push(...(await run.exchangeOnOneConnection(requests as PreparedRequest[], isPipelined)))
  }
  const exchanges = sent.filter(exchange => exchange !== undefined)
  return judgedOf(requests.length, test.judged, exchanges)
}

/**
 * Returns the exchanges to judge. If only the last exchange is judged, it gets the requests before it; if the server
 * closed the connection before the last response, the list is empty.
 */
function judgedOf(count: number, judged: ServerCase['judged'], exchanges: Exchange[]): Exchange[] {
  if (judged === 'first') return exchanges.slice(0, 1)
  // If the server rejects the right login, the user may be locked, so the other rejections prove nothing.
  if (judged === 'rest') return isRejection(exchanges[0]?.response) ? [] : exchanges.slice(1)
  const last = exchanges.at(-1)
  if (judged !== 'last') return exchanges
  if (last === undefined || exchanges.length < count) return []
  return [{ ...last, before: exchanges.slice(0, -1).map(({ request }) => request) }]
}

/**
 * Sends the requests of a case, and judges the responses.
 *
 * @param path the route, if the case runs once per `--protected`
 */
export async function runCase(test: ServerCase, run: Run, path?: string): Promise<Outcome> {
  const exchanges = await exchangesOf(test, run, path)
  if (exchanges.length === 0) return { status: 'skipped', note: skipReason(test) }
  const expectedBy = (check: Check | undefined, response: JudgedResponse) =>
    run.resolve(values => check?.(response, values), path)
  const judged: { exchange: Exchange; expected: string | undefined }[] = []
  for (const exchange of exchanges) {
    const { response } = exchange
    if (response === undefined) judged.push({ exchange, expected: 'a response' })
    else if ((await expectedBy(test.given, response)) === undefined)
      judged.push({ exchange, expected: await expectedBy(test.expect, response) })
  }
  if (judged.length === 0) return { status: 'skipped', note: 'there was nothing to check' }

  const failed = judged.filter(({ expected }) => expected !== undefined)
  if (test.level === 'OBSERVED') return { status: 'ok', note: run.mask(observation(test, judged), MAX_SHOWN) }
  if (failed.length === 0) return { status: 'ok' }
  const failures = failed.slice(0, MOST_FAILURES).map(one => describe(one.exchange, one.expected as string, run))
  return { status: test.level === 'MUST' ? 'failed' : 'warning', failures }
}

function skipReason({ connection, judged }: ServerCase): string {
  if (connection !== undefined) return 'the server closed the connection too early'
  return judged === 'rest'
    ? `${LIMITED}: it rejected a login with right credentials`
    : 'no request of this case is possible here'
}

function observation({ observe }: ServerCase, judged: { exchange: Exchange; expected: string | undefined }[]): string {
  if (observe === undefined) return judged.every(({ expected }) => expected === undefined) ? 'yes' : 'no'
  return judged.map(({ exchange: { response, error } }) => (response ? show(observe(response)) : error)).join(', ')
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'missing')
}

function describe({ request, before = [], response, error }: Exchange, expected: string, run: Run): Failure {
  const { origin, base } = run.values()
  const { mask } = run
  return {
    sent: curl(
      origin,
      [...before, request].map(({ masked }) => masked)
    ),
    expected: [mask(expected)],
    came: response
      ? `${statusAndHeaders(response, mask)} ${mask(response.text, MAX_SHOWN)}`.trim()
      : mask(error as string),
    facts: factsOf(request, base, mask, response)
  }
}

function factsOf(
  { masked, sent }: PreparedRequest,
  base: string,
  mask: (text: string) => string,
  response?: HttpResponse
): Facts {
  const [pathname = ''] = masked.path.split('?')
  const { layout, auth_action } = Object(response?.body) as Record<string, unknown>
  return {
    method: masked.method,
    path: pathname.startsWith(base) ? pathname.slice(base.length) : pathname,
    token: kindOfToken(masked),
    hasBody: (sent.body ?? '').length > 0,
    isScreen: layout != null,
    isForm: auth_action != null,
    ...(response && { status: response.status }),
    ...(response?.headers.location !== undefined && { location: mask(response.headers.location) })
  }
}

/** Detects the kind of the token from the placeholders in a masked request. */
function kindOfToken({ path, headers, body = '' }: HttpRequest): Facts['token'] {
  const [, value = ''] = headers.find(([name]) => name.toLowerCase() === 'authorization') ?? []
  if (/^Bearer <token( of .*)?>$/.test(value)) return 'valid'
  if (value !== '' && !/^bearer\b/i.test(value)) return 'elsewhere'
  const texts = [path, String(body), ...headers.map(([, text]) => text)]
  if (texts.some(text => /<token( of [^>]*)?>/.test(text))) return 'elsewhere'
  return /^bearer +./i.test(value) ? 'invalid' : 'none'
}

function statusAndHeaders({ status, headers }: HttpResponse, mask: Run['mask']): string {
  const shown = ['content-type', 'www-authenticate', 'location', 'retry-after', 'cache-control']
  const lines = shown
    .filter(name => headers[name] !== undefined)
    .map(name => `${name}: ${mask(headers[name] as string, MAX_SHOWN)}`)
  return [`status ${status}`, ...lines].join(', ')
}

/** Returns requests as one curl command for a shell. curl sends several requests on one connection. */
function curl(origin: string, requests: HttpRequest[]): string {
  return `curl ${requests.map(request => argumentsFor(origin, request)).join(' --next ')}`
}

function argumentsFor(origin: string, { method, path, headers, body, chunked }: HttpRequest): string {
  const parts = ['-i --path-as-is']
  if (method === 'HEAD') parts.push('--head')
  else if (method !== (body === undefined ? 'GET' : 'POST')) parts.push(`-X ${method}`)
  parts.push(quote(path.startsWith('/') ? origin + path : origin))
  // A target in absolute form, as in a request to a proxy.
  if (!path.startsWith('/')) parts.push(`--request-target ${quote(path)}`)
  // curl sends an empty header only with a semicolon.
  for (const [name, value] of headers) parts.push(`-H ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`)
  if (chunked) parts.push("-H 'Transfer-Encoding: chunked'")
  if (Buffer.isBuffer(body)) parts.push(`--data-binary @<(echo ${body.toString('base64')} | base64 -d)`)
  else if (body !== undefined) parts.push(`--data-raw ${quote(body)}`)
  return parts.join(' ')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
