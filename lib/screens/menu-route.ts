import type { FastifyInstance } from 'fastify'
import { ScreenContract } from '../../schemas/generated/compiled.ts'
import { operations, withoutLogin } from '../../schemas/operations.ts'
import type { Settings } from '../options.ts'
import { withDeadline } from '../shared/client-signal.ts'
import { documented } from '../shared/openapi.ts'
import { sendJson } from '../shared/reply.ts'
import { withDisplayName } from './display-name.ts'
import { makeScreen, screenText } from './screen.ts'

/** Is never aborted. */
const NEVER = new AbortController().signal

/** `GET /menu/main`: the same screen as in the answer to a login (contract 4). */
export async function menuRoute(
  scope: FastifyInstance,
  { settings: { enabled, mainMenu } }: { settings: Settings }
): Promise<void> {
  const { get } = operations['/menu/main']
  scope.get('/menu/main', {
    config: documented(enabled ? get : withoutLogin(get)),
    schema: { response: { 200: ScreenContract } },
    async handler(request, reply) {
      const { screenUser: user } = request
      const make = (signal: AbortSignal) => makeScreen('mainMenu', () => mainMenu(user, request, signal))
      // To make a signal takes as long as to guard the route: only for a function that takes one.
      const screen = mainMenu.length > 2 ? await withDeadline(request, undefined, make) : await make(NEVER)
      return sendJson(reply, screenText('mainMenu', user === null ? screen : withDisplayName(screen, user)))
    }
  })
}
