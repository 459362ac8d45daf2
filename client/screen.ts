// Reads what a server sent. A screen may contain anything (contract 2.3 describes only a part), so a value that is
// missing or has the wrong type becomes an empty text or an empty list. A view needs no checks of its own.

/** A screen, ready to be drawn. */
export interface Screen {
  /** Never empty. */
  layout: string
  /** Never empty: without a title, the layout. */
  title: string
  /** The language of the texts, for example `de`; empty when it is not known. */
  locale: string
  /** The name of the user, for the top-right corner; empty when it is not known. */
  displayName: string
  /** The message that came with the screen. */
  status: string
  /** Where "back" leads; empty when the server does not say. */
  parentUrl: string
  /** Where a login form is submitted as an AuthRequest; empty on any other screen. */
  authAction: string
  /** Where a Card is saved; each empty when it cannot be. */
  actions: { save: string; create: string; delete: string }
  /** Further buttons. */
  screenActions: ScreenAction[]
  /** The groups of fields. */
  sections: Section[]
  /** The menu; null when there is none. */
  menu: Menu | null
  /** The table; null when there is none. */
  list: List | null
  /** `screen_id` and `record_id` as they came. They are sent back with what is saved. */
  screenId: unknown
  recordId: unknown
  /** The client's own texts as the server wants them, by key (`ui_strings`). */
  strings: ReadonlyMap<string, string>
}

/** A button. */
export interface ScreenAction {
  id: string
  label: string
  /** `simple`, `confirm` (it asks first) or `modal` (it shows its fields first). */
  kind: string
  endpoint: string
  /** The question of a `confirm`. */
  confirmMessage: string
  /** The form of a `modal`. */
  fields: Field[]
}

/** A group of fields. */
export interface Section {
  label: string
  fields: Field[]
}

/** An input, or a value to read. */
export interface Field {
  id: string
  label: string
  /** `Text`, `Date`, `Boolean` … A type that a client does not know is drawn as `Text`. */
  type: string
  value: string
  editable: boolean
  /** Whether the cursor is here first. */
  focus: boolean
  placeholder: string
  /** The choices of an `Option`. */
  options: { label: string; value: string }[]
  /** The lines of a `TextArea`; 0 when the server does not say. */
  rows: number
  validation: Validation
}

/** What a value must be like. */
export interface Validation {
  required: boolean
  min: number | undefined
  max: number | undefined
  /** In characters. */
  maxLength: number | undefined
  /** A regular expression for the whole value; empty for any value. */
  pattern: string
}

/** Tabs of items. */
export interface Menu {
  title: string
  tabs: { label: string; items: Item[] }[]
}

/** A line of a menu. */
export interface Item {
  label: string
  action: Action
}

/** What an item does. */
export interface Action {
  /** `open_screen`, `open_menu`, `open_url`, `message`, `separator` or `popup`. */
  type: string
  url: string
  /** The message. */
  text: string
  /** The items of a popup. */
  items: Item[]
}

/** A table. */
export interface List {
  columns: Column[]
  rows: Row[]
}

/** A column of a table. */
export interface Column {
  label: string
  type: string
  /** What the server says; without that, numbers are on the right. */
  align: 'left' | 'center' | 'right'
}

/** A row of a table. */
export interface Row {
  values: string[]
  /** The screen that it leads to; empty when it cannot be chosen. */
  url: string
}

/** The response to submitted credentials (contract 2.2). A failure has no token. */
export interface AuthResponse {
  token: string | null
  error: string
  screen: Screen | null
}

/** The response to a button. */
export interface ActionResponse {
  success: boolean
  message: string
  error: string
  screen: Screen | null
  /** The URL of the screen to go to, if any. */
  url: string
  /** Whether that screen comes in the place of the one that is shown. */
  replaces: boolean
}

type Json = Record<string, unknown>

const ALIGNMENTS = ['left', 'center', 'right'] as const

/** Popups within popups: more than any menu needs, and too few for a stack overflow. */
const MAX_DEPTH = 8

/**
 * Reads a screen. Returns null when it is none: every screen has a layout.
 *
 * @example
 * readScreen(await response.json())?.title
 */
