import type { Test } from 'tap'
import type { CheckServerOptions } from '../../index.ts'
import { explain } from '../../report/causes.ts'
import type { BrokenServer } from './broken.ts'
import { brokenGuards } from './broken-guards.ts'
import { brokenLogins } from './broken-logins.ts'
import { brokenTokens } from './broken-tokens.ts'
import { check } from './check.ts'

export const brokenServers = [...brokenGuards, ...brokenLogins, ...brokenTokens]

/** Each cause with what to do, and the cases that may name a server with that cause. */
const CAUSES: [text: RegExp, ids: RegExp][] = [
  [/^--protected \/screen\/own is .* Put the guard before that route/, /^protected-/],
  [/^GET \/menu\/main is served without a token\. Put the guard before every/, /^menu-without-token/],
  [/^the guard responds with (403|302 and .* \/auth\/login|200 and the login form), .* Respond/, /^menu-without-token/],
  [/^a 401 has a menu or a screen in its body\. End the request/, /^menu-without-token/],
  [/^a missing token gets 401, but an invalid token gets 403\. Respond/, /^invalid-token|^token-elsewhere/],
  [/^unknown routes get .* Run the guard before the router/, /^(unknown|browser)-without-token|^upgrade/],
  [/^the guard lets more paths .* example \/auth\/.* Compare the whole path/, /^below-login|^login-with-slash/],
  [/^the server still accepts an expired token\. Check the expiry/, /expired|^lifetime/],
  [/^the server accepts a token that it .* Verify/, /^jwt-|-token$|^token-in-other|^connection-after-token/],
  [/^the server accepts a token outside .* Read the token only/, /^token-|-elsewhere$|^cookie-of-login/],
  [/^a connection stays logged in .* Check the token of each request/, /^connection-after-|^pipelined/],
  [/^another spelling of a path .* Let the guard decide by the route/, /^menu-(odd-)?spellings/],
  [/^the server reads the body .* with (400|415|500), .* Put the guard before everything/, /^broken-body/],
  [/^[A-Z]+ \/auth\/login needs no token .* Only GET and POST/, /^methods/],
  [/^[A-Z]+(, [A-Z]+)*: the response comes .* Let the guard/, /methods$|^options|^cors-|^token-else/],
  [/^a header or a query .* Read nothing but Authorization/, /-headers$|^method-override|^menu-odd|^other-host/],
  [/^GET \/\S* gets its .* Put the guard before the handler/, /-routes$|^(favicon|root|unknown-without|upgrade)/],
  [/^the server refuses (GET|POST) .* are public/, /^form-is-public|^login-is-json|-(stale|expired)-token$/],
  [/^the server refuses a token that it .* Accept/, /admits|-with-token$|-(keeps-token|leaves-first|name-case)$/],
  [/^the server closes the connection of .* Look into its log/, /^unknown-user/],
  [/^the server accepts wrong or incomplete .* Accept/, /^(incomplete|malformed)-login|password|user|^login-cookie/],
  [/^the response to a rejected login .* Respond to wrong/, /^(rejection|long|odd)-|^unknown-user|^wrong-password/],
  [/^missing: \w+(, \w+)*\. Send these/, /^(form|login|reference)-|display-name$/],
  [/^the server still asks for a login, .* register neither/, /^open-/],
  [/^two users get the same token\. Issue/, /^second-token/],
  [/^a screen has the name or the menu of another user .* Take both/, /^(protected-)?second-/],
  [/^$/, /^(form|login|reference|second|known|forwarded|below|root|empty)-|-(routes|refused-body|forged-token)$/],
  [/^$/, /^(unknown|browser|invalid)-.*token$|^(open-|)menu-(is|display)|^protected-display|^upgrade|^favicon/]
]

export const unseen = new Set<unknown>(CAUSES)

/** Tests that the cases of a broken server fail or warn, and that one fault is one cause or one unexplained case. */
export function testBroken(
  t: Test,
  { name, ids, form, prefix, change, options }: BrokenServer,
  selection: CheckServerOptions
) {
  t.test(name, { buffered: true }, async t => {
    const { results } = await check(t, change, { ...options, ...selection }, form, prefix)
    const statuses = new Map(results.map(({ id, status }) => [id, status]))
    const { causes, others } = explain(results.filter(({ status }) => status === 'failed'))
    for (const id of ids) {
      t.match(statuses.get(id), /failed|warning/, id)
      const { what, todo } = causes.find(({ results }) => results.some(result => result.id === id)) ?? {}
      const cause = what === undefined ? '' : `${what} ${todo}`
      const row = CAUSES.find(([text, ids]) => text.test(cause) && ids.test(id))
      t.ok(row || statuses.get(id) === 'warning', `${id}: ${cause || 'no cause'}`)
      unseen.delete(row)
    }
    t.ok(causes.length + others.length <= ids.length, 'one fault is one paragraph', { causes, others })
  })
}
