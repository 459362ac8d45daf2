import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { bearerToken, errorCodes, type OpaqueTokens, type ScreenUser } from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import type { CardField, CardScreen } from 'fastify-screen-auth/screens'
import { texts } from '../texts.ts'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH, passwordFault, type UserStore } from '../user-store.ts'
import { card, readOnly, refusal, SaveChangeset, withStrings } from './layouts.ts'
import { fieldsOfUser } from './users.ts'

const PASSWORD_URL = '/screen/password'

/** Screens of a person's own account: the profile, the password, and a logout if the server can revoke sessions. */
export const accountScreens: FastifyPluginAsyncTypebox<{
  users: UserStore
  tokens: OpaqueTokens | undefined
}> = async (app, { users, tokens }) => {
  const response = { 200: ScreenContract }

  app.get('/screen/profile', { schema: { response } }, async (request, reply) => {
    const user = await users.find(app.screenAuth.userOf(request).username)
    // The JWT of a removed user stays valid until it expires.
    if (user === null) return reply.callNotFound()
    const { title } = texts.profile
    return {
      ...card(title, 'profile', '/menu/main'),
      sections: [{ id: 'profile', label: title, fields: fieldsOfUser(user) }]
    } satisfies CardScreen
  })

  app.get(PASSWORD_URL, { schema: { response } }, async request => passwordCard(app.screenAuth.userOf(request)))

  app.post(PASSWORD_URL, { schema: { body: SaveChangeset, response } }, async (request): Promise<CardScreen> => {
    const { current_password = '', new_password = '', repeat_password = '' } = request.body.changes
    const refuse = (text: string) => ({ ...passwordCard(app.screenAuth.userOf(request)), status: refusal(text) })
    if (new_password !== repeat_password) return refuse(texts.password.notTheSame)
    const fault = passwordFault(new_password)
    if (fault !== null) return refuse(texts.password.faults[fault])
    if (new_password === current_password) return refuse(texts.password.notNew)
    try {
      await app.screenAuth.reauthenticate(request, current_password)
    } catch (error) {
      if (!(error instanceof errorCodes.FST_SCREEN_AUTH_REAUTHENTICATION_FAILED)) throw error
      const { retryAfter } = error
      return refuse(retryAfter === undefined ? texts.password.wrong : texts.password.blocked(retryAfter))
    }
    const { username } = app.screenAuth.userOf(request)
    try {
      // Before the change, so that nothing changes while Redis is down or full.
      await endLogins(username)
      await users.setPassword(username, new_password)
    } catch (err) {
      request.log.error({ err }, 'the password was not changed')
      return refuse(texts.password.notChanged)
    }
    // Again, for logins in between.
    await endLogins(username).catch(err => request.log.error({ err }, 'logins during the change were not ended'))
    const { title, section, signedOut, changed } = texts.password
    const message = tokens ? signedOut : changed
    return {
      ...card(title, 'password', '/menu/main'),
      status: message,
      // Some clients show their own text instead of the status.
      sections: [{ id: 'changed', label: title, fields: [readOnly('message', section, message)] }]
    }
  })

  /** Revokes all sessions and forgets all networks, because another person may know the old password. */
  async function endLogins(username: string): Promise<void> {
    await app.screenAuth.forgetNetworks(username)
    await tokens?.revokeAll(username)
  }

  if (tokens === undefined) return
  const logOut = async (request: FastifyRequest, reply: FastifyReply) => {
    await tokens.revoke(bearerToken(request))
    request.log.info({ username: request.screenUser?.username }, 'logged out')
    return reply.code(204).send()
  }
  // Responds in a hook that runs after the guard, so that Fastify ignores the body. The handler never runs.
  app.post('/auth/logout', { onRequest: logOut, handler: logOut })
}

/** Shows the username, because password managers need it to store the new password. */
function passwordCard({ username }: ScreenUser): CardScreen {
  const { title, changing, section, current, new: fresh, again } = texts.password
  const field = (id: string, label: string, min_length?: number): CardField => ({
    id,
    label,
    type: 'Password',
    value: '',
    validation: { required: true, ...(min_length && { min_length }), max_length: MAX_PASSWORD_LENGTH }
  })
  return {
    ...card(title, 'password', '/menu/main'),
    ...withStrings({ save: title, saving: changing }),
    actions: { save: PASSWORD_URL },
    sections: [
      {
        id: 'password',
        label: section,
        fields: [
          readOnly('username', texts.username, username),
          field('current_password', current),
          field('new_password', fresh, MIN_PASSWORD_LENGTH),
          field('repeat_password', again)
        ]
      }
    ]
  }
}
