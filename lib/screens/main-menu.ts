import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ScreenContract } from '../../schemas/generated/compiled.ts'
import { menuWithoutLogin, operations } from '../../schemas/operations.ts'
import { sendJson, whileClientWaits } from '../base/http.ts'
import type { ScreenUser } from '../base/user.ts'
import { logOnce } from '../base/warnings.ts'
import { documented } from '../host/openapi.ts'
import type { MainMenu, Settings } from '../options.ts'
import { makeScreen, screenJson, setDisplayName } from './screen.ts'

/** Adds `GET /menu/main`, which sends the same screen as a login (contract 4). */
export function menuRoute(scope: FastifyInstance, { enabled, mainMenu }: Settings): void {
  const { get } = operations['/menu/main']
  scope.get('/menu/main', {
    config: documented(enabled ? get : menuWithoutLogin),
    schema: { response: { 200: ScreenContract } },
    async handler(request, reply) {
      const user = request.screenUser as ScreenUser
      const make = () => whileClientWaits(request, signal => mainMenu(user, request, signal))
      return sendJson(reply, await mainMenuJson(make, request))
    }
  })
}

/** Returns the main menu that `make` returns, with the name of the user, as JSON. */
export async function mainMenuJson(make: () => ReturnType<MainMenu>, request: FastifyRequest): Promise<string> {
  const screen = await makeScreen('mainMenu', make)
  if (request.screenUser) setDisplayName(screen, request.screenUser)
  const text = screenJson('mainMenu', screen)
  // Not awaited: a login has a time limit. Rejects for a menu that is nested too deeply to check.
  checkMenu(text, request).catch(() => {})
  return text
}

/** The menus of users may differ, so a scope checks several. A check takes 0.1 ms: too long for each menu. */
const MAX_CHECKS = 100

/** The number of menus checked so far, by scope. */
const checked = new WeakMap<object, number>()

/** Logs once if known clients cannot draw the main menu, as known-screen.schema.json describes them. */
async function checkMenu(text: string, request: FastifyRequest): Promise<void> {
  const count = checked.get(request.server) ?? 0
  if (count === MAX_CHECKS || text.length > 100_000) return
  checked.set(request.server, count + 1)
  const { screenError } = await import('../../schemas/generated/known-screen.ts')
  // Known clients read null as a missing property.
  const error = screenError(JSON.parse(text, (_, value) => value ?? undefined))
  const fix = 'use the type `MenuScreen`, or ignore this if you have only clients of your own'
  if (error) logOnce(request.server, request, `known clients cannot draw the main menu: ${error}; ${fix}`)
}
