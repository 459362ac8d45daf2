import type { FastifyInstance } from 'fastify'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import { textsFor } from '../language.ts'
import type { UserStore } from '../user-store.ts'

/** `GET /screen/profile`: a Card with the stored data of the logged-in user. */
export async function profileScreen(app: FastifyInstance, { users }: { users: UserStore }): Promise<void> {
  app.get('/screen/profile', { schema: { response: { 200: ScreenContract } } }, async (request, reply) => {
    const user = await users.find(app.screenAuth.userOf(request).username)
    // The user was removed, but a JWT stays valid until it expires.
    if (user === null) return reply.callNotFound()
    const texts = textsFor(request)
    return {
      layout: 'Card',
      title: texts.profile.title,
      locale: texts.locale,
      sections: [
        {
          id: 'profile',
          label: texts.profile.title,
          fields: [
            { id: 'username', label: texts.username, type: 'Text', value: user.username },
            { id: 'display_name', label: texts.displayName, type: 'Text', value: user.displayName },
            { id: 'created_at', label: texts.profile.memberSince, type: 'Text', value: user.createdAt }
          ].map(field => ({ ...field, editable: false }))
        }
      ]
    }
  })
}
