// What was typed into a screen and is not saved yet.
import { type Field, fieldsOf, isInput, type Screen } from './screen.ts'

/** The values of the inputs, by the id of the field. */
export type Values = ReadonlyMap<string, string>

/** The changes of one screen, in a form that can be stored. */
export interface Draft {
  path: string
  /** For each field its id, the value that the server had sent, and the one that was typed. */
  fields: [id: string, sent: string, typed: string][]
}

/** The values as the server sent them. */
export function initialValues(screen: Screen): Values {
  return new Map(fieldsOf(screen).map(({ id, value }) => [id, value]))
}

/** Whether what is typed into a screen can be saved. */
export function canSave({ actions }: Screen): boolean {
  return actions.save !== '' || actions.create !== ''
}

/** The fields with another value than the server sent; none on a screen that cannot be saved. */
export function changedFields(screen: Screen, values: Values): Field[] {
  if (!canSave(screen)) return []
  // Not the value of the field itself: two fields may have the same id, and share one value.
  const sent = initialValues(screen)
  return fieldsOf(screen).filter(({ id, editable }) => editable && values.get(id) !== sent.get(id))
}

/** The `changes` of a SaveChangeset. A new record has all fields that can be edited. */
export function changesOf(screen: Screen, values: Values, isNew: boolean): Record<string, string | undefined> {
  const fields = isNew ? fieldsOf(screen).filter(isInput) : changedFields(screen, values)
  return Object.fromEntries(fields.map(({ id }) => [id, values.get(id)]))
}

/** The password fields of a screen. */
export function passwordsOf(screen: Screen): Field[] {
  return fieldsOf(screen).filter(({ type }) => type === 'Password')
}

/** Who has filled in a login form, as far as its fields say: a text without passwords, empty when they do not. */
export function typedUser(screen: Screen, values: Values): string {
  return fieldsOf(screen)
    .filter(({ editable, type }) => editable && type !== 'Password')
    .map(({ id }) => values.get(id))
    .join('\n')
    .trim()
}

/** Null when nothing has changed. Passwords are left out: they must not be stored. */
export function draftOf(path: string, screen: Screen, values: Values): Draft | null {
  const fields = changedFields(screen, values)
    .filter(({ type }) => type !== 'Password')
    .map(({ id, value }): Draft['fields'][number] => [id, value, values.get(id) as string])
  return fields.length === 0 ? null : { path, fields }
}

/** Reads what was stored: a draft, and whose it is. Null when it is none. */
export function readDraft(stored: string | null | undefined): (Draft & { user: string }) | null {
  try {
    const draft = JSON.parse(stored as string)
    return typeof draft.user === 'string' && draft.fields.every((field: unknown[]) => field.length === 3) ? draft : null
  } catch {
    return null
  }
}

/** The values with those of a draft, and what others have changed since it was made: their values, and the labels. */
export function restore(draft: Draft | null, screen: Screen): { values: Values; theirs: Values; labels: string[] } {
  const values = new Map(initialValues(screen))
  const theirs = new Map<string, string>()
  const labels: string[] = []
  for (const [id, sent, typed] of draft?.fields ?? []) {
    const field = fieldsOf(screen).find(field => field.id === id)
    if (!field?.editable || field.type === 'Password' || typeof typed !== 'string') continue
    values.set(id, typed)
    if (field.value === sent || field.value === typed) continue
    theirs.set(id, field.value)
    labels.push(field.label)
  }
  return { values, theirs, labels }
}

/** Those of the values of others that are not entered as well. */
export function otherThan(entered: Values, theirs: Values): Values {
  return new Map([...theirs].filter(([id, value]) => entered.get(id) !== value))
}

/** Whether a Card is another version of the shown one than the one that was typed into. */
export function isOtherVersion(card: Screen, shown: Screen, values: Values): boolean {
  const sent = initialValues(shown)
  return (
    (card.actions.save !== '' && card.actions.save !== shown.actions.save) ||
    fieldsOf(card).some(({ id, value }) => sent.has(id) && ![sent.get(id), values.get(id)].includes(value))
  )
}

/**
 * The id of the field that a refusal is about, because it begins with the label: `Hourly rate: not a number.` Undefined
 * when it is about none that can be edited.
 */
export function fieldNamedBy(text: string, fields: Field[]): string | undefined {
  return fields
    .filter(field => isInput(field) && field.label && text.startsWith(field.label))
    .sort((one, other) => other.label.length - one.label.length)
    .find(({ label }) => !/^[\p{L}\p{N}]/u.test(text.slice(label.length)))?.id
}
