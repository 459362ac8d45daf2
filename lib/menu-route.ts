import type { FastifyInstance } from 'fastify'
import { ScreenContract } from '../schemas/compiled.ts'
import { operations, withoutLogin } from '../schemas/operations.ts'
import { withDisplayName } from './display-name.ts'
import { documented } from './openapi.ts'
import type { Settings } from './options.ts'
import { makeScreen, screenText } from './screens.ts'
import { sendJson } from './send-json.ts'

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
      const screen = await makeScreen('mainMenu', () => mainMenu(user, request))
      return sendJson(reply, screenText('mainMenu', user === null ? screen : withDisplayName(screen, user)))
    }
  })
}
