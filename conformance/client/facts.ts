import { holds, readingsOf, secretsOf } from './readings.ts'
import { fieldsOf, jsonOf, KNOWN_PATHS, pathname, type RecordedRequest } from './recorded-request.ts'
import { placeOf, show } from './show-request.ts'

/** What the person enters into the form; undefined where the kit does not know. */
export interface Entered {
  username?: string | undefined
  password?: string | undefined
}

/** A request, and what the rules ask about it. */
export interface Facts extends RecordedRequest {
  respondedAt: number
  pathname: string
  /** The value of the body; undefined when it is no JSON. */
  json: unknown
  /** The fields of an AuthRequest. */
  fields: Record<string, unknown> | undefined
  /** The media type of the Content-Type, in lower case and without parameters. */
  mediaType: string | undefined
  /** Whether a submission has what was entered, unchanged; undefined where the kit does not know. */
  asEntered: boolean | undefined
  /** Whether there has been a token in this or an earlier scenario. */
  hasTokens: boolean
  /** Where a part of one is, other than in the Authorization header. */
  tokenIn: string | undefined
  /** Whether a token that has got a 401 before is anywhere. */
  refusedToken: boolean
  /** Where the password is, other than in the body of a submission. */
  passwordIn: string | undefined
  /** Whether the query of auth_action has the username. */
  usernameInQuery: boolean
  /** The method and the path, without anything that could be secret. */
  place: string
  /** The whole request, without any value: each could be the password. */
  shown: string
}

/**
 * Returns the facts about the requests of a scenario.
 *
 * @param earlierTokens those of the scenarios before, which the client may have stored
 */
export function factsOf(requests: RecordedRequest[], entered: Entered, earlierTokens: readonly string[]): Facts[] {
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
  const password = secretsOf(passwords, [])
  const token = secretsOf([], tokens.filter(isString))
  const all = secretsOf(passwords, tokens.filter(isString))
  const known = Object.entries(entered).filter(([, value]) => value !== undefined)

  return requests.map(request => {
    const { headers, body, submission, refused } = request
    const fields = fieldsOf(body)
    const places = placesOf(request)
    const isCredentials = ({ name }: Place) => name === 'the header authorization'
    // A token is no ordinary word, so it may be looked for in every header.
    const elsewhere = places.filter(place => !isCredentials(place))
    const forPassword = places.filter(
      place => !STANDARD_HEADERS.test(place.name) && !(place.name === 'the body' && submission)
    )
    return {
      ...request,
      respondedAt: Number(request.respondedAt),
      pathname: pathname(request),
      json: jsonOf(body),
      fields,
      mediaType: headers['content-type']?.split(';')[0]?.trim().toLowerCase(),
      asEntered:
        submission && known.length > 0 ? known.every(([id, value]) => Object(fields)[id] === value) : undefined,
      hasTokens: tokens.some(isString),
      tokenIn: elsewhere.find(({ readings }) => holds(readings, token))?.name,
      refusedToken: [...elsewhere.flatMap(({ readings }) => readings), headers.authorization ?? ''].some(reading =>
        refused.some(one => reading.includes(one))
      ),
      passwordIn: forPassword.find(({ readings }) => holds(readings, password))?.name,
      usernameInQuery: pathname(request) === request.authAction && isInQuery(usernames, request),
      get place() {
        return placeOf(request, all)
      },
      get shown() {
        return show(request, all)
      }
    }
  })
}

/** Headers of every HTTP client: a password that is an ordinary word may be part of their values. */
const STANDARD_HEADERS =
  /^the header (host|user-agent|accept.*|content-.*|connection|origin|sec-(?!websocket-protocol).*|access-control-.*|cache-control|pragma)$/

/** A part of a request that the client writes itself, in every reading. */
interface Place {
  name: string
  readings: string[]
}

/** The token of the session is no place: it holds no password. */
function placesOf({ path, headers, body, authorization }: RecordedRequest): Place[] {
  const names = Object.keys(headers).filter(name => name !== 'authorization' || authorization !== 'current')
  const own = names.map(name => {
    const value = String(headers[name])
    // Node reads headers as Latin-1.
    const inUtf8 = Buffer.from(value, 'latin1').toString()
    return { name: `the header ${name}`, readings: readingsOf(`${value}\n${inUtf8}`) }
  })
  const address = { name: 'the address', readings: readingsOf(path.replace(KNOWN_PATHS, '')) }
  return [address, ...own, { name: 'the body', readings: readingsOf(body.toString()) }]
}

/** Returns whether a value of the query is one of the words. */
function isInQuery(words: readonly unknown[], { path }: RecordedRequest): boolean {
  const [, ...parts] = path.split(/[?&;]/)
  return parts
    .flatMap(part => readingsOf(part.slice(part.indexOf('=') + 1)))
    .some(reading => reading.split('\n').some(line => line !== '' && words.includes(line)))
}
