// Reads the JSON of a server. Contract 2.3 describes only a part of a screen, so a value that is missing, null or of the
// wrong type becomes an empty text or an empty list. A view need not check types.
import { fromLocale, type Locale } from './locale.ts'
import type { Column, Field, Item, List, Menu, Screen, ScreenAction, Section } from './screen.ts'

type Json = Record<string, unknown>

const ALIGNMENTS = ['left', 'center', 'right'] as const

/** The most levels of popups: more than any menu needs, and too few to overflow the stack. */
const MAX_DEPTH = 8

/** The longest URL of a row, as many long URLs fill the memory. Each value counts as 100 characters more. */
const MAX_URL = 2_000

/**
 * Reads a screen. Returns null for JSON without a layout, because every screen has one.
 *
 * @example
 * readScreen(await response.json())?.title
 */
export function readScreen(json: unknown): Screen | null {
  const screen = object(json)
  const layout = text(screen.layout)
  if (layout === '') return null
  const { save, create, delete: remove } = object(screen.actions)
  const [locale] = objects([screen.locale])
  const isList = layout === 'List'
  // On any other Card, `create` is the URL to which a new record is posted.
  const leadsToNew = isList || (text(screen.record_id) || text(remove)) !== ''
  return {
    layout,
    title: text(screen.title) || layout,
    displayName: text(screen.user_display_name),
    status: text(screen.status),
    parentUrl: text(screen.parent_url),
    authAction: text(screen.auth_action),
    actions: { save: text(save), create: leadsToNew ? '' : text(create), delete: text(remove) },
    createUrl: leadsToNew ? text(create) : '',
    screenActions: objects(screen.screen_actions).map(action => readScreenAction(action, locale)),
    sections: readSections(screen.sections, locale),
    menu: layout === 'Menu' || screen.menu ? readMenu(screen.menu) : null,
    list: isList || screen.lines ? readList(screen.lines, locale) : null,
    screenId: screen.screen_id ?? undefined,
    recordId: screen.record_id ?? undefined,
    strings: readStrings(screen.ui_strings),
    locale
  }
}

/**
 * Reads an AuthResponse (contract 2.2). Returns null if the JSON is something else. After a failed login, the token is
 * null. If `screen` is a redirect, the path of the screen is in `redirect`.
 */
export function readAuthResponse(json: unknown) {
  const { success, token, error, screen } = object(json)
  const accepted = success === true && typeof token === 'string' ? token : ''
  if (success !== false && accepted === '') return null
  return { token: accepted || null, error: text(error), screen: readScreen(screen), redirect: redirectOf(screen) }
}

/**
 * Reads the response after a button was pressed. Returns null if the JSON is something else. `url` is that of the next
 * screen, or empty. `replaces` is whether the next screen replaces the shown one.
 */
export function readActionResponse(json: unknown) {
  const { success, message, error, screen, push_url, redirect_url } = object(json)
  if (typeof success !== 'boolean') return null
  return {
    success,
    message: text(message),
    error: text(error),
    screen: readScreen(screen),
    url: text(push_url) || text(redirect_url) || redirectOf(screen),
    replaces: text(push_url) === ''
  }
}

/** The path in `{ redirect: path }`, which some servers send instead of a screen; empty for any other JSON. */
export function redirectOf(json: unknown): string {
  const { redirect, layout, success } = object(json)
  return (layout ?? success ?? null) === null ? text(redirect) : ''
}

/** The texts of a client, by key (`ui_strings`). */
function readStrings(json: unknown): ReadonlyMap<string, string> {
  const entries = Object.entries(object(json)).filter(([, value]) => value !== null)
  return new Map(entries.map(([key, value]) => [key, text(value)]))
}

function readScreenAction(action: Json, locale: Locale): ScreenAction {
  const { id, label, kind, endpoint, confirm_message, fields } = action
  return {
    id: text(id),
    label: text(label) || text(id),
    kind: text(kind),
    endpoint: text(endpoint),
    confirmMessage: text(confirm_message),
    fields: objects(fields).map(field => readField(field, locale))
  }
}

