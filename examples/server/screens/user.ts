import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { OpaqueTokens } from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import type { ActionResponse, CardScreen } from 'fastify-screen-auth/screens'
import type { UserStore } from '../user-store.ts'
import { readOnly, readOnlyDay } from './read-only.ts'

export const USER_URL = '/screen/user'

const SIGN_OUT_URL = '/screen/user/sign-out'

const Query = Type.Object({ username: Type.String() })

interface Route {
  Querystring: Static<typeof Query>
}

/**
 * `GET /screen/user`: a Card of a user. If sessions can be ended, people find a button for that on their own Card, which
 * asks first. The sessions of somebody else are ended by an operator: `npm run users -- sign-out NAME`.
 */
export async function userScreen(
  app: FastifyInstance,
  { users, tokens }: { users: UserStore; tokens: OpaqueTokens | undefined }
): Promise<void> {
  app.get<Route>(
    USER_URL,
    { schema: { querystring: Query, response: { 200: ScreenContract } } },
    async (request, reply) => {
      const user = await users.find(request.query.username)
      if (user === null) return reply.callNotFound()
      const texts = request.texts
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
              readOnlyDay('created_at', texts.profile.memberSince, createdAt, texts)
            ]
          }
        ],
        ...(tokens &&
          isOwn(request) && {
            screen_actions: [{ id: 'sign_out', label, kind: 'confirm', endpoint, confirm_message: confirm }]
          })
      } satisfies CardScreen
    }
  )

  if (tokens === undefined) return
  app.post<Route>(
    SIGN_OUT_URL,
    { schema: { querystring: Query } },
    async (request): Promise<ActionResponse> => {
      const { username } = request.query
      const texts = request.texts.user
      if (!isOwn(request)) return { success: false, error: texts.notOwn }
      await tokens.revokeAll(username)
      await app.screenAuth.forgetNetworks(username)
      request.log.info({ username }, 'signed out everywhere')
      return { success: true, message: texts.signedOut }
    }
  )
}

/** Whether the Card is that of the person who asks. In the no-auth mode nobody is known. */
function isOwn({ screenUser, query }: FastifyRequest<Route>): boolean {
  return screenUser?.username === query.username
}
