import type { FastifyInstance } from 'fastify'
import type { ScreenUser } from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import type { UserStore } from '../user-store.ts'

/** `GET /screen/profile`: a Card with the stored data of the logged-in user. */
export async function profileScreen(app: FastifyInstance, { users }: { users: UserStore }): Promise<void> {
  app.get('/screen/profile', { schema: { response: { 200: ScreenContract } } }, async (request, reply) => {
    const { username } = request.screenUser as ScreenUser
    const user = await users.find(username)
    // The user was removed, but a JWT stays valid until it expires.
    if (user === null) return reply.callNotFound()
    return {
      layout: 'Card',
      title: 'Profile',
      sections: [
        {
          id: 'profile',
          label: 'Profile',
          fields: [
            { id: 'username', label: 'Username', type: 'Text', value: user.username },
            { id: 'display_name', label: 'Display name', type: 'Text', value: user.displayName },
            { id: 'created_at', label: 'Member since', type: 'Text', value: user.createdAt }
          ].map(field => ({ ...field, editable: false }))
        }
      ]
    }
  })
}
