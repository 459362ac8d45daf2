/**
 * Strict types of the screens that known clients draw. This module exports only types. The types are those of
 * known-screen.schema.json beside this file. If one property has another type, known clients do not draw the screen.
 *
 * `ScreenContract` allows any property, so it does not detect a misspelt name. These types allow only properties that
 * known clients read. Leave out a property that a screen does not use: null is not allowed.
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

/** Properties of any screen: all properties that known clients read. */
export interface AnyScreen {
  /** Kind of screen. */
  layout: 'Card' | 'List' | 'HeaderLines' | 'Grid' | 'Menu'
  /** Title of the screen. */
  title: string
  /** Name of this kind of screen. The client sends it with every save. */
  screen_id?: string
  /** Id of the record on the screen. The client sends it with every save. */
  record_id?: string
  /** Groups of fields. */
  sections?: CardSection[]
  /** A table. */
  lines?: ListLines
  /** Part of the height, in percent, that a table covers if it lies over the sections. */
  lines_overlay_pct?: number
  /** Whether the table is open initially. */
  lines_open?: boolean
  /** Sums below the table. */
  totals?: readonly Total[]
  /** A menu. */
  menu?: Menu
  /**
   * A message for the bar at the bottom. If the message after a save starts with `Error:`, the client keeps the screen
   * and the entered values.
   */
  status?: string
  /** Path of the screen that "back" opens. */
  parent_url?: string
  /** Path to which the client submits the login form, or a Card that logs in as another user. */
  auth_action?: string
  /** Paths that save, create or delete a record. Left out: the screen is read-only. */
  actions?: Actions
  /** Additional buttons. */
  screen_actions?: readonly ScreenAction[]
  /** Format of dates and numbers on this screen. */
  locale?: Locale
  /** The client's own texts by key, in the language of the screen. */
  ui_strings?: UiStrings
  /** Date that the client uses for today, for example when a person types `t` into a date field. */
  work_date?: string
  /** Name of the user, for the top-right corner. Leave it out: the plugin adds it. */
  user_display_name?: string
}

/** A menu: tabs with items. */
export interface MenuScreen extends AnyScreen {
  /** Kind of screen. */
  layout: 'Menu'
  /** Content of the menu. */
  menu: Menu
}

/** A form, or a read-only record. */
export interface CardScreen extends AnyScreen {
  /** Kind of screen. */
  layout: 'Card'
  /** Groups of fields. */
  sections: CardSection[]
}

/** A table. */
export interface ListScreen extends AnyScreen {
  /** Kind of screen. */
  layout: 'List'
  /** Content of the table. */
  lines: ListLines
}

/**
 * The format of dates and numbers, both those that the server sends and those that a person types. Known clients use
 * `DD-MM-YYYY`, `,` and `.` for properties that are left out. The locale does not name the language: the header
 * Content-Language does.
 */
export interface Locale {
  /** Order of day, month and year. */
  date_format?: 'DD-MM-YYYY' | 'MM-DD-YYYY'
  /** One character, between the integer part and the fraction of a number. */
  decimal_separator?: string
  /** One character, between groups of three digits. */
  thousand_separator?: string
}

