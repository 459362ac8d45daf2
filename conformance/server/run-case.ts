import { type Failure, MOST_FAILURES, type Result, SkipError, type SkipReason } from '../report/report.ts'
import type { HttpRequest, HttpResponse } from './http.ts'
import type { PreparedRequest } from './prepare-request.ts'
import { isThrottled } from './retrying-client.ts'
import type { Exchange, Run } from './run.ts'
import type { Check, ServerCase, Unmet } from './server-case.ts'
import { isSuccess } from './statuses.ts'
import type { JudgedResponse } from './values.ts'

/** Maximum number of characters of a body or an observation in a report. */
const MAX_SHOWN = 500

export type Outcome = Pick<Result, 'status' | 'note' | 'reason' | 'failures'>

interface Judged {
  exchange: Exchange
  unmet: Unmet | undefined
}

export const skipped = (reason: SkipReason, note: string): Outcome => ({ status: 'skipped', reason, note })

/** Sends the requests of a case. Returns the exchanges to judge, and why right responses may not have shown anything. */
async function exchangesOf(test: ServerCase, run: Run): Promise<{ exchanges: Exchange[]; limit?: SkipError }> {
  const requests = await run.prepare(values => test.requests(values))
  const make = async (request: string | PreparedRequest) =>
    typeof request === 'string' ? [(await run.named(request)) ?? []].flat() : run.exchange([request])
  const { connection, judged, expect } = test
  const exchanges: Exchange[] = []
  // The other right logins are compared with the first.
  if (judged === 'between logins') await run.named('login')
  try {
    if (connection === 'side by side') exchanges.push(...(await Promise.all(requests.map(make))).flat())
    else if (connection !== undefined)
      exchanges.push(...(await run.exchange(requests as PreparedRequest[], connection === 'pipelined')))
    else
      for (const request of requests) {
        exchanges.push(...(await make(request)))
        const { response } = exchanges.at(-1) ?? {}
        const isLate = typeof request !== 'string' && judged === 'until met'
        if (isLate && response && !expect?.(response, run.values())) break
      }
  } catch (error) {
    if (!(error instanceof SkipError)) throw error
    // The responses before the limit may be wrong.
    return { exchanges: judged === 'between logins' ? exchanges.filter(isNoLogin) : [], limit: error }
  }
  if (judged === undefined) return { exchanges }
  if (judged === 'first') return { exchanges: exchanges.slice(0, 1) }
  if (judged === 'between logins') {
    const isLocked = exchanges.some(one => !isNoLogin(one) && !run.acceptsAgain(one.response))
    const limit = new SkipError('the server limits requests: it rejected a login with right credentials', 'limited')
    return { exchanges: exchanges.filter(isNoLogin), ...(isLocked && { limit }) }
  }
  const last = exchanges.at(-1)
  // The server may close the connection before the last response.
  if (last === undefined || (judged === 'last' && exchanges.length < requests.length)) return { exchanges: [] }
  return { exchanges: [{ ...last, before: exchanges.slice(0, -1).map(({ request }) => request) }] }
}

const isNoLogin = ({ request }: Exchange) => request.template.login === undefined

export async function runCase(test: ServerCase, run: Run): Promise<Outcome> {
  const { exchanges, limit } = await exchangesOf(test, run)
  const impossible = test.connection
    ? 'the server closes the connection after a response'
    : 'the token allows no request'
  if (exchanges.length === 0) return skipped(limit?.reason ?? 'unseen', limit?.message ?? impossible)
  const unmetBy = (check: Check | undefined, response: JudgedResponse) =>
    run.resolve(values => check?.(response, values))
  const judged: Judged[] = []
  let lack = ''
  for (const exchange of exchanges) {
    const { response } = exchange
    const notGiven = response && (await unmetBy(test.given, response))
    if (response === undefined) judged.push({ exchange, unmet: { words: 'a response' } })
    else if (notGiven === undefined) judged.push({ exchange, unmet: await unmetBy(test.expect, response) })
    else lack = isSuccess(response.status) ? notGiven.words : `${notGiven.words}, but the status is ${response.status}`
  }
  if (judged.length === 0) return skipped('unseen', run.mask(`it needs ${lack}`))

  if (test.level === 'OBSERVED') return { status: 'ok', note: run.mask(observation(test, judged), MAX_SHOWN) }
  const failures = judged
    .flatMap(({ exchange, unmet }) => (unmet === undefined ? [] : [describe(test, exchange, unmet, run)]))
    .slice(0, MOST_FAILURES)
  if (failures.length > 0) return { status: test.level === 'MUST' ? 'failed' : 'warning', failures }
  if (limit !== undefined) return skipped(limit.reason, limit.message)
  // A limit rejects even credentials that the server would accept.
  const isLimited = test.subject === 'rejection' && judged.some(({ exchange }) => isThrottled(exchange.response))
  return isLimited ? skipped('limited', 'the server limits logins') : { status: 'ok' }
}

/** Returns what the responses show. For several requests, names the requests behind each value. */
function observation({ observe }: ServerCase, judged: Judged[]): string {
  const requests = new Map<string, string[]>()
  for (const { exchange } of judged) {
    const { request, response, error = '' } = exchange
    const value = response ? show(observe?.(response)) : error
    requests.set(value, [...(requests.get(value) ?? []), nameOf(request)])
  }
  if (judged.length === 1) return [...requests.keys()].join()
  return [...requests].map(([value, names]) => `${value} (${names.join(', ')})`).join(', ')
}

const nameOf = ({ template: { method, path }, token }: PreparedRequest) =>
  `${method} ${path}${token === 'none' ? '' : ` with ${token} token`}`

const show = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'missing'))

function describe(
  { subject }: ServerCase,
  { request, before = [], response, error = '' }: Exchange,
  { words, missing }: Unmet,
  run: Run
): Failure {
  const { mask } = run
  const { template, token, sent } = request
  const requests = [...before, request].map(({ masked }) => masked)
  const { layout, auth_action, success } = Object(response?.body) as Record<string, unknown>
  return {
    sent: curl(run.values().origin, requests),
    expected: [mask(words)],
    came: response ? `${statusAndHeaders(response, mask)} ${mask(response.text, MAX_SHOWN)}`.trim() : mask(error),
    facts: {
      subject,
      method: template.method,
      path: template.path.replace(/\?.*/s, ''),
      isOwnRoute: run.path !== undefined,
      token,
      hasBody: (sent.body ?? '').length > 0,
      status: response?.status ?? 0,
      isScreen: layout != null,
      isForm: auth_action != null,
      isAccepted: success === true,
      location: response?.headers.location && mask(response.headers.location),
      missing
    }
  }
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

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
