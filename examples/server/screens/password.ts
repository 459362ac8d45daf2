import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type { OpaqueTokens } from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import { textsFor } from '../language.ts'
import { passwordFault } from '../passwords.ts'
import { Saved, type SavedCard } from '../saved.ts'
import type { Texts } from '../texts/en.ts'
import type { UserStore } from '../user-store.ts'

const PATH = '/screen/password'

/** The body of the form. */
const ChangePassword = Type.Object({
  fields: Type.Object({
    current_password: Type.String(),
    new_password: Type.String(),
    repeat_password: Type.String()
  })
})

/** `GET` and `POST /screen/password`: a Card with which people change their own password. */
export async function passwordScreen(
  app: FastifyInstance,
  { users, tokens }: { users: UserStore; tokens: OpaqueTokens | undefined }
): Promise<void> {
  app.get(PATH, { schema: { response: { 200: ScreenContract } } }, async request => {
    const texts = textsFor(request)
    return {
      layout: 'Card',
      title: texts.password.title,
      locale: texts.locale,
      save_action: PATH,
      save_label: texts.password.title,
      sections: [
        {
          id: 'password',
          label: texts.password.section,
          fields: [
            { id: 'current_password', label: texts.password.current, type: 'Password', value: '' },
            { id: 'new_password', label: texts.password.new, type: 'Password', value: '' },
            { id: 'repeat_password', label: texts.password.again, type: 'Password', value: '' }
          ]
        }
      ]
    } satisfies SavedCard
  })

  app.post<{ Body: Static<typeof ChangePassword> }>(
    PATH,
    { schema: { body: ChangePassword, response: { 200: Saved } } },
    async request => {
      const { current_password, new_password, repeat_password } = request.body.fields
      const texts = textsFor(request).password
      const refuse = (message: string) => ({ success: false, message })
      if (new_password !== repeat_password) return refuse(texts.notTheSame)
      const fault = passwordFault(new_password)
      if (fault !== null) return refuse(texts.faults[fault])
      const user = await app.screenAuth.reauthenticate(request, current_password)
      if ('error' in user) return refuse(user.error)
      await users.setPassword(user.username, new_password)
      await app.screenAuth.forgetNetworks(user.username)
      return { success: true, message: await signOut(user.username, texts) }
    }
  )

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
}
