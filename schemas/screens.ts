/**
 * Strict types of the screens that known clients draw. There is nothing here at run time. They say the same as
 * known-screen.schema.json beside this file: one property of another type, and such a client shows nothing at all.
 *
 * `ScreenContract` allows any property, and so any typing mistake. These types allow only what clients know. A property
 * that a screen does not use is left out: it is never null.
 *
 * @example
 * const profile = {
 *   layout: 'Card',
 *   title: 'Profile',
 *   sections: [{ id: 'me', label: 'Me', fields: [{ id: 'name', label: 'Name', type: 'Text', value: 'Ada' }] }]
 * } satisfies CardScreen
 *
 * @example <caption>A property of your own</caption>
 * interface MapScreen extends CardScreen {
 *   map_url: string
 * }
 *
 * @module
 */

/** What every screen may have: all that known clients read. */
export interface AnyScreen {
  /** The kind of screen. */
  layout: 'Card' | 'List' | 'HeaderLines' | 'Grid' | 'Menu'
  /** The title of the screen. */
  title: string
  /** The name of this kind of screen. It comes back with what a person saves. */
  screen_id?: string
  /** The record that the screen shows. It comes back with what a person saves. */
  record_id?: string
  /** Groups of fields. */
  sections?: CardSection[]
  /** A table. */
  lines?: ListLines
  /** How much of the height the table takes, in percent, where it lies over the sections. */
  lines_overlay_pct?: number
  /** Whether the table is open at first. */
  lines_open?: boolean
  /** Sums below the table. */
  totals?: readonly Total[]
  /** A menu. */
  menu?: Menu
  /**
   * A message for the bar at the bottom. After a save, one that begins with `Error:` keeps the screen and what was typed.
   */
  status?: string
  /** The path of the screen to which "back" leads. */
  parent_url?: string
  /** Where the login form is submitted, or a Card to become another user: a path. */
  auth_action?: string
  /** Where the record is saved or deleted, and where the Card for a new one is. Left out: it is only to read. */
  actions?: Actions
  /** Further buttons. */
  screen_actions?: readonly ScreenAction[]
  /** How dates and numbers are written on this screen. */
  locale?: Locale
  /** The client's own texts in the language of the screen, by their key. */
  ui_strings?: UiStrings
  /** The day that stands for today: what a `t` means that is typed into a date. */
  work_date?: string
  /** The name of the user, in the top-right corner. Leave it out: the plugin adds it. */
  user_display_name?: string
}

/** A menu: tabs with items. */
export interface MenuScreen extends AnyScreen {
  /** The kind of screen. */
  layout: 'Menu'
  /** What the menu shows. */
  menu: Menu
}

/** A form, or a record to read. */
export interface CardScreen extends AnyScreen {
  /** The kind of screen. */
  layout: 'Card'
  /** Groups of fields. */
  sections: CardSection[]
}

/** A table. */
export interface ListScreen extends AnyScreen {
  /** The kind of screen. */
  layout: 'List'
  /** What the table shows. */
  lines: ListLines
}

/**
 * How dates and numbers are written: those that the server sends, and those that a person types. Known clients take
 * `DD-MM-YYYY`, `,` and `.` for what is left out. The name of a language is no part of it: that is in the header
 * Content-Language.
 */
export interface Locale {
  /** The order of day, month and year. */
  date_format?: 'DD-MM-YYYY' | 'MM-DD-YYYY'
  /** One character, between the whole part of a number and the rest. */
  decimal_separator?: string
  /** One character, between thousands. */
  thousand_separator?: string
}

