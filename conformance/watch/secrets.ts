import { decodingsOf, folded, spaced, spellingsOf } from '../report/decodings.ts'
import { KNOWN_PATHS, type RecordedRequest } from './recorded-request.ts'

/** In characters. A text does not contain so much of a token by accident. */
const FRAGMENT = 16

/** The most secrets to search for, and their longest length, because a client may be in an endless loop of logins. */
const MOST = 50
const LONGEST = 8192

/** Returns the words to search for: each password, and each token in fragments, because a client may cut a token. */
export function secretsOf(passwords: Iterable<string>, tokens: Iterable<string>): string[] {
  const fragments = [...new Set(tokens)]
    .slice(0, MOST)
    .flatMap(spellingsOf)
    .flatMap(token => (token.length < FRAGMENT ? [token] : (token.slice(0, LONGEST).match(/.{16}/gs) as string[])))
  const words = [...[...new Set(passwords)].slice(0, MOST).flatMap(spellingsOf), ...fragments]
  return [...new Set(words.map(spaced))]
}

export const textsOf = (text: string): string[] => decodingsOf(text).map(decoding => spaced(decoding.text))

export const containSecret = (texts: readonly string[], secrets: readonly string[]) =>
  texts.some(text => secrets.some(secret => text.includes(secret)))

/** Returns the method and the path of a request, and the parameter names in its query. */
export function placeOf({ method, path }: RecordedRequest, secrets: readonly string[]): string {
  const known = KNOWN_PATHS.exec(path)?.[0] ?? ''
  const rest = path
    .slice(known.length)
    .replace(/^[^?]+/, segments => segments.replace(/[^/]{24,}/g, '<long>'))
    .replace(/([?&;])([^=&;]*=)?[^&;]+/g, '$1$2<value>')
  return `${method} ${known}${readable(rest, secrets)}`
}

/** Returns a request in one line, without any value, because each value could be the password. */
export function show(request: RecordedRequest, secrets: readonly string[]): string {
  const { headers, body, authorization } = request
  const parts = {
    authorization: headers.authorization && showCredentials(headers.authorization, authorization),
    'content-type': headers['content-type'] && readable(headers['content-type'], secrets),
    cookie: headers.cookie && readable(headers.cookie.replace(/=[^;]*/g, '=<value>'), secrets)
  }
  const named = Object.entries(parts).filter(([, text]) => text !== undefined)
  return [
    placeOf(request, secrets),
    ...named.map(([name, text]) => `${name}: ${text}`),
    ...(body.length > 0 ? [readable(showBody(body), secrets)] : [])
  ].join(' | ')
}

/** Returns a text for the report. Hides a text that contains a secret, as even a name may, and cuts a long text. */
function readable(text: string, secrets: readonly string[]): string {
  if (containSecret(textsOf(text).map(folded), secrets.map(folded))) return '<hidden: contains a secret>'
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}

function showCredentials(value: string, kind: RecordedRequest['authorization']): string {
  if (kind === 'empty') return value
  const [, scheme = '', rest = value] = /^(\w{1,8}) +(.*)$/s.exec(value) ?? []
  const words = { current: '<the token>', refused: '<a refused token>', stored: '<a stored token>' }
  const what = words[kind as keyof typeof words] ?? `<something else, ${rest.length} characters>`
  return `${scheme} ${what}`.trim()
}

/** Returns the JSON of a body, with each value replaced by its type. */
function showBody(body: Buffer): string {
  try {
    return JSON.stringify(JSON.parse(body.toString()), (_, value) =>
      typeof value === 'object' && value !== null ? value : `<${value === null ? 'null' : typeof value}>`
    )
  } catch {
    return `<${body.length} bytes that are not JSON>`
  }
}
