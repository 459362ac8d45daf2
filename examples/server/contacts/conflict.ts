import type { ScreenUser } from 'fastify-screen-auth'
import { LONGEST_MESSAGE, refusal } from '../changeset.ts'
import type { Texts } from '../texts/en.ts'
import type { Contact } from './store.ts'

/** Says who has saved a contact in between, by name if it fits. */
export function conflictText({ updatedBy }: Contact, user: ScreenUser | null, texts: Texts): string {
  const { you, somebody, other } = texts.conflict
  if (updatedBy === '') return somebody
  if (updatedBy === user?.username) return you
  const text = other(updatedBy)
  return refusal(text).length <= LONGEST_MESSAGE ? text : somebody
}