/** Texts of known clients. Other clients may have further texts; known clients ignore those. */
export interface UiStrings {
  /** A text of another client. */
  [key: string]: string | undefined
  /** Title of the question about unsaved changes. */
  save_confirm_title?: string
  /** Text of the question about unsaved changes. */
  save_confirm_message?: string
  /** Button that saves unsaved changes. */
  save_confirm_save?: string
  /** Button that discards unsaved changes and leaves the screen. */
  save_confirm_discard?: string
  /** Button that cancels and stays on the screen. */
  save_confirm_cancel?: string
  /** Title of the question whether to quit. */
  quit_title?: string
  /** Text of the question whether to quit. */
  quit_message?: string
  /** Button that quits. */
  quit_yes?: string
  /** Button that does not quit. */
  quit_no?: string
  /** Button that logs out. */
  logout?: string
  /** Shown after a record was created. */
  created?: string
  /** Shown after a record was deleted. */
  deleted?: string
  /** Shown after a record was saved. */
  saved?: string
  /** Shown while a record is being saved. */
  saving?: string
  /** Shown while a screen is loading. */
  loading?: string
  /** Shown after a person has cancelled an action. */
  cancelled?: string
  /** Shown when there is nothing to save. */
  no_changes?: string
  /** Shown after a value was copied. */
  copied?: string
  /** Text before an error message. */
  error_prefix?: string
  /** Text before the error message of a failed save. */
  save_error_prefix?: string
  /** Shown when a login failed. */
  login_error?: string
  /** Shown when the server does not respond. */
  server_unavailable?: string
  /** Shown before the first response. */
  connecting?: string
}

/** Content of a {@link MenuScreen}. */
export interface Menu {
  /** Title of the panel around the tabs. */
  panel_title: string
  /** Text above the panel, on the left. */
  top_left?: string
  /** Text above the panel, on the right. */
  top_right?: string
  /** Tabs, from left to right. */
  tabs: readonly MenuTab[]
}

/** One tab of a menu. */
export interface MenuTab {
  /** Label of the tab. */
  label: string
  /** Items of the tab, from top to bottom. */
  items: readonly MenuItem[]
}

/** One line of a menu. */
export interface MenuItem {
  /** Label of the item; an empty string for a separator. */
  label: string
  /** Action when a person selects the item. */
  action: MenuAction
}

/** Action of a menu item. */
export type MenuAction = OpenAction | MessageAction | SeparatorAction | PopupAction

/** Opens a screen or a web page. */
export interface OpenAction {
  /** `open_screen` and `open_menu` open a screen of this server, `open_url` opens a page in a browser. */
  type: 'open_screen' | 'open_menu' | 'open_url'
  /** URL. The client resolves the URL of a screen against the origin of the server. */
  url: string
}

/** Shows a message. */
export interface MessageAction {
  /** Kind of action. */
  type: 'message'
  /** Message. */
  text: string
}

/** Draws a line that a person cannot select. */
export interface SeparatorAction {
  /** Kind of action. */
  type: 'separator'
}

/** Opens a submenu. */
export interface PopupAction {
  /** Kind of action. */
  type: 'popup'
  /** Items of the submenu, from top to bottom. */
  items: readonly PopupItem[]
}

/** One line of a submenu. */
export interface PopupItem {
  /** Label of the item. */
  label: string
  /** Action when a person selects the item. */
  action: OpenAction | MessageAction
}

/** Paths that save, create and delete records. */
export interface Actions {
  /** Path to which the client posts a {@link SaveChangeset} of a Card. The response is the next screen. */
  save?: string
  /**
   * On a List, or the Card of a record: the path of the Card for a new record. On the Card for a new record: the path to
   * which the client posts a {@link SaveChangeset}. Such a Card also has `save`, for clients that opened it from a menu.
   */
  create?: string
  /** Path that deletes a record. The response is the next screen. */
  delete?: string
}

/** A group of fields with a heading. */
export interface CardSection {
  /** Name of the section in this screen. */
  id: string
  /** Heading. */
  label: string
  /**
   * The row of the section, from top to bottom; the first is 0. Known clients draw sections without `row_group` over
   * each other.
   */
  row_group?: number
  /** Position in the row, from left to right; the first is 0. */
  column?: number
  /** Fields, from top to bottom. */
  fields: CardField[]
}

