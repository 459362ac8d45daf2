// The responses that a login must send, implemented a second time.
import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import type { Test } from 'tap'
import { ADA, host, MENU, PASSWORD } from '../helpers.ts'

export const JSON_TYPE = 'application/json'
export const RIGHT = JSON.stringify({ fields: { username: ADA.username, password: PASSWORD } })
export const LIMIT = 16_384

/** A host whose `checkCredentials` records its argument. */
export async function setUp(t: Test) {
  const received: Record<string, string>[] = []
  const app = await host(t, {
    throttle: false,
    checkCredentials: (fields: Record<string, string>) => {
      received.push(fields)
      return fields.username === ADA.username && fields.password === PASSWORD ? ADA : null
    }
  })
  await app.ready()
  const statuses = new Set<number>()

  /** Posts a body. Returns the response, and the fields that `checkCredentials` received: undefined when not called. */
  async function post(
    payload: string | Buffer,
    headers: Record<string, string> = { 'content-type': JSON_TYPE }
  ) {
    received.length = 0
    const response = await app.inject({ method: 'POST', url: '/auth/login', headers, payload })
    assertAuthResponse(response, received[0])
    statuses.add(response.statusCode)
    assert.ok(received.length <= 1)
    return { response, fields: received[0] }
  }

  /** Posts JSON, and compares with what is expected of it. */
  async function judge(payload: string | Buffer, headers?: Record<string, string>) {
    const { response, fields } = await post(payload, headers)
    const verdict = expected(Buffer.from(payload as string))
    assert.equal(response.statusCode, verdict.status)
    assert.deepEqual(fields && { ...fields }, verdict.fields && { ...verdict.fields })
  }
  return { app, received, statuses, post, judge }
}

interface LoginResponse {
  statusCode: number
  headers: Record<string, unknown>
  body: string
}

/** The response to any request is an AuthResponse, and a success only for the right credentials. */
export function assertAuthResponse(
  { statusCode, headers, body }: LoginResponse,
  fields: Record<string, string> | undefined
): void {
  assert.equal(headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(headers['cache-control'], 'no-store')
  const { success, token, error, screen, ...more } = JSON.parse(body)
  assert.deepEqual(Object.keys(JSON.parse(body)).sort(), ['error', 'screen', 'success', 'token'])
  assert.deepEqual(more, {})
  if (fields?.username === ADA.username && fields.password === PASSWORD) {
    assert.deepEqual([statusCode, success, error], [200, true, null])
    assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]{43}$/)
    assert.deepEqual(screen, { ...MENU, user_display_name: ADA.displayName })
  } else {
    assert.ok([200, 400, 413, 415].includes(statusCode), `status ${statusCode}`)
    assert.deepEqual([success, token, screen], [false, null, null])
    assert.ok(typeof error === 'string' && error !== '')
  }
}

/** What must happen to a body that is sent as JSON: the status, and the fields that reach `checkCredentials`. */
export function expected(body: Buffer): { status: number; fields?: Record<string, string> } {
  if (body.length > LIMIT) return { status: 413 }
  if (!isUtf8(body)) return { status: 400 }
  let value: unknown
  try {
    // Buffer keeps a byte order mark, and JSON refuses it.
    value = JSON.parse(body.toString())
  } catch {
    return { status: 400 }
  }
  if (countValues(body.toString()) > MOST_VALUES) return { status: 400 }
  if (isPoisoned(value) || !isObject(value) || !isObject(value.fields)) return { status: 400 }
  const entries = Object.entries(value.fields)
  const isText = (text: unknown) => typeof text === 'string' && !/\0|\p{Surrogate}/u.test(text)
  if (!entries.flat().every(isText)) return { status: 400 }
  const fields = Object.fromEntries(entries) as Record<string, string>
  return fields.username && fields.password ? { status: 200, fields } : { status: 200 }
}

/** How many strings, brackets and commas a login may have. */
const MOST_VALUES = 150

function countValues(json: string): number {
  let [count, isInString] = [0, false]
  for (let i = 0; i < json.length; i++) {
    if (isInString && json[i] === '\\') i++
    else if (json[i] === '"') {
      isInString = !isInString
      if (isInString) count++
    } else if (!isInString && '[{,'.includes(json[i] as string)) count++
  }
  return count
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a careless merge of this would reach a prototype. */
function isPoisoned(root: unknown): boolean {
  const rest = [root]
  while (rest.length > 0) {
    const value = rest.pop()
    if (typeof value !== 'object' || value === null) continue
    if (Object.hasOwn(value, '__proto__')) return true
    const own = Object.hasOwn(value, 'constructor') ? value.constructor : null
    if (typeof own === 'object' && own !== null && Object.hasOwn(own, 'prototype')) return true
    rest.push(...Object.values(value))
  }
  return false
}
