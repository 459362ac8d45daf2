import type { HttpRequest } from './http.ts'

/** Returns requests as a command that a person can paste into a shell. Several go over one connection. */
export function curl(origin: string, requests: HttpRequest[]): string {
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