/** The texts of known clients, and those of others, which known clients ignore. */
export interface UiStrings {
  /** A text of another client. */
  [key: string]: string | undefined
  /** The question about unsaved changes: its title. */
  save_confirm_title?: string
  /** The question about unsaved changes. */
  save_confirm_message?: string
  /** The question about unsaved changes: save them. */
  save_confirm_save?: string
  /** The question about unsaved changes: leave without them. */
  save_confirm_discard?: string
  /** The question about unsaved changes: stay. */
  save_confirm_cancel?: string
  /** The question at the end: its title. */
  quit_title?: string
  /** The question at the end. */
  quit_message?: string
  /** The question at the end: yes. */
  quit_yes?: string
  /** The question at the end: no. */
  quit_no?: string
  /** The button that logs out. */
  logout?: string
  /** After a record was created. */
  created?: string
  /** After a record was deleted. */
  deleted?: string
  /** After a record was saved. */
  saved?: string
  /** While a record is saved. */
  saving?: string
  /** While a screen is on its way. */
  loading?: string
  /** After a person has changed their mind. */
  cancelled?: string
  /** There is nothing to save. */
  no_changes?: string
  /** After a value was copied. */
  copied?: string
  /** Before the message of an error. */
  error_prefix?: string
  /** Before the message of a save that failed. */
  save_error_prefix?: string
  /** When a login failed. */
  login_error?: string
  /** When the server does not respond. */
  server_unavailable?: string
  /** Before the first response. */
  connecting?: string
}

/** What a {@link MenuScreen} shows. */
export interface Menu {
  /** The title of the panel around the tabs. */
  panel_title: string
  /** A text on the left above the panel. */
  top_left?: string
  /** A text on the right above the panel. */
  top_right?: string
  /** The tabs, from left to right. */
  tabs: readonly MenuTab[]
}

/** One tab of a menu. */
export interface MenuTab {
  /** The text of the tab. */
  label: string
  /** The items of the tab, from top to bottom. */
  items: readonly MenuItem[]
}

/** One line of a menu. */
export interface MenuItem {
  /** The text of the item; of a separator an empty string. */
  label: string
  /** What happens when a person chooses the item. */
  action: MenuAction
}

/** What an item of a menu does. */
export type MenuAction = OpenAction | MessageAction | SeparatorAction | PopupAction

/** Opens something. */
export interface OpenAction {
  /** `open_screen` and `open_menu` open a screen of this server, `open_url` opens a page in a browser. */
  type: 'open_screen' | 'open_menu' | 'open_url'
  /** Where it is. That of a screen is resolved against the origin of the server. */
  url: string
}

/** Shows a message. */
export interface MessageAction {
  /** The kind of action. */
  type: 'message'
  /** The message. */
  text: string
}

/** Draws a line. It cannot be chosen. */
export interface SeparatorAction {
  /** The kind of action. */
  type: 'separator'
}

/** Opens a menu within the menu. */
export interface PopupAction {
  /** The kind of action. */
  type: 'popup'
  /** The items of the inner menu, from top to bottom. */
  items: readonly PopupItem[]
}

/** One line of a menu within the menu. */
export interface PopupItem {
  /** The text of the item. */
  label: string
  /** What happens when a person chooses the item. */
  action: OpenAction | MessageAction
}

/** The paths for the records of a screen. */
export interface Actions {
  /** Where a Card is saved: a client posts a {@link SaveChangeset}. The response is the next screen. */
  save?: string
  /**
   * On a List, or the Card of a record: where the Card for a new record is. On the Card for a new record: where it is
   * posted as a {@link SaveChangeset}. Such a Card has `save` as well, for clients that came to it from a menu.
   */
  create?: string
  /** Where a record is deleted. The response is the next screen. */
  delete?: string
}

/** A group of fields with a heading. */
export interface CardSection {
  /** The name of the section in this screen. */
  id: string
  /** The heading. */
  label: string
  /** The row in which the section stands, from top to bottom; the first is 0. Known clients draw sections without it over each other. */
  row_group?: number
  /** The place within the row, from left to right; the first is 0. */
  column?: number
  /** The fields, from top to bottom. */
  fields: CardField[]
}

/** How a field is drawn, and what can be typed into it. */
export type FieldType =
  | 'Text'
  | 'Decimal'
  | 'Integer'
  | 'Date'
  | 'Email'
  | 'Phone'
  | 'URL'
  | 'Boolean'
  | 'Option'
  | 'Password'
  | 'TextArea'
  | 'DateRange'
  | 'Time'
  | 'Separator'