/** Kind of a field: how the client draws it, and which values it accepts. */
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
  /** Name of the field in this screen. The client sends the new value under this name. */
  id: string
  /** Label of the field. */
  label: string
  /** Kind of field. */
  type: FieldType
  /** Value, always a string; empty for an empty field. Dates and numbers have the format of the {@link Locale}. */
  value?: string
  /** False: the field is read-only. Default: true. */
  editable?: boolean
  /** True: the field has the focus initially. Default: false. */
  focus?: boolean
  /** True: Enter moves the focus to the next field with `quick_entry`. */
  quick_entry?: boolean
  /** Grey text in an empty field. */
  placeholder?: string
  /** Choices. Only for the type `Option`. */
  options?: readonly string[] | readonly FieldOption[]
  /** Source of values to choose from. */
  lookup?: Lookup
  /** Width, in characters. */
  width?: number
  /** Height, in lines of text. Only for the type `TextArea`. */
  rows?: number
  /** Colour of the value. */
  color?: string
  /** Whether the value is bold. */
  bold?: boolean
  /** Text for `true`. This and the three properties below are only for the type `Boolean`. */
  true_label?: string
  /** Text for `false`. */
  false_label?: string
  /** Colour of `true`. */
  true_color?: string
  /** Colour of `false`. */
  false_color?: string
  /** Rules for a new value. The client checks them; check them again on the server. */
  validation?: FieldValidation
}

/** One choice of a field with the type `Option`. */
export interface FieldOption {
  /** Text that a person reads. */
  label: string
  /** Value that the client sends. */
  value: string
}

/** Rules that a client checks before it saves a field. */
export interface FieldValidation {
  /** True: the value must not be empty. Default: false. */
  required?: boolean
  /** Minimum of a number. */
  min?: number
  /** Maximum of a number. */
  max?: number
  /** Maximum number of digits after the decimal separator. */
  decimals?: number
  /** Minimum length, in characters. */
  min_length?: number
  /** Maximum length, in characters. */
  max_length?: number
  /** A regular expression that the value must match. */
  pattern?: string
  /** Input mask. */
  input_mask?: string
}

/** Source of the values for a field. */
export interface Lookup {
  /** Path of a List with the values. */
  endpoint: string
  /** Column with the text that a person reads. */
  display_field?: string
  /** Path that checks a typed value. */
  validate?: string
  /** Text that a person reads. */
  display?: string
  /** Fields whose values the client sends with the request. */
  context?: readonly LookupContext[]
}

/** A field whose value the client sends with the request of a {@link Lookup}. */
export interface LookupContext {
  /** The `id` of the field. */
  field: string
  /** Name of the request parameter. */
  param?: string
}

/** Content of a {@link ListScreen}. */
export interface ListLines {
  /** Columns, from left to right. */
  columns: readonly ListColumn[]
  /** Rows, from top to bottom. */
  rows?: readonly ListRow[]
  /** Number of rows. */
  row_count?: number
  /** Number of rows on a page, if the server sends the rows page by page. */
  page_size?: number
  /** Number of the page that this response contains. */
  current_page?: number
  /** Whether a person can select a row. */
  selectable?: boolean
  /** Whether the values can be edited. */
  editable?: boolean
  /**
   * The path that the client opens when a person selects a row. The client replaces `{0}` with the first value of that
   * row and `{1}` with the second. Left out: a person cannot select rows.
   */
  on_select?: string
  /** Path that the client opens for the details of a row. */
  on_drill?: string
  /** Alignment of the table. */
  table_align?: string
  /** Column whose value a {@link Lookup} uses. */
  value_column?: string
  /** Fields that a {@link Lookup} fills: maps the name of each field to the name of a column. */
  autofill?: Readonly<Record<string, string>>
}

/** One column of a list. */
export interface ListColumn {
  /** Name of the column in this list. */
  id: string
  /** Heading. */
  label: string
  /** Kind of the values. Left out: `Text`. */
  type?: FieldType
  /** Alignment of the values. Left out: the client decides. */
  align?: 'left' | 'center' | 'right'
  /** Width, in characters; `fill` uses the remaining width. Left out: the client decides. */
  width?: number | 'fill'
  /** Whether the values can be edited. */
  editable?: boolean
  /** True: Enter moves the focus to the next column with `quick_entry`. */
  quick_entry?: boolean
  /** Choices. Only for the type `Option`. */
  options?: readonly string[] | readonly FieldOption[]
  /** Source of values to choose from. */
  lookup?: Lookup
  /** Rules for a new value. */
  validation?: FieldValidation
  /** Formula that calculates the value from other columns. */
  formula?: string
}

