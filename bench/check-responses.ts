import { isDeepStrictEqual } from 'node:util'
import type { Request } from 'autocannon'
import type { Contender, Refusal } from './contenders.ts'
import type { Server } from './server.ts'
import { DISPLAY_NAME, formText, loggedIn, menuOf } from './servers/data.js'
import { expiredToken, tokenOf, withWrongSignature } from './tokens.ts'
import { form, login, menuWith, menuWithout } from './traffic.ts'

/** The valid token of a server. */
export function validToken(server: Server): string {
  return server.token ?? tokenOf(0)
}

/** A request that a server must refuse for this reason. */
export function refused(server: Server, refusal: Refusal): Request {
  if (refusal === 'none') return menuWithout
  const tokens = {
    // As long as the headers of a browser with many cookies: Node takes up to 16 KiB of them.
    garbage: 'x'.repeat(7 * 1024),
    signature: withWrongSignature(validToken(server)),
    expired: expiredToken()
  }
  return menuWith([tokens[refusal]])[0] as Request
}

/**
 * Checks that a server sends the same responses as all others: only then is a comparison meaningful.
 *
 * @throws an error that names the server and the difference
 */
export async function checkResponses({ name, refuses, serves }: Contender, server: Server): Promise<void> {
  const menu = menuWith([validToken(server)])[0] as Request
  await expectJson(name, server, menu, menuOf(DISPLAY_NAME))
  const [screen] = menuWith([validToken(server)], '/screen') as [Request]
  if (serves.includes('screen')) await expectJson(name, server, screen, menuOf(DISPLAY_NAME))
  for (const refusal of refuses) await expect401(name, server, refusal)
  if (serves.includes('form')) await expectJson(name, server, form, JSON.parse(formText))
  if (serves.includes('login')) await checkLogin(name, server)
}

async function checkLogin(name: string, server: Server): Promise<void> {
  const body = await expect200(name, server, login)
  const { token } = body as { token: unknown }
  demandSame(name, login, body, loggedIn(token))
  if (typeof token !== 'string' || token === '') throw new Error(`${name}: the login has no token`)
}

async function expectJson(name: string, server: Server, request: Request, expected: unknown): Promise<void> {
  demandSame(name, request, await expect200(name, server, request), expected)
}

function demandSame(name: string, { method, path }: Request, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return
  throw new Error(
    `${name}: ${method} ${path} responds with ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`
  )
}

async function expect200(name: string, server: Server, request: Request): Promise<unknown> {
  const response = await sendTo(server, request)
  const text = await response.text()
  if (response.status === 200) return JSON.parse(text)
  throw new Error(
    `${name}: ${request.method} ${request.path} responds with ${response.status} instead of 200: ${text}`
  )
}

async function expect401(name: string, server: Server, refusal: Refusal): Promise<void> {
  const response = await sendTo(server, refused(server, refusal))
  await response.arrayBuffer()
  if (response.status === 401) return
  throw new Error(`${name}: responds with ${response.status} instead of 401 (${refusal})`)
}

function sendTo({ origin }: Server, { path, ...request }: Request): Promise<Response> {
  return fetch(new URL(path, origin), request)
}
