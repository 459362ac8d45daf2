import { fieldsOf, type Incoming, jsonOf, pathname, type RecordedRequest } from './recorded-request.ts'

/** What the person enters into the form; undefined where the kit does not know. */
export interface Entered {
  username?: string | undefined
  password?: string | undefined
}

/** What a rule says about a request; `client-cases.schema.json` describes each member. */
export type Facts = ReturnType<typeof factsOf>[number]

/**
 * Returns each request of a scenario and the facts about it.
 *
 * @param earlierTokens those of the scenarios before, which the client may have stored
 */
export function factsOf(requests: RecordedRequest[], entered: Entered, earlierTokens: readonly string[]) {
  const isString = (value: unknown): value is string => typeof value === 'string'
  const submitted = requests
    .filter(({ submission, outcome }) => submission || outcome === 'malformed login')
    .map(({ body }) => fieldsOf(body) ?? {})
  const usernames = [entered.username, ...submitted.map(({ username }) => username)]
  const passwords = [entered.password, ...submitted.map(({ password }) => password)]
    .filter(isString)
    // A header has no white space at its ends.
    .map(password => password.trim())
    .filter(password => password.length > 3 && !usernames.includes(password))
  const tokens = [...earlierTokens, ...requests.flatMap(({ token, refused }) => [token, ...refused])]
  const parts = [...new Set(tokens.filter(isString))].flatMap(partsOf)

  return requests.map(request => {
    const { method, headers, body, outcome, session, authorization, submission, refused } = request
    const json = jsonOf(body)
    const { authorization: credentials = '', ...others } = headers
    // A token is no ordinary word, so it may be looked for in every header.
    const elsewhere = readingsOf({ ...request, headers: others }, () => false)
    // The token itself holds no password, and is no place of its own.
    const own = authorization === 'current' ? { ...request, headers: others } : request
    const withoutBody = submission ? { ...own, body: Buffer.alloc(0) } : own
    const holds = (readings: string[], secrets: readonly string[]) =>
      secrets.some(secret => readings.some(reading => reading.includes(secret)))
    const known = Object.entries(entered).filter(([, value]) => value !== undefined)
    const fields = fieldsOf(body) ?? {}
    return {
      request,
      method,
      path: pathname(request),
      headers,
      ...(headers['content-type'] !== undefined && {
        mediaType: (headers['content-type'].split(';')[0] as string).trim().toLowerCase()
      }),
      ...(json !== undefined && { json }),
      outcome,
      session,
      authorization,
      submission,
      ...(request.sinceLogin !== undefined && { sinceLogin: request.sinceLogin / 1000 }),
      ...(submission && known.length > 0 && { asEntered: known.every(([id, value]) => fields[id] === value) }),
      ...(parts.length > 0 && { tokenElsewhere: holds(elsewhere, parts) }),
      refusedBefore: request.refusedBefore,
      refusedToken: holds([...elsewhere, credentials], refused),
      passwordElsewhere: holds(readingsOf(withoutBody), passwords),
      at: request.at / 1000,
      respondedAt: Number(request.respondedAt) / 1000
    }
  })
}

/** Headers of every HTTP client: a password that is an ordinary word may be part of their values. */
const STANDARD_HEADERS =
  /^(host|user-agent|accept.*|content-.*|connection|origin|sec-(?!websocket-protocol).*|access-control-.*|cache-control|pragma)$/

/** The paths that the scripted server names itself. */
const KNOWN_PATHS = /^\/(menu\/main|auth\/login|screen\/(first|second)|[\da-f]{8}\/Auth\/Step-1\.do)(?=\?|$)/

/** A run of so many characters of a token is a part of it, and no accident. */
const PART = 16

/**
 * Returns what a request can say: the parts that the client chooses itself, as they are and decoded.
 *
 * @param isStandard whether a header is left out
 */
function readingsOf(
  { path, headers, body }: Pick<Incoming, 'path' | 'headers' | 'body'>,
  isStandard = (name: string) => STANDARD_HEADERS.test(name)
): string[] {
  const own = Object.entries(headers).filter(([name]) => !isStandard(name))
  // Node reads headers as Latin-1.
  const values = own.flatMap(([, value = '']) => value).flatMap(one => [one, Buffer.from(one, 'latin1')])
  const text = [path.replace(KNOWN_PATHS, ''), ...values, body].join('\n')
  const once = percentDecoded(text)
  const twice = percentDecoded(once)
  const form = percentDecoded(text.replaceAll('+', ' '))
  const plain = [text, once, twice, percentDecoded(twice), form].flatMap(one => [
    one,
    one.replaceAll('+', ' '),
    unescaped(one)
  ])
  const coded = [...new Set(plain)].flatMap(one => [fromBase64(one), fromHex(one)])
  return [...new Set([...plain, ...coded, ...coded.map(percentDecoded)])]
}

function percentDecoded(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, run => Buffer.from(run.replaceAll('%', ''), 'hex').toString())
}

/** Undoes the escapes of JSON. */
function unescaped(text: string): string {
  const characters = text.replace(/\\u([\da-f]{4})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return characters.replace(/\\(["\\/])/g, '$1')
}

/** Base64 and Base64url. In a path a slash may be before it, so that it can begin anywhere in a word. */
function fromBase64(text: string): string {
  const words = text.match(/[\w+/-]{8,}/g) ?? []
  return words
    .flatMap(word => [0, 1, 2, 3].map(start => Buffer.from(word.slice(start), 'base64').toString()))
    .join('\n')
}

function fromHex(text: string): string {
  return (text.match(/[\da-f]{8,}/gi) ?? []).map(word => Buffer.from(word, 'hex').toString()).join('\n')
}

/** Returns the parts by which a token is recognized. */
function partsOf(token: string): string[] {
  if (token.length <= PART) return [token]
  const starts = Array.from({ length: token.length - PART + 1 }, (_, index) => index)
  return [...new Set(starts.map(start => token.slice(start, start + PART)))]
}
