import type { FastifyInstance } from 'fastify'
import { ScreenContract } from '../schemas/index.ts'
import type { Settings } from './options.ts'
import { makeScreen } from './screens.ts'

/** `GET /menu/main`: the same screen as in the answer to a login (contract 4). */
export async function menuRoute(
  scope: FastifyInstance,
  { settings: { mainMenu } }: { settings: Settings }
): Promise<void> {
  scope.get('/menu/main', {
    schema: { response: { 200: ScreenContract } },
    handler: request => makeScreen('mainMenu', () => mainMenu(request.screenUser, request))
  })
}
