import type { FastifyInstance } from 'fastify'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import type { CardScreen } from 'fastify-screen-auth/screens'
import type { UserStore } from '../user-store.ts'
import { readOnly, readOnlyDay } from './read-only.ts'

/** `GET /screen/profile`: a Card with the stored data of the logged-in user. */
export async function profileScreen(app: FastifyInstance, { users }: { users: UserStore }): Promise<void> {
  app.get('/screen/profile', { schema: { response: { 200: ScreenContract } } }, async (request, reply) => {
    const user = await users.find(app.screenAuth.userOf(request).username)
    // The user was removed, but a JWT stays valid until it expires.
    if (user === null) return reply.callNotFound()
    const texts = request.texts
    return {
      layout: 'Card',
      title: texts.profile.title,
      ...texts.language,
      parent_url: '/menu/main',
      sections: [
        {
          id: 'profile',
          label: texts.profile.title,
          fields: [
            readOnly('username', texts.username, user.username),
            readOnly('display_name', texts.displayName, user.displayName),
            readOnlyDay('created_at', texts.profile.memberSince, user.createdAt, texts)
          ]
        }
      ]
    } satisfies CardScreen
  })
}
