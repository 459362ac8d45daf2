import type { FastifyInstance } from 'fastify'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import type { ListScreen } from 'fastify-screen-auth/screens'
import { textsFor } from '../language.ts'
import type { UserStore } from '../user-store.ts'
import { USER_URL } from './user.ts'

/** `GET /screen/users`: a List of all users. A row leads to the Card of the user. */
export async function usersScreen(app: FastifyInstance, { users }: { users: UserStore }): Promise<void> {
  app.get('/screen/users', { schema: { response: { 200: ScreenContract } } }, async request => {
    const texts = textsFor(request)
    const all = await users.list()
    return {
      layout: 'List',
      title: texts.users.title,
      ...texts.language,
      parent_url: '/menu/main',
      lines: {
        columns: [
          { id: 'username', label: texts.username, type: 'Text', align: 'left', width: 20 },
          { id: 'display_name', label: texts.displayName, type: 'Text', align: 'left', width: 30 }
        ],
        rows: all.map((user, index) => ({ index, values: [user.username, user.displayName] })),
        row_count: all.length,
        on_select: `${USER_URL}?username={0}`
      }
    } satisfies ListScreen
  })
}
