import type { HttpRequest } from './http.ts'

/** Returns a request as a command that a person can paste into a shell. */
export function curl(origin: string, { method, path, headers, body }: HttpRequest): string {
  const parts = ['curl -i --path-as-is']
  if (method === 'HEAD') parts.push('--head')
  else if (method !== (body === undefined ? 'GET' : 'POST')) parts.push(`-X ${method}`)
  parts.push(quote(origin + path))
  // With a semicolon, curl sends a header that has no value.
  for (const [name, value] of headers)
    parts.push(`-H ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`)
  if (body !== undefined) parts.push(`--data-raw ${quote(body)}`)
  return parts.join(' ')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
