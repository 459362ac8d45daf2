/**
 * Strict types of the screens that known clients draw. There is nothing here at run time.
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

/** What every screen may have. */
export interface AnyScreen {
  /** The title of the screen. */
  title: string
  /** The name of this kind of screen. It comes back with what a person saves. */
  screen_id?: string
  /** The record that the screen shows. It comes back with what a person saves. */
  record_id?: string
  /**
   * A message for the bar at the bottom. After a save, one that begins with `Error:` keeps the screen and what was typed.
   */
  status?: string
  /** The URL of the screen to which "back" leads. */
  parent_url?: string
  /** Texts of the client in another language, by their key. */
  ui_strings?: Record<string, string>
  /** The language of the screen, as `en` or `pt-BR`. */
  locale?: string
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

/** What a {@link MenuScreen} shows. */
export interface Menu {
  /** The title of the panel around the tabs. */
  panel_title: string
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
  items: readonly MenuItem[]
}

/** A form, or a record to read. */
export interface CardScreen extends AnyScreen {
  /** The kind of screen. */
  layout: 'Card'
  /** Groups of fields, from top to bottom. */
  sections: CardSection[]
  /** Where the login form is submitted. On a login form only. */
  auth_action?: string
  /** Where the Card is saved. Left out: it is only to read. */
  actions?: CardActions
  /** Further buttons. */
  screen_actions?: readonly ScreenAction[]
}

/** URLs to which a client posts what a person changed on a {@link CardScreen}. The response is the next screen. */
export interface CardActions {
  /** Saves the record. */
  save?: string
  /** Makes a new record. */
  create?: string
  /** Deletes the record. */
  delete?: string
}

/** A group of fields with a heading. */
export interface CardSection {
  /** The name of the section in this screen. */
  id: string
  /** The heading. */
  label: string
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
  /** The value, always as a string; an empty field has an empty string. */
  value: string
  /** False: a person can only read it. Default: true. */
  editable?: boolean
  /** True: the cursor is here first. Default: false. */
  focus?: boolean
  /** A grey text in the empty field. */
  placeholder?: string
  /** What a person can choose from. Of the type `Option` only. */
  options?: readonly (string | FieldOption)[]
  /** The height, in lines of text. Of the type `TextArea` only. */
  rows?: number
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
  /** The longest text, in characters. */
  max_length?: number
  /** A regular expression that the text must match. */
  pattern?: string
}

/** A table. */
export interface ListScreen extends AnyScreen {
  /** The kind of screen. */
  layout: 'List'
  /** What the table shows. */
  lines: ListLines
  /** Buttons. */
  screen_actions?: readonly ScreenAction[]
}

/** What a {@link ListScreen} shows. */
export interface ListLines {
  /** The columns, from left to right. */
  columns: readonly ListColumn[]
  /** The rows, from top to bottom. */
  rows: readonly ListRow[]
  /** The number of rows. */
  row_count: number
  /**
   * The URL that opens when a person chooses a row. `{0}` stands for the first value of that row, `{1}` for the second.
   * Left out: rows cannot be chosen.
   */
  on_select?: string
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
  /** The width, in characters. Left out: the client decides. */
  width?: number
}

/** One row of a list. */
export interface ListRow {
  /** The place of the row in the list. The first is 0. */
  index: number
  /** One value for each column, in the order of the columns, always as strings. */
  values: readonly string[]
}

/** A button of a screen. */
export type ScreenAction = SimpleAction | ConfirmAction | ModalAction

/** What every button of a screen has. */
export interface AnyScreenAction {
  /** The name of the action. The client sends it as `action_id`. */
  id: string
  /** The text of the button. */
  label: string
  /** The URL to which the client posts the action. */
  endpoint: string
}

/** A button that acts at once. */
export interface SimpleAction extends AnyScreenAction {
  /** The kind of button. */
  kind: 'simple'
}

/** A button that asks first. */
export interface ConfirmAction extends AnyScreenAction {
  /** The kind of button. */
  kind: 'confirm'
  /** The question that the person must answer with yes. */
  confirm_message: string
}

/** A button that opens a small form first. */
export interface ModalAction extends AnyScreenAction {
  /** The kind of button. */
  kind: 'modal'
  /** The fields of the form, from top to bottom. */
  fields: readonly CardField[]
}

/** What a client posts to one of the {@link CardActions}. The response is the next screen. */
export interface SaveChangeset {
  /** That of the screen; null or left out when it has none. */
  screen_id?: string | null
  /** That of the screen; null or left out when it has none. */
  record_id?: string | null
  /** The new values of the fields that a person changed, by the `id` of the field, always as strings. */
  changes: Readonly<Record<string, string>>
  /** Which of the actions it is. */
  action?: keyof CardActions | null
}

/** What a client posts to the `endpoint` of a {@link ScreenAction}. The response is an {@link ActionResponse}. */
export interface ActionRequest {
  /** The `id` of the action. */
  action_id: string
  /** That of the screen; null or left out when it has none. */
  record_id?: string | null
  /** The title of the screen. */
  screen_title?: string
  /** What the person typed into the form of a {@link ModalAction}, by the `id` of the field. */
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
  screen?: MenuScreen | CardScreen | ListScreen
  /** The URL of a screen that opens. */
  push_url?: string
  /** The URL of a screen that opens in the place of the one that is shown. */
  redirect_url?: string
}
