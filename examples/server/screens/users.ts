import type { FastifyInstance } from 'fastify'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import type { ListScreen } from 'fastify-screen-auth/screens'
import { textsFor } from '../language.ts'
import type { UserStore } from '../user-store.ts'
import { SIGN_OUT_URL } from './sign-out.ts'

/** `GET /screen/users`: a List of all users. If sessions can be ended, choosing a row leads to the Card that does so. */
export async function usersScreen(
  app: FastifyInstance,
  { users, canSignOut }: { users: UserStore; canSignOut: boolean }
): Promise<void> {
  app.get('/screen/users', { schema: { response: { 200: ScreenContract } } }, async request => {
    const texts = textsFor(request)
    const all = await users.list()
    return {
      layout: 'List',
      title: texts.users.title,
      locale: texts.locale,
      lines: {
        columns: [
          { id: 'username', label: texts.username, type: 'Text', align: 'left', width: 20 },
          { id: 'display_name', label: texts.displayName, type: 'Text', align: 'left', width: 30 }
        ],
        rows: all.map((user, index) => ({ index, values: [user.username, user.displayName] })),
        row_count: all.length,
        ...(canSignOut && { on_select: SIGN_OUT_URL })
      }
    } satisfies ListScreen
  })
}
