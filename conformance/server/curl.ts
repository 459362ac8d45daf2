import type { HttpRequest } from './http.ts'

/** Returns requests as one curl command for a shell. curl sends several requests on one connection. */
export function curl(origin: string, requests: HttpRequest[]): string {
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
