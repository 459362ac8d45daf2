// The parts of a screen, ready to be drawn.
import type { Locale } from './locale.ts'

/** A screen, ready to be drawn. */
export interface Screen {
  /** Never empty. */
  layout: string
  /** Never empty; default: the layout. */
  title: string
  /** The name of the user, for the top-right corner; empty if the server sends no name. */
  displayName: string
  /** The message of the screen. */
  status: string
  /** The target of "back"; empty if the server sends none. */
  parentUrl: string
  /** The URL to which the client posts the form as an AuthRequest; empty if the screen is no login form. */
  authAction: string
  /** The URLs to which the client posts a Card; empty if the action is not possible. */
  actions: { save: string; create: string; delete: string }
  /** The URL of the Card for a new record, on a List or the Card of a record; empty if it allows no new record. */
  createUrl: string
  /** The buttons for actions other than saving. */
  screenActions: ScreenAction[]
  /** The groups of fields, in reading order. */
  sections: Section[]
  /** The menu; null if there is none. */
  menu: Menu | null
  /** The table; null if there is none. */
  list: List | null
  /** `screen_id` and `record_id` as received. A save sends them back. */
  screenId: unknown
  recordId: unknown
  /** The server's texts for the client, by key (`ui_strings`). */
  strings: ReadonlyMap<string, string>
  /** The format of the server's dates and numbers as received, for `toLocale`; undefined if the server sends none. */
  locale: Locale
}

/** A button. */
export interface ScreenAction {
  id: string
  label: string
  /** `simple`, `confirm` (asks first) or `modal` (shows its fields first). */
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
  /** Sections with the same number are side by side. A section without a number is alone in its row. */
  rowGroup: number | undefined
  fields: Field[]
}

/** An input, or a read-only value. */
export interface Field {
  id: string
  label: string
  /** `Text`, `Date`, `Boolean` … A client draws an unknown type as `Text`. */
  type: string
  /**
   * A date is ISO 8601 and a number has a decimal point, whatever the `locale`. `format` returns the text for a person.
   * A value that is not in the format of the `locale` stays as received.
   */
  value: string
  editable: boolean
  /** Whether the cursor starts in this field. */
  focus: boolean
  placeholder: string
  /** The choices of an `Option`. */
  options: { label: string; value: string }[]
  /** The lines of a `TextArea`; 0 if the server sends none. */
  rows: number
  /** The texts for the values of a `Boolean`; empty if the server sends none. */
  trueLabel: string
  falseLabel: string
  validation: Validation
}

/** The limits of a value. */
export interface Validation {
  required: boolean
  min: number | undefined
  max: number | undefined
  /** In characters, as HTML counts them (UTF-16). */
  minLength: number | undefined
  maxLength: number | undefined
  /** A regular expression for the whole value; empty if every value is valid. */
  pattern: string
}

/** Tabs of items. */
export interface Menu {
  title: string
  tabs: { label: string; items: Item[] }[]
}

/** An item of a menu. */
export interface Item {
  label: string
  action: Action
}

/** The action of an item. */
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
  /** As the server sends it; default: `right` for numbers, else `left`. */
  align: 'left' | 'center' | 'right'
}

/** A row of a table. */
export interface Row {
  values: string[]
  /** The URL of the screen that the row opens; empty if the row opens no screen. */
  url: string
}

/** All fields of a screen. */
export function fieldsOf({ sections }: Screen): Field[] {
  return sections.flatMap(({ fields }) => fields)
}

/** Whether a person can fill in a field: the field is neither read-only nor a separator line. */
export function isInput({ editable, type }: Field): boolean {
  return editable && type !== 'Separator'
}
