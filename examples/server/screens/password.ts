import type { FastifyInstance } from 'fastify'
import type { OpaqueTokens } from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import type { CardField, CardScreen } from 'fastify-screen-auth/screens'
import { refusal, SaveChangeset } from '../changeset.ts'
import { LONGEST, passwordFault } from '../passwords.ts'
import type { Texts } from '../texts/en.ts'
import type { UserStore } from '../user-store.ts'
import { readOnly } from './read-only.ts'

const PATH = '/screen/password'

/** `GET` and `POST /screen/password`: a Card with which people change their own password. */
export async function passwordScreen(
  app: FastifyInstance,
  { users, tokens }: { users: UserStore; tokens: OpaqueTokens | undefined }
): Promise<void> {
  const response = { 200: ScreenContract }

  app.get(PATH, { schema: { response } }, async request => passwordCard(request.texts))

  app.post<{ Body: SaveChangeset }>(
    PATH,
    { schema: { body: SaveChangeset, response } },
    async (request): Promise<CardScreen> => {
      const { current_password = '', new_password = '', repeat_password = '' } = request.body.changes
      const texts = request.texts
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
      const { title, section } = texts.password
      const message = await signOut(user.username, texts.password)
      return {
        ...card(title, texts),
        status: message,
        // Some clients show a word of their own in the place of the status.
        sections: [{ id: 'changed', label: section, fields: [readOnly('message', section, message)] }]
      }
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

function card(title: string, texts: Texts) {
  return {
    layout: 'Card',
    title,
    ...texts.language,
    screen_id: 'password',
    parent_url: '/menu/main'
  } as const
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
    ...card(title, texts),
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
