import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ScreenContract } from '../../schemas/generated/compiled.ts'
import { operations, withoutLogin } from '../../schemas/operations.ts'
import { documented } from '../openapi/index.ts'
import { checkOption, isFunction, type ScreenUser, sendJson, whileClientWaits } from '../shared/index.ts'
import { withDisplayName } from './display-name.ts'
import { makeScreen, screenText } from './screen.ts'

/**
 * Makes the first screen after the login, also served at `/menu/main`. A throw, or a return value that is no screen, is
 * a 500.
 *
 * @param user null in the no-auth mode
 * @param signal aborted when nobody waits any more; at `/menu/main` only for a function that names all three parameters
 */
export type MainMenu = (
  user: ScreenUser | null,
  request: FastifyRequest,
  signal: AbortSignal
) => ScreenContract | Promise<ScreenContract>

export interface ScreenOptions {
  /** Makes the main menu. Required. */
  mainMenu: MainMenu
}

/** @throws InvalidOptionError when `mainMenu` is wrong */
export function checkScreenOptions({ mainMenu }: ScreenOptions): ScreenOptions {
  checkOption(isFunction(mainMenu), 'mainMenu', 'must be a function that makes the main menu screen')
  return { mainMenu }
}

/** Is never aborted. */
const NEVER = new AbortController().signal

/** `GET /menu/main`: the same screen as in the response to a login (contract 4). */
export async function menuRoute(
  scope: FastifyInstance,
  { settings: { enabled, mainMenu } }: { settings: ScreenOptions & { enabled: boolean } }
): Promise<void> {
  const { get } = operations['/menu/main']
  scope.get('/menu/main', {
    config: documented(enabled ? get : withoutLogin(get)),
    schema: { response: { 200: ScreenContract } },
    async handler(request, reply) {
      const make = (signal: AbortSignal) => mainMenuText(mainMenu, request.screenUser, request, signal)
      // To make a signal takes as long as to guard the route: only for a function that takes one.
      return sendJson(reply, await (mainMenu.length > 2 ? whileClientWaits(request, make) : make(NEVER)))
    }
  })
}

/**
 * The main menu as JSON, with the name of its user.
 *
 * @throws ScreenFailedError when `mainMenu` throws or returns something else than a screen
 */
export async function mainMenuText(
  mainMenu: MainMenu,
  user: ScreenUser | null,
  request: FastifyRequest,
  signal: AbortSignal
): Promise<string> {
  const screen = await makeScreen('mainMenu', () => mainMenu(user, request, signal))
  return screenText('mainMenu', user === null ? screen : withDisplayName(screen, user))
}