export function readScreen(json: unknown): Screen | null {
  const screen = object(json)
  const layout = text(screen.layout)
  if (layout === '') return null
  const { save, create, delete: remove } = object(screen.actions)
  return {
    layout,
    title: text(screen.title) || layout,
    locale: text(screen.locale),
    displayName: text(screen.user_display_name),
    status: text(screen.status),
    parentUrl: text(screen.parent_url),
    authAction: text(screen.auth_action),
    actions: { save: text(save), create: text(create), delete: text(remove) },
    screenActions: objects(screen.screen_actions).map(readScreenAction),
    sections: objects(screen.sections).map(readSection),
    menu: layout === 'Menu' || screen.menu ? readMenu(screen.menu) : null,
    list: layout === 'List' || screen.lines ? readList(screen.lines) : null,
    screenId: screen.screen_id,
    recordId: screen.record_id,
    strings: new Map(Object.entries(object(screen.ui_strings)).map(([key, value]) => [key, text(value)]))
  }
}

/** Returns null when it is no AuthResponse. */
export function readAuthResponse(json: unknown): AuthResponse | null {
  const { success, token, error, screen } = object(json)
  if (success === false) return { token: null, error: text(error), screen: null }
  const isAccepted = success === true && typeof token === 'string' && token !== ''
  return isAccepted ? { token, error: '', screen: readScreen(screen) } : null
}

/** Returns null when it is no response to a button. */
export function readActionResponse(json: unknown): ActionResponse | null {
  const { success, message, error, screen, push_url, redirect_url } = object(json)
  if (typeof success !== 'boolean') return null
  return {
    success,
    message: text(message),
    error: text(error),
    screen: readScreen(screen),
    url: text(push_url) || text(redirect_url),
    replaces: text(push_url) === ''
  }
}

/** All fields of a screen. */
export function fieldsOf({ sections }: Screen): Field[] {
  return sections.flatMap(({ fields }) => fields)
}

function readScreenAction({ id, label, kind, endpoint, confirm_message, fields }: Json): ScreenAction {
  return {
    id: text(id),
    label: text(label) || text(id),
    kind: text(kind),
    endpoint: text(endpoint),
    confirmMessage: text(confirm_message),
    fields: objects(fields).map(readField)
  }
}

function readSection({ label, fields }: Json): Section {
  return { label: text(label), fields: objects(fields).map(readField) }
}

function readField(field: Json): Field {
  const { required, min, max, max_length, pattern } = object(field.validation)
  return {
    id: text(field.id),
    label: text(field.label) || text(field.id),
    type: text(field.type),
    value: text(field.value),
    editable: field.editable !== false,
    focus: field.focus === true,
    placeholder: text(field.placeholder),
    options: list(field.options).map(readOption),
    rows: number(field.rows) ?? 0,
    validation: {
      required: required === true,
      min: number(min),
      max: number(max),
      maxLength: number(max_length),
      pattern: text(pattern)
    }
  }
}

function readOption(option: unknown): Field['options'][number] {
  if (typeof option === 'string') return { label: option, value: option }
  const { label, value } = object(option)
  return { label: text(label) || text(value), value: text(value) }
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
    const { type, url, text: says, items } = object(described)
    const action = {
      type: text(type),
      url: text(url),
      text: text(says),
      items: readItems(items, depth + 1)
    }
    return { label: text(label) || action.url || (action.type === 'separator' ? '' : action.type), action }
  })
}

function readList(json: unknown): List {
  const { columns, rows, on_select } = object(json)
  return {
    columns: objects(columns).map(readColumn),
    rows: objects(rows).map(row => {
      const values = list(row.values).map(text)
      return { values, url: fill(text(on_select), values) }
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

/** Puts the values of a row into a URL in which `{0}` stands for the first of them. */
function fill(url: string, values: string[]): string {
  return url.replace(/\{(\d+)\}/g, (_, index) => encodeURIComponent((values[index] ?? '').toWellFormed()))
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

/** Without values that are no objects. */
function objects(value: unknown): Json[] {
  return list(value).filter((one): one is Json => typeof one === 'object' && one !== null)
}

function object(value: unknown): Json {
  return objects([value])[0] ?? {}
}
