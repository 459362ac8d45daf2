import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ScreenContract } from '../../schemas/generated/compiled.ts'
import { openMenu, operations } from '../../schemas/operations.ts'
import { logOnce } from '../base/events.ts'
import { sendJson, whileClientWaits } from '../base/http.ts'
import { isPromise } from '../base/promises.ts'
import type { ScreenUser } from '../base/user.ts'
import { documented } from '../host/openapi.ts'
import type { MainMenu, Settings } from '../options.ts'
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
  const text = screenText('mainMenu', user === null ? screen : withDisplayName(screen, user))
  // Not awaited: a login has a time limit. Rejects for a menu that is nested too deeply to check.
  checkMenu(text, request).catch(() => {})
  return text
}

/** The menus of users may differ, so a server checks several. A check takes 0.1 ms: too long for each menu. */
const MAX_CHECKS = 100

/** The number of menus checked so far, by server. */
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
