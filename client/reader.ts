// Reads the JSON of a server. Contract 2.3 describes only a part of a screen, so a value that is missing, null or of the
// wrong type becomes an empty text or an empty list. A view need not check types.
import { fromLocale, isNumber, type Locale } from './locale.ts'
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
  const actions = object(screen.actions)
  const [save, create, remove] = [text(actions.save), text(actions.create), text(actions.delete)]
  const [locale] = objects([screen.locale])
  const isList = layout === 'List'
  // On any other Card, `create` is the URL to which a new record is posted.
  const leadsToNew = isList || (text(screen.record_id) || remove) !== ''
  return {
    layout,
    title: text(screen.title) || layout,
    displayName: text(screen.user_display_name),
    status: text(screen.status),
    parentUrl: text(screen.parent_url),
    authAction: text(screen.auth_action),
    actions: { save, create: leadsToNew ? '' : create, delete: remove },
    createUrl: leadsToNew ? create : '',
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
 * Reads the response to a login or a pressed button (contract 2.2). Returns null if the JSON is something else. `url` is
 * that of the next screen, or empty. `replaces` is whether the next screen replaces the shown one.
 */
export function readReply(json: unknown) {
  const { success, token, screen, ...reply } = object(json)
  if (typeof success !== 'boolean') return null
  return {
    success,
    token: success && typeof token === 'string' ? token : '',
    message: text(reply.message),
    error: text(reply.error),
    screen: readScreen(screen),
    url: text(reply.push_url) || text(reply.redirect_url) || redirectOf(screen),
    replaces: text(reply.push_url) === ''
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
  return {
    id: text(action.id),
    label: text(action.label) || text(action.id),
    kind: text(action.kind),
    endpoint: text(action.endpoint),
    confirmMessage: text(action.confirm_message),
    fields: readFields(action.fields, locale)
  }
}

function readSections(json: unknown, locale: Locale): Section[] {
  const place = (value: unknown) => number(value) ?? 0
  return objects(json)
    .sort((a, b) => place(a.row_group) - place(b.row_group) || place(a.column) - place(b.column))
    .map(section => ({
      label: text(section.label),
      rowGroup: number(section.row_group),
      fields: readFields(section.fields, locale)
    }))
}

function readFields(json: unknown, locale: Locale): Field[] {
  return objects(json).map(field => readField(field, locale))
}

/**
 * Reads a field of a screen with this `locale`. A server can check data against its own fields with it.
 *
 * @example
 * faultOf(readField(field), data)
 */
export function readField(json: unknown, locale?: Locale): Field {
  const field = object(json)
  const validation = object(field.validation)
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
      required: validation.required === true || field.required === true,
      min: number(validation.min),
      max: number(validation.max),
      minLength: number(validation.min_length),
      maxLength: number(validation.max_length),
      pattern: text(validation.pattern)
    }
  }
}

function readOption(option: unknown): Field['options'][number] {
  const { label, value: sent } = object(option)
  const value = text(option) || text(sent)
  return { label: text(label) || value, value }
}

function readMenu(json: unknown): Menu {
  const menu = object(json)
  return {
    title: text(menu.panel_title),
    tabs: objects(menu.tabs).map(tab => ({ label: text(tab.label), items: readItems(tab.items, 0) }))
  }
}

function readItems(json: unknown, depth: number): Item[] {
  if (depth > MAX_DEPTH) return []
  return objects(json).map(item => {
    const sent = object(item.action)
    const type = text(sent.type)
    const url = text(sent.url)
    const action = { type, url, text: text(sent.text), items: readItems(sent.items, depth + 1) }
    return { label: text(item.label) || url || (type === 'separator' ? '' : type), action }
  })
}

function readList(json: unknown, locale: Locale): List {
  const table = object(json)
  const columns = objects(table.columns).map(readColumn)
  const rows = objects(table.rows).map(row => {
    const sent = list(row.values).map(text)
    const values = sent.map((value, index) => dataOf(columns[index]?.type, value, locale))
    return { values, url: fill(text(table.on_select), sent) }
  })
  return { columns, rows }
}

function readColumn(column: Json): Column {
  const type = text(column.type)
  const align = ALIGNMENTS.find(one => one === column.align) ?? (isNumber(type) ? 'right' : 'left')
  return { label: text(column.label) || text(column.id), type, align }
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
