import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { OpaqueTokens, ScreenUser } from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import { passwordFault } from '../passwords.ts'
import { Saved } from '../saved.ts'
import type { UserStore } from '../user-store.ts'

const PATH = '/screen/password'

/** The body of the form. The contract does not define how a screen is saved; this is an extension of the example. */
const ChangePassword = Type.Object({
  fields: Type.Object({
    current_password: Type.String(),
    new_password: Type.String(),
    repeat_password: Type.String()
  })
})

const CHANGED = 'Your password was changed.'

/** `GET` and `POST /screen/password`: a Card with which people change their own password. */
export async function passwordScreen(
  app: FastifyInstance,
  { users, tokens }: { users: UserStore; tokens: OpaqueTokens | undefined }
): Promise<void> {
  app.get(PATH, { schema: { response: { 200: ScreenContract } } }, async () => ({
    layout: 'Card',
    title: 'Change password',
    save_action: PATH,
    sections: [
      {
        id: 'password',
        label: 'Password',
        fields: [
          { id: 'current_password', label: 'Current password', type: 'Password', value: '' },
          { id: 'new_password', label: 'New password', type: 'Password', value: '' },
          { id: 'repeat_password', label: 'New password again', type: 'Password', value: '' }
        ]
      }
    ]
  }))

  app.post<{ Body: Static<typeof ChangePassword> }>(
    PATH,
    { schema: { body: ChangePassword, response: { 200: Saved } } },
    async request => {
      const fault = await changePassword(request, request.body.fields)
      if (fault !== null) return { success: false, message: fault }
      const { username } = request.screenUser as ScreenUser
      await app.screenAuth.forgetNetworks(username)
      return { success: true, message: await signOut(username) }
    }
  )

  /** Ends all sessions: others may have logged in with the old password. Returns the message for the person. */
  async function signOut(username: string): Promise<string> {
    if (tokens === undefined) return CHANGED
    try {
      await tokens.revokeAll(username)
      return `${CHANGED} Please log in again, here and everywhere else.`
    } catch (err) {
      app.log.error({ err }, 'sessions go on after a change of the password')
      return `${CHANGED} But elsewhere you may still be logged in: please sign out everywhere in the list of users.`
    }
  }

  /** Changes the password. Returns null, or why not. */
  async function changePassword(
    request: FastifyRequest,
    fields: Static<typeof ChangePassword>['fields']
  ): Promise<string | null> {
    const { current_password, new_password, repeat_password } = fields
    if (new_password !== repeat_password) return 'The two new passwords are not the same.'
    const fault = passwordFault(new_password)
    if (fault !== null) return fault
    const result = await app.screenAuth.reauthenticate(request, current_password)
    if ('error' in result)
      return result.retryAfter === undefined ? 'The current password is wrong.' : result.error
    await users.setPassword(result.username, new_password)
    return null
  }
}
