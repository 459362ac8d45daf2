import type { Contact } from './store.ts'

export const LIST_URL = '/screen/contacts'
/** The Card for a new contact, and where it is posted. */
export const NEW_URL = '/screen/contacts/new'
export const CARD_URL = '/screen/contact'
export const SAVE_URL = '/screen/contact/save'
export const DELETE_URL = '/screen/contact/delete'

export function newUrl(key: string): string {
  return `${NEW_URL}?key=${key}`
}

export function cardUrl({ id }: Contact): string {
  return `${CARD_URL}?id=${id}`
}

/** Names the version: what somebody else has saved in between is not overwritten. */
export function saveUrl({ id, version }: Contact): string {
  return `${SAVE_URL}?id=${id}&version=${version}`
}

/** Names the version: what nobody has seen is not deleted. */
export function deleteUrl({ id, version }: Contact): string {
  return `${DELETE_URL}?id=${id}&version=${version}`
}