/** One row of a list. */
export interface ListRow {
  /** Position of the row in the list. The first is 0. */
  index: number
  /** One value for each column, in the order of the columns. Always strings: known clients show them unchanged. */
  values: readonly string[]
}

/** A sum, or another aggregate, below a table. */
export interface Total {
  /** Label of the value. */
  label: string
  /** Value, in the format that a person reads. */
  value: string
  /** Column from which the value is calculated. */
  source_column?: string
  /** Calculation, for clients that let people edit the values. */
  aggregate?: 'sum' | 'count' | 'avg' | 'min' | 'max'
  /** Number of digits after the decimal separator. */
  decimals?: number
}

/** A button of a screen. */
export interface ScreenAction {
  /** Name of the action. The client sends it as `action_id`. */
  id: string
  /** Label of the button. */
  label: string
  /** Name of an icon. */
  icon?: string
  /** `simple` acts immediately, `confirm` first asks a question, `modal` first opens a form. Left out: `simple`. */
  kind?: 'simple' | 'confirm' | 'modal'
  /** Path to which the client posts an {@link ActionRequest}. */
  endpoint: string
  /** Question of a `confirm`. The client posts the action only if the person confirms. */
  confirm_message?: string
  /** Form of a `modal`, from top to bottom. */
  fields?: readonly ActionField[]
}

/** One field in the form of a {@link ScreenAction}. */
export interface ActionField {
  /** Name of the field in this form. The client sends the value under this name. */
  id: string
  /** Label of the field. */
  label: string
  /** Kind of field. */
  type: FieldType
  /** Value, always a string. */
  value?: string
  /** True: the value must not be empty. Default: false. */
  required?: boolean
  /** Grey text in an empty field. */
  placeholder?: string
  /** Choices. Only for the type `Option`. */
  options?: readonly string[] | readonly FieldOption[]
  /** Height, in lines of text. Only for the type `TextArea`. */
  rows?: number
  /** Rules for the value. */
  validation?: FieldValidation
}

/** Body that a client posts to the path of an action in {@link Actions}. The response is the next screen. */
export interface SaveChangeset {
  /** The `screen_id` of the screen; null or left out if the screen has none. */
  screen_id?: string | null
  /** The `record_id` of the screen; null or left out if the screen has none. */
  record_id?: string | null
  /**
   * The new values of the fields that a person changed, by the `id` of the field. Always strings. Dates and numbers have
   * the format of the screen's {@link Locale}, or are ISO 8601 dates and numbers with a decimal point. Some clients send
   * all fields of a new record.
   */
  changes: Readonly<Record<string, string>>
  /** Key of the action. */
  action?: keyof Actions | null
}

/** Body that a client posts to the `endpoint` of a {@link ScreenAction}. The response is an {@link ActionResponse}. */
export interface ActionRequest {
  /** The `id` of the action. */
  action_id: string
  /** The `record_id` of the screen; null or left out if the screen has none. */
  record_id?: string | null
  /** Title of the screen. */
  screen_title?: string
  /** Values that the person typed into the form of a `modal`, by the `id` of the field. */
  fields?: Readonly<Record<string, string>>
}

/** Response to an {@link ActionRequest}. */
export interface ActionResponse {
  /** Whether the server performed the action. */
  success: boolean
  /** Message for the bar at the bottom. */
  message?: string
  /** Reason for a failure, for the bar at the bottom. */
  error?: string
  /** Screen that replaces the current one. */
  screen?: AnyScreen
  /** Path of a screen that the client opens. */
  push_url?: string
  /** Path of a screen that the client opens in place of the current one. */
  redirect_url?: string
}
