import { containSecret, decodingsOf, type Secrets } from './decodings.ts'
import { KNOWN_PATHS, pathname, type RecordedRequest } from './recorded-request.ts'

/** Longest text in a report, in characters. */
const LONGEST = 300

/** Returns the method and the path of a request, and the parameter names in its query. */
export function placeOf(request: RecordedRequest, secrets: Secrets): string {
  const { method, path } = request
  const known = KNOWN_PATHS.exec(path)?.[0] ?? ''
  const rest = pathname(request).slice(known.length)
  const query = path.slice(known.length + rest.length).replace(/([?&;])([^=&;]*=)?[^&;]+/g, '$1$2<value>')
  return `${method} ${known}${readable(rest.replace(/[^/]{24,}/g, '<long>') + query, secrets)}`
}

/** Returns a request in one line, without any value, because each value could be the password. */
export function show(request: RecordedRequest, secrets: Secrets): string {
  const { headers, body, authorization } = request
  const parts = [placeOf(request, secrets)]
  const add = (name: string, text: string) => parts.push(`${name}: ${readable(text, secrets)}`)
  if (headers.authorization !== undefined)
    parts.push(`authorization: ${showCredentials(headers.authorization, authorization)}`)
  if (headers['content-type'] !== undefined) add('content-type', headers['content-type'])
  if (headers.cookie !== undefined) add('cookie', headers.cookie.replace(/=[^;]*/g, '=<value>'))
  if (body.length > 0) parts.push(readable(showBody(body), secrets))
  return parts.join(' | ')
}

/** Returns a text for the report. Hides a text that contains a secret, as even a name may, and cuts a long text. */
function readable(text: string, secrets: Secrets): string {
  if (containSecret(decodingsOf(text), secrets)) return '<hidden: contains a secret>'
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
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
