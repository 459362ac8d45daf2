import type { HttpRequest } from './http.ts'
import { changeJwt, type Keys, parseJwt } from './jwt.ts'
import type { CaseRequest, TokenKind } from './server-case.ts'
import { changeToken } from './tokens.ts'
import type { Values } from './values.ts'

/** A request to send, and its form in a report, with a placeholder in angle brackets for each secret. */
export interface PreparedRequest {
  sent: HttpRequest
  masked: HttpRequest
  template: CaseRequest
  token: TokenKind
  /** A changed token, and its placeholder. */
  changed?: [token: string, word: string]
}

/** Returns undefined if the token cannot be changed as demanded. `shown` is the same request with masked values. */
export function prepareRequest(
  template: CaseRequest,
  shown: CaseRequest,
  values: Values,
  keys: Keys
): PreparedRequest | undefined {
  const token = tokenOf(template, values, keys)
  if (token === undefined && template.bearer !== undefined) return undefined
  const word = typeof shown.bearer === 'object' ? `<token, ${describeChange(shown.bearer)}>` : shown.bearer
  const masked = build(shown, values, word)
  return {
    sent: build(template, values, token),
    // The placeholders in a path were percent-encoded with the path.
    masked: { ...masked, path: masked.path.replace(/%3C[\w%, ]+?%3E/g, decodeURIComponent) },
    template,
    token: template.token ?? (token === undefined ? 'none' : values.isIssued(token) ? 'valid' : 'invalid'),
    ...(typeof template.bearer === 'object' && { changed: [token as string, word as string] })
  }
}

function tokenOf({ bearer }: CaseRequest, values: Values, keys: Keys): string | undefined {
  if (typeof bearer !== 'object') return bearer
  const { token } = values
  if ('token' in bearer) return changeToken(token, bearer.token)
  const jwt = parseJwt(token)
  return jwt && changeJwt(jwt, bearer.jwt, keys)
}

const describeChange = (change: Exclude<CaseRequest['bearer'], string | undefined>) =>
  'token' in change ? change.token : JSON.stringify(change.jwt)

function build(
  { method, path, absolute, headers = {}, json, body, chunked }: CaseRequest,
  { origin, base }: Values,
  token: string | undefined
): HttpRequest {
  const lines = Object.entries(headers)
  if (token !== undefined) lines.push(['Authorization', `Bearer ${token}`])
  if (json !== undefined && headers['Content-Type'] === undefined) lines.push(['Content-Type', 'application/json'])
  const content = json === undefined ? body : JSON.stringify(json)
  return {
    method,
    path: (absolute ? origin : '') + base + path,
    headers: lines,
    ...(content !== undefined && { body: content }),
    ...(chunked && { chunked })
  }
}
