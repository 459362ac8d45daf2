import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { OpaqueTokens, ScreenUser } from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import type { ActionResponse, CardField, CardScreen, ListScreen } from 'fastify-screen-auth/screens'
import { texts } from '../texts.ts'
import type { StoredUser, UserStore } from '../user-store.ts'
import { card, listOf, readOnly, readOnlyDay, Search } from './layouts.ts'

const USER_URL = '/screen/user'
const SIGN_OUT_URL = '/screen/user/sign-out'

const Query = Type.Object({ username: Type.String() })

/** List of all users, and the Card of each user. */
export const userScreens: FastifyPluginAsyncTypebox<{
  users: UserStore
  tokens: OpaqueTokens | undefined
}> = async (app, { users, tokens }) => {
  const response = { 200: ScreenContract }

  // With `?query=` the list contains only the matching users.
  app.get('/screen/users', { schema: { querystring: Search, response } }, async ({ query }): Promise<ListScreen> => {
    const all = (await users.list()).map(({ username, displayName }) => [username, displayName])
    const { lines, ...list } = listOf(all, query.query, texts.users)
    return {
      ...list,
      screen_id: 'users',
      lines: {
        columns: [
          { id: 'username', label: texts.username, type: 'Text', align: 'left', width: 20 },
          { id: 'display_name', label: texts.displayName, type: 'Text', align: 'left', width: 30 }
        ],
        ...lines,
        on_select: `${USER_URL}?username={0}`
      }
    }
  })

  // If the server can revoke sessions, the Card of the logged-in user has a button for that, with a confirmation. An
  // operator revokes the sessions of other users: `npm run users -- sign-out NAME`.
  app.get(USER_URL, { schema: { querystring: Query, response } }, async (request, reply) => {
    const user = await users.find(request.query.username)
    if (user === null) return reply.callNotFound()
    const { signOut: label, confirm, section } = texts.user
    const { username, displayName } = user
    const endpoint = `${SIGN_OUT_URL}?${new URLSearchParams({ username })}`
    return {
      ...card(displayName, 'user', '/screen/users'),
      record_id: username,
      sections: [{ id: 'user', label: section, fields: fieldsOfUser(user) }],
      ...(tokens &&
        isOwn(request) && {
          screen_actions: [{ id: 'sign_out', label, kind: 'confirm', endpoint, confirm_message: confirm }]
        })
    } satisfies CardScreen
  })

  if (tokens === undefined) return
  app.post(SIGN_OUT_URL, { schema: { querystring: Query } }, async (request): Promise<ActionResponse> => {
    const { username } = request.query
    if (!isOwn(request)) return { success: false, error: texts.user.notOwn }
    await tokens.revokeAll(username)
    await app.screenAuth.forgetNetworks(username)
    request.log.info({ username }, 'signed out everywhere')
    return { success: true, message: texts.user.signedOut }
  })
}

export function fieldsOfUser({ username, displayName, createdAt }: StoredUser): CardField[] {
  return [
    readOnly('username', texts.username, username),
    readOnly('display_name', texts.displayName, displayName),
    readOnlyDay('created_at', texts.profile.memberSince, createdAt)
  ]
}

/** Whether the Card is that of the logged-in user. Always false in the no-auth mode. */
function isOwn(request: { screenUser: ScreenUser | null; query: { username: string } }): boolean {
  return request.screenUser?.username === request.query.username
}
