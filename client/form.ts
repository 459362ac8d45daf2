// The unsaved values of a screen.
import { isNumber, toLocale } from './locale.ts'
import { formatOfLanguage, type PersonLocale } from './numbers.ts'
import { parse } from './parse.ts'
import { type Field, fieldsOf, isInput, type Screen } from './screen.ts'

/** The values of the inputs, by the id of the field. Numbers have the format of the person. */
export type Values = ReadonlyMap<string, string>

/** The unsaved changes of one screen, as they are stored. */
export interface Draft {
  path: string
  /** The values that were typed at the login, except passwords. */
  user?: string
  /** How the person writes numbers: the text of an example. */
  format?: string
  /** The id of each field, the value that the server sent, and the value that the person typed. */
  fields: [id: string, sent: string, typed: string][]
}

/** The values as the server sent them. In a login form, the values that its user has typed before replace them. */
export function initialValues(screen: Screen, locale: PersonLocale, user?: string): Values {
  const typed = new URLSearchParams(user)
  const fields = fieldsOf(screen)
  return new Map(
    fields.map(field => [field.id, (isReadable(field) && typed.get(field.id)) || inputText(field, locale)])
  )
}

/** Whether a screen is a form that can be saved. */
export function canSave({ actions }: Screen): boolean {
  return (actions.save || actions.create) !== ''
}

/** The editable fields whose value differs from the server's; empty for a screen that cannot be saved. */
export function changedFields(screen: Screen, values: Values, locale: PersonLocale): Field[] {
  if (!canSave(screen)) return []
  const unchanged = unchangedIds(screen, values, locale)
  return fieldsOf(screen).filter(({ id, editable }) => editable && !unchanged.has(id))
}

/** The fields that a save sends: the changed fields, or all inputs of a new record. */
export function fieldsToSave(screen: Screen, values: Values, locale: PersonLocale, isNew: boolean): Field[] {
  return isNew ? fieldsOf(screen).filter(isInput) : changedFields(screen, values, locale)
}

/** What the client sends for the texts of inputs, by the id of the field; null for a number without a reading. */
export function wireTexts(
  fields: Field[],
  texts: Values,
  wire: Screen['locale'],
  locale: PersonLocale
): Record<string, string | null> {
  const sent = fields.flatMap(field => {
    const text = texts.get(field.id)
    if (text === undefined) return []
    const data = dataOf(field, text, locale)
    return [[field.id, data && toLocale(field.type, data, wire)]]
  })
  return Object.fromEntries(sent)
}

export function passwordsOf(screen: Screen): Field[] {
  return fieldsOf(screen).filter(({ type }) => type === 'Password')
}

/** Whether a person can fill in a field, and its value may be stored. */
function isReadable({ editable, type }: Field): boolean {
  return editable && type !== 'Password'
}

/** Identifies the user of a login form: the typed values except passwords, as in a query; empty if there are none. */
export function typedUser(screen: Screen, values: Values): string {
  const typed = fieldsOf(screen)
    .filter(field => isReadable(field) && values.get(field.id) !== field.value)
    .map(({ id }): [string, string] => [id, `${values.get(id)}`.trim()])
    .filter(([, value]) => value)
  return `${new URLSearchParams(typed)}`
}

/** Returns the unsaved changes; null if there are none. Omits passwords, which must not be stored. */
export function draftOf(path: string, screen: Screen, values: Values, locale: PersonLocale): Draft | null {
  const fields = changedFields(screen, values, locale)
    .filter(isReadable)
    .map(({ id, value }): Draft['fields'][number] => [id, value, values.get(id) as string])
  return fields.length === 0 ? null : { path, fields, format: exampleOf(locale) }
}

/** Reads a stored draft. Returns null if it is invalid. */
export function readDraft(stored: string | null | undefined): (Draft & { user: string }) | null {
  try {
    const draft = JSON.parse(stored as string)
    const isValid = draft.fields.every((field: unknown[]) => field.length === 3)
    return isValid && typeof draft.user === 'string' ? draft : null
  } catch {
    return null
  }
}

/** The values with a draft applied. `theirs` are those that others have saved since, in fields of the draft. */
export function restore(draft: Draft | null, screen: Screen, locale: PersonLocale): { values: Values; theirs: Values } {
  const values = new Map(initialValues(screen, locale))
  const theirs = new Map<string, string>()
  for (const field of fieldsOf(screen).filter(isReadable)) {
    const { id, value } = field
    const [, sent, typed] = draft?.fields.find(one => one[0] === id) ?? []
    if (typeof typed !== 'string') continue
    values.set(id, typed)
    if (value !== sent && !hasValue(field, typed, locale)) theirs.set(id, inputText(field, locale))
  }
  return { values, theirs }
}

/** The values that others have saved and that still differ from the entered values. */
export function unresolved(theirs: Values, screen: Screen, entered: Values, locale: PersonLocale): Values {
  const unchanged = unchangedIds(screen, entered, locale)
  return new Map([...theirs].filter(([id]) => !unchanged.has(id)))
}

/** Whether a received Card is another version of the record than the shown Card. */
export function isOtherVersion(card: Screen, shown: Screen, values: Values, locale: PersonLocale): boolean {
  const sent = new Map(fieldsOf(shown).map(({ id, value }) => [id, value]))
  const isOther = (field: Field) =>
    sent.has(field.id) && sent.get(field.id) !== field.value && !hasValue(field, values.get(field.id) as string, locale)
  return (card.actions.save !== '' && card.actions.save !== shown.actions.save) || fieldsOf(card).some(isOther)
}

/**
 * Returns the id of the input whose label is at the start of a refusal, as in `Hourly rate: not a number.` Returns
 * undefined if there is no such input.
 */
export function fieldNamedBy(text: string, fields: Field[]): string | undefined {
  return fields
    .filter(field => isInput(field) && field.label && text.startsWith(field.label))
    .sort((one, other) => other.label.length - one.label.length)
    .find(({ label }) => !/^[\p{L}\p{N}]/u.test(text.slice(label.length)))?.id
}

/** A number as the person writes it. */
export function exampleOf(locale: PersonLocale, data = '1234.5'): string {
  return formatOfLanguage(locale).write(data)
}

/** The ids of the fields with the value of the server. Two fields with the same id share one value: the last one's. */
function unchangedIds(screen: Screen, values: Values, locale: PersonLocale): Set<string> {
  const fields = new Map(fieldsOf(screen).map(field => [field.id, field]))
  const isUnchanged = (field: Field) => hasValue(field, values.get(field.id) as string, locale)
  return new Set([...fields.values()].filter(isUnchanged).map(({ id }) => id))
}

/** Whether the text of an input means the value of a field, maybe in another spelling. */
function hasValue(field: Field, text: string, locale: PersonLocale): boolean {
  return (dataOf(field, text, locale) ?? text) === field.value
}

/** Reads the text of an input. An unchanged text has the server's value, even if that is no number. */
function dataOf(field: Field, text: string, locale: PersonLocale): string | null {
  return text === inputText(field, locale) ? field.value : parse(field, text, locale)
}

/** The text of an input, for the value of its field. */
function inputText({ type, value }: Field, locale: PersonLocale): string {
  return isNumber(type) ? formatOfLanguage(locale).write(value) : value
}
