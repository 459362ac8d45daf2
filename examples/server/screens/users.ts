import type { FastifyInstance } from 'fastify'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import type { UserStore } from '../user-store.ts'
import { signOutUrl } from './sign-out.ts'

/** `GET /screen/users`: a List of all users, with a link to sign each out if sessions can be ended. */
export async function usersScreen(
  app: FastifyInstance,
  { users, canSignOut }: { users: UserStore; canSignOut: boolean }
): Promise<void> {
  app.get('/screen/users', { schema: { response: { 200: ScreenContract } } }, async () => ({
    layout: 'List',
    title: 'Users',
    columns: [
      { id: 'username', label: 'Username' },
      { id: 'display_name', label: 'Display name' }
    ],
    rows: (await users.list()).map(({ username, displayName }) => ({
      username,
      display_name: displayName,
      ...(canSignOut && { action: { type: 'open_screen', url: signOutUrl(username) } })
    }))
  }))
}
