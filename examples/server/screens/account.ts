import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { bearerToken, type OpaqueTokens, type ScreenUser } from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import type { CardField, CardScreen } from 'fastify-screen-auth/screens'
import type { Texts } from '../texts/en.ts'
import { LONGEST_PASSWORD, passwordFault, SHORTEST_PASSWORD, type UserStore } from '../user-store.ts'
import { card, readOnly, refusal, SaveChangeset } from './cards.ts'
import { fieldsOfUser } from './users.ts'

const PASSWORD_URL = '/screen/password'

/** What people do with their own account: see it, change the password, and log out if sessions can be ended. */
export const accountScreens: FastifyPluginAsyncTypebox<{
  users: UserStore
  tokens: OpaqueTokens | undefined
}> = async (app, { users, tokens }) => {
  const response = { 200: ScreenContract }

  app.get('/screen/profile', { schema: { response } }, async (request, reply) => {
    const user = await users.find(app.screenAuth.userOf(request).username)
    // The user was removed, but a JWT stays valid until it expires.
    if (user === null) return reply.callNotFound()
    const { texts } = request
    const { title } = texts.profile
    return {
      layout: 'Card',
      title,
      ...texts.language,
      parent_url: '/menu/main',
      sections: [{ id: 'profile', label: title, fields: fieldsOfUser(user, texts) }]
    } satisfies CardScreen
  })

  app.get(PASSWORD_URL, { schema: { response } }, async request =>
    passwordCard(request, app.screenAuth.userOf(request))
  )

  app.post(PASSWORD_URL, { schema: { body: SaveChangeset, response } }, async (request): Promise<CardScreen> => {
    const { current_password = '', new_password = '', repeat_password = '' } = request.body.changes
    const { texts } = request
    const refuse = (text: string) => ({
      ...passwordCard(request, app.screenAuth.userOf(request)),
      status: refusal(text)
    })
    if (new_password !== repeat_password) return refuse(texts.password.notTheSame)
    const fault = passwordFault(new_password)
    if (fault !== null) return refuse(texts.password.faults[fault])
    const user = await app.screenAuth.reauthenticate(request, current_password)
    if ('error' in user) {
      const { error, retryAfter } = user
      return refuse(retryAfter === undefined ? error : texts.password.blocked(retryAfter))
    }
    await users.setPassword(user.username, new_password)
    await app.screenAuth.forgetNetworks(user.username)
    const { section } = texts.password
    const message = await signOut(user.username, texts.password)
    return {
      ...card(texts.password.title, 'password', '/menu/main', texts),
      status: message,
      // Some clients show a word of their own in the place of the status.
      sections: [{ id: 'changed', label: section, fields: [readOnly('message', section, message)] }]
    }
  })

  /** Ends all sessions: others may have logged in with the old password. Returns the message for the person. */
  async function signOut(username: string, texts: Texts['password']): Promise<string> {
    if (tokens === undefined) return texts.changed
    try {
      await tokens.revokeAll(username)
      return texts.signedOut
    } catch (err) {
      app.log.error({ err }, 'sessions go on after a change of the password')
      return texts.notSignedOut
    }
  }

  if (tokens === undefined) return
  const logOut = async (request: FastifyRequest, reply: FastifyReply) => {
    await tokens.revoke(bearerToken(request))
    request.log.info({ username: request.screenUser?.username }, 'logged out')
    return reply.code(204).send()
  }
  // A hook after the guard, so that the body is ignored. The handler is never reached.
  app.post('/auth/logout', { onRequest: logOut, handler: logOut })
}

/** @param username password managers want to know whose password is changed */
function passwordCard({ texts }: FastifyRequest, { username }: ScreenUser): CardScreen {
  const { section, current, new: fresh, again } = texts.password
  const field = (id: string, label: string, min_length?: number): CardField => ({
    id,
    label,
    type: 'Password',
    value: '',
    validation: { required: true, ...(min_length && { min_length }), max_length: LONGEST_PASSWORD }
  })
  return {
    ...card(texts.password.title, 'password', '/menu/main', texts),
    actions: { save: PASSWORD_URL },
    sections: [
      {
        id: 'password',
        label: section,
        fields: [
          readOnly('username', texts.username, username),
          field('current_password', current),
          field('new_password', fresh, SHORTEST_PASSWORD),
          field('repeat_password', again)
        ]
      }
    ]
  }
}