function readSections(json: unknown, locale: Locale): Section[] {
  const place = (value: unknown) => number(value) ?? 0
  return objects(json)
    .sort((a, b) => place(a.row_group) - place(b.row_group) || place(a.column) - place(b.column))
    .map(({ label, row_group, fields }) => ({
      label: text(label),
      rowGroup: number(row_group),
      fields: objects(fields).map(field => readField(field, locale))
    }))
}

function readField(field: Json, locale: Locale): Field {
  const { required, min, max, min_length, max_length, pattern } = object(field.validation)
  const type = text(field.type)
  return {
    id: text(field.id),
    label: text(field.label) || text(field.id),
    type,
    value: dataOf(type, text(field.value), locale),
    editable: field.editable !== false,
    focus: field.focus === true,
    placeholder: dataOf(type, text(field.placeholder), locale),
    options: list(field.options).map(readOption),
    rows: number(field.rows) ?? 0,
    trueLabel: text(field.true_label),
    falseLabel: text(field.false_label),
    validation: {
      // In the form of a button, `required` is a member of the field itself, not of `validation`.
      required: required === true || field.required === true,
      min: number(min),
      max: number(max),
      minLength: number(min_length),
      maxLength: number(max_length),
      pattern: text(pattern)
    }
  }
}

function readOption(option: unknown): Field['options'][number] {
  const { label, value } = object(option)
  const chosen = text(option) || text(value)
  return { label: text(label) || chosen, value: chosen }
}

function readMenu(json: unknown): Menu {
  const { panel_title, tabs } = object(json)
  return {
    title: text(panel_title),
    tabs: objects(tabs).map(({ label, items }) => ({ label: text(label), items: readItems(items, 0) }))
  }
}

function readItems(json: unknown, depth: number): Item[] {
  if (depth > MAX_DEPTH) return []
  return objects(json).map(({ label, action: described }) => {
    const { type, url, text: message, items } = object(described)
    const action = {
      type: text(type),
      url: text(url),
      text: text(message),
      items: readItems(items, depth + 1)
    }
    return { label: text(label) || action.url || (action.type === 'separator' ? '' : action.type), action }
  })
}

function readList(json: unknown, locale: Locale): List {
  const { columns: described, rows, on_select } = object(json)
  const columns = objects(described).map(readColumn)
  return {
    columns,
    rows: objects(rows).map(row => {
      const sent = list(row.values).map(text)
      const values = sent.map((value, index) => dataOf(columns[index]?.type, value, locale))
      return { values, url: fill(text(on_select), sent) }
    })
  }
}

function readColumn({ id, label, type, align }: Json): Column {
  const isNumber = type === 'Integer' || type === 'Decimal'
  return {
    label: text(label) || text(id),
    type: text(type),
    align: ALIGNMENTS.find(one => one === align) ?? (isNumber ? 'right' : 'left')
  }
}

/** Replaces `{0}`, `{1}` and so on in a URL with the values of a row, encoded. Returns an empty text for a long URL. */
function fill(url: string, values: string[]): string {
  let room = MAX_URL - url.length
  if (room < 100 * (url.split('{', 50).length - 1)) return ''
  const filled = url.replace(/\{(\d+)\}/g, (_, index) => {
    const value = values[index] ?? ''
    room -= value.length + 100
    return room < 0 ? '' : encodeURIComponent(value.toWellFormed())
  })
  return room < 0 ? '' : filled
}

/** Converts a value or a placeholder. One that is not in the format of the locale stays unchanged. */
function dataOf(type: string | undefined, sent: string, locale: Locale): string {
  const data = fromLocale(type, sent, locale) ?? sent
  // Some servers write a whole number as 1.0.
  return type === 'Integer' ? data.replace(/^(-?\d+)\.0+$/, '$1') : data
}

function text(value: unknown): string {
  return value === undefined || typeof value === 'object' ? '' : String(value)
}

function number(value: unknown): number | undefined {
  return Number.isFinite(value) ? (value as number) : undefined
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns the objects in a list, and omits other values. */
function objects(value: unknown): Json[] {
  return list(value).filter(one => Object(one) === one) as Json[]
}

function object(value: unknown): Json {
  return objects([value])[0] ?? {}
}
