import type { Static } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import type { ListScreen } from 'fastify-screen-auth/screens'
import { Search, search } from '../search.ts'
import type { UserStore } from '../user-store.ts'
import { USER_URL } from './user.ts'

/** `GET /screen/users`: a List of the users, with `?query=` of those in whom a text is found. A row leads to a Card. */
export async function usersScreen(app: FastifyInstance, { users }: { users: UserStore }): Promise<void> {
  app.get<{ Querystring: Static<typeof Search> }>(
    '/screen/users',
    { schema: { querystring: Search, response: { 200: ScreenContract } } },
    async ({ query, texts }) => {
      const all = (await users.list()).map(({ username, displayName }) => [username, displayName])
      const { lines, ...status } = search(all, query.query, texts.users.none)
      return {
        layout: 'List',
        title: texts.users.title,
        ...texts.language,
        screen_id: 'users',
        parent_url: '/menu/main',
        ...status,
        lines: {
          columns: [
            { id: 'username', label: texts.username, type: 'Text', align: 'left', width: 20 },
            { id: 'display_name', label: texts.displayName, type: 'Text', align: 'left', width: 30 }
          ],
          ...lines,
          on_select: `${USER_URL}?username={0}`
        }
      } satisfies ListScreen
    }
  )
}
