import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ScreenContract } from '../../schemas/generated/compiled.ts'
import { operations, withoutLogin } from '../../schemas/operations.ts'
import { sendJson, whileClientWaits } from '../http.ts'
import { documented } from '../openapi.ts'
import type { MainMenu, Settings } from '../options.ts'
import type { ScreenUser } from '../user.ts'
import { makeScreen, screenText } from './screen.ts'
import { withDisplayName } from './screen-hook.ts'

/** Adds `GET /menu/main`, which sends the same screen as a login (contract 4). */
export function menuRoute(scope: FastifyInstance, { enabled, mainMenu }: Settings): void {
  const { get } = operations['/menu/main']
  scope.get('/menu/main', {
    config: documented(enabled ? get : withoutLogin(get)),
    schema: { response: { 200: ScreenContract } },
    async handler(request, reply) {
      const make = (signal: AbortSignal) => mainMenuText(mainMenu, request.screenUser, request, signal)
      return sendJson(reply, await whileClientWaits(request, make))
    }
  })
}

export async function mainMenuText(
  mainMenu: MainMenu,
  user: ScreenUser | null,
  request: FastifyRequest,
  signal: AbortSignal
): Promise<string> {
  const screen = await makeScreen('mainMenu', () => mainMenu(user as ScreenUser, request, signal))
  return screenText('mainMenu', user === null ? screen : withDisplayName(screen, user))
}
