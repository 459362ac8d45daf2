// What was typed into a screen and is not saved yet.
import { type Field, fieldsOf, type Screen } from './screen.ts'

/** The values of the inputs, by the id of the field. */
export type Values = ReadonlyMap<string, string>

/** The values as the server sent them. */
export function initialValues(screen: Screen): Values {
  return new Map(fieldsOf(screen).map(({ id, value }) => [id, value]))
}

/** The fields with another value than the server sent; none on a screen that cannot be saved. */
export function changedFields(screen: Screen, values: Values): Field[] {
  if (!screen.actions.save && !screen.actions.create) return []
  // Not the value of the field itself: two fields may have the same id, and share one value.
  const sent = initialValues(screen)
  return fieldsOf(screen).filter(({ id, editable }) => editable && values.get(id) !== sent.get(id))
}

/** The `changes` of a SaveChangeset. A new record has all fields that can be edited. */
export function changesOf(screen: Screen, values: Values, isNew: boolean): Record<string, string | undefined> {
  const fields = isNew
    ? fieldsOf(screen).filter(({ editable, type }) => editable && type !== 'Separator')
    : changedFields(screen, values)
  return Object.fromEntries(fields.map(({ id }) => [id, values.get(id)]))
}

/** The values, with all passwords empty. */
export function withoutPasswords(screen: Screen, values: Values): Values {
  const passwords = fieldsOf(screen).filter(({ type }) => type === 'Password')
  return new Map([...values, ...passwords.map(({ id }): [string, string] => [id, ''])])
}

/** The changes of one screen, in a form that can be stored. */
export interface Draft {
  path: string
  /** For each field its id, the value that the server had sent, and the one that was typed. */
  fields: [id: string, sent: string, typed: string][]
}

/** Null when nothing has changed. Passwords are left out: they must not be stored. */
export function draftOf(path: string, screen: Screen, values: Values): Draft | null {
  const fields = changedFields(screen, values)
    .filter(({ type }) => type !== 'Password')
    .map(({ id, value }): Draft['fields'][number] => [id, value, values.get(id) as string])
  return fields.length === 0 ? null : { path, fields }
}

/** Reads what was stored; null when it is no draft. */
export function readDraft(stored: string | null | undefined): Draft | null {
  try {
    const draft: Draft = JSON.parse(stored as string)
    return draft.fields.every(field => field.length === 3) ? draft : null
  } catch {
    return null
  }
}

/** The values with those of a draft, and the labels of fields that have changed on the server since it was made. */
export function restore(fields: Draft['fields'], screen: Screen): { values: Values; meanwhile: string } {
  const values = new Map(initialValues(screen))
  const meanwhile: string[] = []
  for (const [id, sent, typed] of fields) {
    const field = fieldsOf(screen).find(field => field.id === id)
    if (!field?.editable || field.type === 'Password' || typeof typed !== 'string') continue
    values.set(id, typed)
    if (field.value !== sent && field.value !== typed) meanwhile.push(field.label)
  }
  return { values, meanwhile: meanwhile.join(', ') }
}
