import { fieldsOf, jsonOf, pathname, type RecordedRequest } from './recorded-request.ts'
import { partsOf, readingsOf } from './secrets.ts'

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
