import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ScreenContract } from '../../schemas/generated/compiled.ts'
import { operations, withoutLogin } from '../../schemas/operations.ts'
import { documented } from '../openapi/index.ts'
import { checkOption, isFunction, type ScreenUser, sendJson, whileClientWaits } from '../shared/index.ts'
import { makeScreen, screenText } from './screen.ts'
import { withDisplayName } from './screen-hook.ts'

/**
 * Returns the main menu, for login responses and for `GET /menu/main`. After an error or an invalid screen, the
 * response is a 500.
 *
 * @param user the logged-in user. Null in the no-auth mode: declare `ScreenUser | null` if your server may run in it
 * @param signal aborts when the client disconnects or the login times out. On `/menu/main`, the signal aborts only if
 * the function declares all three parameters
 */
export type MainMenu = (
  user: ScreenUser,
  request: FastifyRequest,
  signal: AbortSignal
) => ScreenContract | Promise<ScreenContract>

export interface ScreenOptions {
  /** Returns the main menu. Required. */
  mainMenu: MainMenu
}

/** @throws InvalidOptionError if `mainMenu` is not a function */
export function checkScreenOptions({ mainMenu }: ScreenOptions): ScreenOptions {
  checkOption(isFunction(mainMenu), 'mainMenu', 'must be a function that returns the main menu screen')
  return { mainMenu }
}

const NEVER_ABORTED = new AbortController().signal

/** Adds `GET /menu/main`, which sends the same screen as a login (contract 4). */
export function menuRoute(scope: FastifyInstance, { enabled, mainMenu }: ScreenOptions & { enabled: boolean }): void {
  const { get } = operations['/menu/main']
  scope.get('/menu/main', {
    config: documented(enabled ? get : withoutLogin(get)),
    schema: { response: { 200: ScreenContract } },
    async handler(request, reply) {
      const make = (signal: AbortSignal) => mainMenuText(mainMenu, request.screenUser, request, signal)
      // Creates a signal only if the function declares it, because this takes as long as the guard.
      return sendJson(reply, await (mainMenu.length > 2 ? whileClientWaits(request, make) : make(NEVER_ABORTED)))
    }
  })
}

/** @throws ScreenFailedError if `mainMenu` throws or does not return a screen */
export async function mainMenuText(
  mainMenu: MainMenu,
  user: ScreenUser | null,
  request: FastifyRequest,
  signal: AbortSignal
): Promise<string> {
  const screen = await makeScreen('mainMenu', () => mainMenu(user as ScreenUser, request, signal))
  return screenText('mainMenu', user === null ? screen : withDisplayName(screen, user))
}
