import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type { OpaqueTokens } from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import { textsFor } from '../language.ts'
import { Saved, type SavedCard } from '../saved.ts'
import type { UserStore } from '../user-store.ts'
import { readOnly } from './read-only.ts'

const PATH = '/screen/users/sign-out'

const Query = Type.Object({ username: Type.String() })

/** The URL of the Card that signs out the user in the first value of a row. */
export const SIGN_OUT_URL = `${PATH}?username={0}`

/** `GET` and `POST /screen/users/sign-out`: a Card that ends all sessions of a user. */
export async function signOutScreen(
  app: FastifyInstance,
  { users, tokens }: { users: UserStore; tokens: OpaqueTokens }
): Promise<void> {
  app.get<{ Querystring: Static<typeof Query> }>(
    PATH,
    { schema: { querystring: Query, response: { 200: ScreenContract } } },
    async (request, reply) => {
      const user = await users.find(request.query.username)
      if (user === null) return reply.callNotFound()
      const texts = textsFor(request)
      return {
        layout: 'Card',
        title: texts.signOut.title,
        locale: texts.locale,
        save_action: `${PATH}?${new URLSearchParams({ username: user.username })}`,
        save_label: texts.signOut.title,
        sections: [
          {
            id: 'user',
            label: texts.signOut.section,
            fields: [
              readOnly('username', texts.username, user.username),
              readOnly('display_name', texts.displayName, user.displayName)
            ]
          }
        ]
      } satisfies SavedCard
    }
  )

  // The user comes from the URL, because the fields of the form can be edited.
  app.post<{ Querystring: Static<typeof Query> }>(
    PATH,
    { schema: { querystring: Query, response: { 200: Saved } } },
    async (request, reply) => {
      const { username } = request.query
      if ((await users.find(username)) === null) return reply.callNotFound()
      await tokens.revokeAll(username)
      await app.screenAuth.forgetNetworks(username)
      request.log.info({ username, by: request.screenUser?.username }, 'signed out everywhere')
      return { success: true, message: textsFor(request).signOut.signedOut }
    }
  )
}
