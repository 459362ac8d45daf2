import { spaced } from '../report/decodings.ts'
import { fieldsOf, jsonOf, KNOWN_PATHS, pathname, type RecordedRequest } from './recorded-request.ts'
import { containSecret, placeOf, secretsOf, show, textsOf } from './secrets.ts'

/** The values that the person enters into the form; undefined if the kit does not know them. */
export interface Entered {
  username?: string | undefined
  password?: string | undefined
}

/** A request with the facts that the rules check. */
export type Facts = ReturnType<typeof factsOf>[number]

/** @param earlierTokens the tokens of the previous scenarios, which the client may have stored */
export function factsOf(requests: RecordedRequest[], entered: Entered, earlierTokens: readonly string[]) {
  const isString = (value: unknown): value is string => typeof value === 'string'
  const submitted = requests
    .filter(({ submission, outcome }) => submission || outcome === 'malformed login')
    .map(({ body }) => fieldsOf(body) ?? {})
  const usernames = [entered.username, ...submitted.map(({ username }) => username)].filter(isString).map(spaced)
  const passwords = [entered.password, ...submitted.map(({ password }) => password)]
    .filter(isString)
    // Searches for the password without spaces at its ends, because Node trims headers.
    .map(password => password.trim())
    .filter(password => password.length > 3 && !usernames.includes(spaced(password)))
  const tokens = [...earlierTokens, ...requests.flatMap(({ token, refused }) => [token, ...refused])].filter(isString)
  const password = secretsOf(passwords, [])
  const token = secretsOf([], tokens)
  const all = [...password, ...token]
  const known = Object.entries(entered).filter(([, value]) => value !== undefined)

  return requests.map((request, index) => {
    const { headers, body, submission, refused } = request
    const fields = fieldsOf(body)
    const places = placesOf(request)
    const isCredentials = ({ name }: Place) => name === 'the header authorization'
    // Searches every header for tokens, because a token is not an ordinary word.
    const elsewhere = places.filter(place => !isCredentials(place))
    const forPassword = places.filter(
      place => !STANDARD_HEADERS.test(place.name) && !(place.name === 'the body' && submission)
    )
    return {
      ...request,
      isFirst: index === 0,
      respondedAt: Number(request.respondedAt),
      pathname: pathname(request),
      json: jsonOf(body),
      fields,
      /** The media type of the Content-Type, in lower case and without parameters. */
      mediaType: headers['content-type']?.split(';')[0]?.trim().toLowerCase(),
      /** Whether the client submitted the entered values unchanged; undefined if the kit cannot tell. */
      asEntered:
        submission && known.length > 0 ? known.every(([id, value]) => Object(fields)[id] === value) : undefined,
      /** Whether the client has had a token, in this or an earlier scenario. */
      hasTokens: tokens.length > 0,
      /** The places outside of the Authorization header that contain a part of a token. */
      tokenIn: namesOf(elsewhere, token),
      /** Whether any part of the request contains a token that had got a 401. */
      refusedToken: [...elsewhere.flatMap(({ decodings }) => decodings), headers.authorization ?? ''].some(text =>
        refused.some(one => spaced(text).includes(spaced(one)))
      ),
      /** The places outside of the body of a submission that contain the password. */
      passwordIn: namesOf(forPassword, password),
      usernameInQuery: pathname(request) === request.authAction && isInQuery(usernames, request),
      /** The method and the path, with secrets masked. */
      get place() {
        return placeOf(request, all)
      },
      /** The request without any value, because each value could be the password. */
      get shown() {
        return show(request, all)
      }
    }
  })
}

/** Headers of every HTTP client. If a password is an ordinary word, these headers may contain it by accident. */
const STANDARD_HEADERS =
  /^the header (host|user-agent|accept.*|content-.*|connection|origin|sec-(?!websocket-protocol).*|access-control-.*|cache-control|pragma)$/

/** A part of a request, with its text in every decoding. */
interface Place {
  name: string
  decodings: string[]
}

/** Returns the places to search. Omits an Authorization header with the current token, because it has no password. */
function placesOf({ path, headers, body, authorization }: RecordedRequest): Place[] {
  const names = Object.keys(headers).filter(name => name !== 'authorization' || authorization !== 'current')
  const own = names.map(name => {
    return { name: `the header ${name}`, decodings: textsOf(String(headers[name])) }
  })
  const url = { name: 'the URL', decodings: textsOf(path.replace(KNOWN_PATHS, '')) }
  return [url, ...own, { name: 'the body', decodings: textsOf(body.toString()) }]
}

/** Returns the names of the places that contain a secret; undefined if there is none. */
function namesOf(places: Place[], secrets: string[]): string | undefined {
  const names = places.filter(({ decodings }) => containSecret(decodings, secrets)).map(({ name }) => name)
  return new Intl.ListFormat('en').format(names) || undefined
}

function isInQuery(words: readonly unknown[], { path }: RecordedRequest): boolean {
  const [, ...parts] = path.split(/[?&;]/)
  return parts
    .flatMap(part => textsOf(part.slice(part.indexOf('=') + 1)))
    .some(text => text.split('\n').some(line => line !== '' && words.includes(line)))
}
