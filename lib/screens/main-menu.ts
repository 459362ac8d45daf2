import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ScreenContract } from '../../schemas/generated/compiled.ts'
import { openMenu, operations } from '../../schemas/operations.ts'
import { sendJson, whileClientWaits } from '../http.ts'
import { documented } from '../openapi.ts'
import type { MainMenu, Settings } from '../options.ts'
import { isPromise } from '../tokens/token-service.ts'
import type { ScreenUser } from '../user.ts'
import { makeScreen, screenText } from './screen.ts'
import { withDisplayName } from './screen-hooks.ts'

const NEVER_ABORTED = new AbortController().signal

/** Adds `GET /menu/main`, which sends the same screen as a login (contract 4). */
export function menuRoute(scope: FastifyInstance, { enabled, mainMenu }: Settings): void {
  const { get } = operations['/menu/main']
  // To make a signal takes as long as the guard, so only a function that takes one, or returned a promise, gets one.
  let needsSignal = mainMenu.length > 2
  const observed: MainMenu = (...args) => {
    const screen = mainMenu(...args)
    needsSignal ||= isPromise(screen)
    return screen
  }
  scope.get('/menu/main', {
    config: documented(enabled ? get : openMenu),
    schema: { response: { 200: ScreenContract } },
    async handler(request, reply) {
      const make = (signal: AbortSignal) => mainMenuText(observed, request.screenUser, request, signal)
      return sendJson(reply, await (needsSignal ? whileClientWaits(request, make) : make(NEVER_ABORTED)))
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