/** One field of a section. */
export interface CardField {
  /** The name of the field in this screen. Its new value is saved under this name. */
  id: string
  /** The text beside the field. */
  label: string
  /** How the field is drawn. */
  type: FieldType
  /** The value, always as a string; an empty field has an empty string. Dates and numbers are as the {@link Locale} says. */
  value?: string
  /** False: a person can only read it. Default: true. */
  editable?: boolean
  /** True: the cursor is here first. Default: false. */
  focus?: boolean
  /** True: Enter leads to the next field of this kind. */
  quick_entry?: boolean
  /** A grey text in the empty field. */
  placeholder?: string
  /** What a person can choose from. Of the type `Option` only. */
  options?: readonly string[] | readonly FieldOption[]
  /** Where a client finds values to choose from. */
  lookup?: Lookup
  /** The width, in characters. */
  width?: number
  /** The height, in lines of text. Of the type `TextArea` only. */
  rows?: number
  /** The colour of the value. */
  color?: string
  /** Whether the value is bold. */
  bold?: boolean
  /** What a person reads for `true`. Of the type `Boolean` only, as the three below. */
  true_label?: string
  /** What a person reads for `false`. */
  false_label?: string
  /** The colour of `true`. */
  true_color?: string
  /** The colour of `false`. */
  false_color?: string
  /** What a new value must be like. The client checks it; check it again on the server. */
  validation?: FieldValidation
}

/** One choice of a field with the type `Option`. */
export interface FieldOption {
  /** What the person reads. */
  label: string
  /** What is saved. */
  value: string
}

/** What a client checks before it saves a field. */
export interface FieldValidation {
  /** True: it must not be empty. Default: false. */
  required?: boolean
  /** The smallest number. */
  min?: number
  /** The largest number. */
  max?: number
  /** The most digits after the decimal separator. */
  decimals?: number
  /** The shortest text, in characters. */
  min_length?: number
  /** The longest text, in characters. */
  max_length?: number
  /** A regular expression that the text must match. */
  pattern?: string
  /** A mask for what is typed. */
  input_mask?: string
}

/** Where a client finds the values for a field. */
export interface Lookup {
  /** The path of a List to choose from. */
  endpoint: string
  /** The column whose value a person sees. */
  display_field?: string
  /** The path that checks a value which was typed. */
  validate?: string
  /** What a person sees. */
  display?: string
  /** The fields whose values are sent along. */
  context?: readonly LookupContext[]
}

/** A field whose value is sent along with a {@link Lookup}. */
export interface LookupContext {
  /** The `id` of the field. */
  field: string
  /** The name under which it is sent. */
  param?: string
}

/** What a {@link ListScreen} shows. */
export interface ListLines {
  /** The columns, from left to right. */
  columns: readonly ListColumn[]
  /** The rows, from top to bottom. */
  rows?: readonly ListRow[]
  /** The number of rows. */
  row_count?: number
  /** How many rows a page has, where not all are sent. */
  page_size?: number
  /** The page that was sent. */
  current_page?: number
  /** Whether a row can be chosen. */
  selectable?: boolean
  /** Whether the values can be edited. */
  editable?: boolean
  /**
   * The path that opens when a person chooses a row. `{0}` stands for the first value of that row, `{1}` for the second.
   * Left out: rows cannot be chosen.
   */
  on_select?: string
  /** The path that opens for the details of a row. */
  on_drill?: string
  /** The side on which the table stands. */
  table_align?: string
  /** The column whose value a {@link Lookup} takes. */
  value_column?: string
  /** Which fields a {@link Lookup} fills: the name of a column for that of each field. */
  autofill?: Readonly<Record<string, string>>
}

