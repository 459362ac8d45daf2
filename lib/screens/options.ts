import type { FastifyRequest } from 'fastify'
import type { ScreenContract } from '../../schemas/index.ts'
import { checkOption, isFunction, type ScreenUser } from '../shared/index.ts'

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

export const screenOptionNames = ['mainMenu']

/** @throws InvalidOptionError when `mainMenu` is wrong */
export function checkScreenOptions({ mainMenu }: ScreenOptions): ScreenOptions {
  checkOption(isFunction(mainMenu), 'mainMenu', 'must be a function that makes the main menu screen')
  return { mainMenu }
}
