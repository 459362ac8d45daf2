import type { FastifyInstance } from 'fastify'
import type { OpaqueTokens } from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import type { CardField, CardScreen } from 'fastify-screen-auth/screens'
import { refusal, SaveChangeset } from '../changeset.ts'
import { textsFor } from '../language.ts'
import { LONGEST, passwordFault } from '../passwords.ts'
import type { Texts } from '../texts/en.ts'
import type { UserStore } from '../user-store.ts'

const PATH = '/screen/password'

/** `GET` and `POST /screen/password`: a Card with which people change their own password. */
export async function passwordScreen(
  app: FastifyInstance,
  { users, tokens }: { users: UserStore; tokens: OpaqueTokens | undefined }
): Promise<void> {
  const response = { 200: ScreenContract }

  app.get(PATH, { schema: { response } }, async request => passwordCard(textsFor(request)))

  app.post<{ Body: SaveChangeset }>(
    PATH,
    { schema: { body: SaveChangeset, response } },
    async (request): Promise<CardScreen> => {
      const { current_password = '', new_password = '', repeat_password = '' } = request.body.changes
      const texts = textsFor(request)
      const refuse = (text: string) => ({ ...passwordCard(texts), status: refusal(text) })
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
      return { ...passwordCard(texts), status: await signOut(user.username, texts.password) }
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

function passwordCard(texts: Texts): CardScreen {
  const { title, section, current, new: fresh, again } = texts.password
  const field = (id: string, label: string): CardField => ({
    id,
    label,
    type: 'Password',
    value: '',
    validation: { required: true, max_length: LONGEST }
  })
  return {
    layout: 'Card',
    title,
    ...texts.language,
    parent_url: '/menu/main',
    actions: { save: PATH },
    sections: [
      {
        id: 'password',
        label: section,
        fields: [
          field('current_password', current),
          field('new_password', fresh),
          field('repeat_password', again)
        ]
      }
    ]
  }
}