/** One column of a list. */
export interface ListColumn {
  /** The name of the column in this list. */
  id: string
  /** The heading. */
  label: string
  /** How the values are drawn. Left out: as `Text`. */
  type?: FieldType
  /** The side on which the values stand. Left out: the client decides. */
  align?: 'left' | 'center' | 'right'
  /** The width, in characters; `fill` takes what is left. Left out: the client decides. */
  width?: number | 'fill'
  /** Whether the values can be edited. */
  editable?: boolean
  /** True: Enter leads to the next column of this kind. */
  quick_entry?: boolean
  /** What a person can choose from. Of the type `Option` only. */
  options?: readonly string[] | readonly FieldOption[]
  /** Where a client finds values to choose from. */
  lookup?: Lookup
  /** What a new value must be like. */
  validation?: FieldValidation
  /** How the value is reckoned from other columns. */
  formula?: string
}

/** One row of a list. */
export interface ListRow {
  /** The place of the row in the list. The first is 0. */
  index: number
  /** One value for each column, in the order of the columns, always as strings: known clients show them as they are. */
  values: readonly string[]
}

/** A sum below a table. */
export interface Total {
  /** The text beside the value. */
  label: string
  /** The value, as a person reads it. */
  value: string
  /** The column that it is made of. */
  source_column?: string
  /** How it is made, for clients in which the values can be edited. */
  aggregate?: 'sum' | 'count' | 'avg' | 'min' | 'max'
  /** How many digits it has after the decimal separator. */
  decimals?: number
}

/** A button of a screen. */
export interface ScreenAction {
  /** The name of the action. The client sends it as `action_id`. */
  id: string
  /** The text of the button. */
  label: string
  /** The name of a picture. */
  icon?: string
  /** `simple` acts at once, `confirm` asks first, `modal` opens a small form first. Left out: `simple`. */
  kind?: 'simple' | 'confirm' | 'modal'
  /** The path to which the client posts the action, as an {@link ActionRequest}. */
  endpoint: string
  /** The question of a `confirm`. It acts only after a yes. */
  confirm_message?: string
  /** The form of a `modal`, from top to bottom. */
  fields?: readonly ActionField[]
}

/** One field in the form of a {@link ScreenAction}. */
export interface ActionField {
  /** The name of the field in this form. Its value is sent under this name. */
  id: string
  /** The text beside the field. */
  label: string
  /** How the field is drawn. */
  type: FieldType
  /** The value, always as a string. */
  value?: string
  /** True: it must not be empty. Default: false. */
  required?: boolean
  /** A grey text in the empty field. */
  placeholder?: string
  /** What a person can choose from. Of the type `Option` only. */
  options?: readonly string[] | readonly FieldOption[]
  /** The height, in lines of text. Of the type `TextArea` only. */
  rows?: number
  /** What the value must be like. */
  validation?: FieldValidation
}

/** What a client posts to one of the {@link Actions}. The response is the next screen. */
export interface SaveChangeset {
  /** That of the screen; null or left out when it has none. */
  screen_id?: string | null
  /** That of the screen; null or left out when it has none. */
  record_id?: string | null
  /**
   * The new values of the fields that a person changed, by the `id` of the field, always as strings: dates and numbers as
   * the {@link Locale} of the screen says, or as ISO 8601 and with a point. Some clients send all fields of a new record.
   */
  changes: Readonly<Record<string, string>>
  /** Which of the actions it is. */
  action?: keyof Actions | null
}

/** What a client posts to the `endpoint` of a {@link ScreenAction}. The response is an {@link ActionResponse}. */
export interface ActionRequest {
  /** The `id` of the action. */
  action_id: string
  /** That of the screen; null or left out when it has none. */
  record_id?: string | null
  /** The title of the screen. */
  screen_title?: string
  /** What the person typed into the form of a `modal`, by the `id` of the field. */
  fields?: Readonly<Record<string, string>>
}

/** The response to an {@link ActionRequest}. */
export interface ActionResponse {
  /** Whether it was done. */
  success: boolean
  /** A message for the bar at the bottom. */
  message?: string
  /** Why it was not done, for the bar at the bottom. */
  error?: string
  /** The screen that replaces the one that is shown. */
  screen?: AnyScreen
  /** The path of a screen that opens. */
  push_url?: string
  /** The path of a screen that opens in the place of the one that is shown. */
  redirect_url?: string
}
