import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type { OpaqueTokens } from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import type { ActionResponse, CardScreen } from 'fastify-screen-auth/screens'
import { textsFor } from '../language.ts'
import type { UserStore } from '../user-store.ts'
import { readOnly } from './read-only.ts'

export const USER_URL = '/screen/user'

const SIGN_OUT_URL = '/screen/user/sign-out'

const Query = Type.Object({ username: Type.String() })

/** `GET /screen/user`: a Card of a user. If sessions can be ended, it has a button for that, which asks first. */
export async function userScreen(
  app: FastifyInstance,
  { users, tokens }: { users: UserStore; tokens: OpaqueTokens | undefined }
): Promise<void> {
  app.get<{ Querystring: Static<typeof Query> }>(
    USER_URL,
    { schema: { querystring: Query, response: { 200: ScreenContract } } },
    async (request, reply) => {
      const user = await users.find(request.query.username)
      if (user === null) return reply.callNotFound()
      const texts = textsFor(request)
      const { signOut: label, confirm, section } = texts.user
      const { username, displayName, createdAt } = user
      const endpoint = `${SIGN_OUT_URL}?${new URLSearchParams({ username })}`
      return {
        layout: 'Card',
        title: displayName,
        ...texts.language,
        screen_id: 'user',
        record_id: username,
        parent_url: '/screen/users',
        sections: [
          {
            id: 'user',
            label: section,
            fields: [
              readOnly('username', texts.username, username),
              readOnly('display_name', texts.displayName, displayName),
              readOnly('created_at', texts.profile.memberSince, createdAt.slice(0, 10), 'Date')
            ]
          }
        ],
        ...(tokens && {
          screen_actions: [{ id: 'sign_out', label, kind: 'confirm', endpoint, confirm_message: confirm }]
        })
      } satisfies CardScreen
    }
  )

  if (tokens === undefined) return
  app.post<{ Querystring: Static<typeof Query> }>(
    SIGN_OUT_URL,
    { schema: { querystring: Query } },
    async (request): Promise<ActionResponse> => {
      const { username } = request.query
      const texts = textsFor(request).user
      if ((await users.find(username)) === null) return { success: false, error: texts.gone }
      await tokens.revokeAll(username)
      await app.screenAuth.forgetNetworks(username)
      request.log.info({ username, by: request.screenUser?.username }, 'signed out everywhere')
      return { success: true, message: texts.signedOut }
    }
  )
}
