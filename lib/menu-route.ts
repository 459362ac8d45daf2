import type { FastifyInstance } from 'fastify'
import { ScreenContract } from '../schemas/index.ts'
import { operations, withoutLogin } from '../schemas/operations.ts'
import { documented } from './openapi.ts'
import type { Settings } from './options.ts'
import { makeScreen } from './screens.ts'

/** `GET /menu/main`: the same screen as in the answer to a login (contract 4). */
export async function menuRoute(
  scope: FastifyInstance,
  { settings: { enabled, mainMenu } }: { settings: Settings }
): Promise<void> {
  const { get } = operations['/menu/main']
  scope.get('/menu/main', {
    config: documented(enabled ? get : withoutLogin(get)),
    schema: { response: { 200: ScreenContract } },
    handler: request => makeScreen('mainMenu', () => mainMenu(request.screenUser, request))
  })
}
