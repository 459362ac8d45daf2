/**
 * Strict types of the screens that known clients draw. This module exports only types. `npm run contract` generates
 * most of them from known-screen.schema.json. If one property has another type, known clients do not draw the screen.
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
import type { Actions, AnyScreen, CardSection, ListLines, Menu } from './generated/screens.ts'

export type * from './generated/screens.ts'

/** A menu: tabs with items. */
export interface MenuScreen extends AnyScreen {
  layout: 'Menu'
  menu: Menu
}

/** A form, or a read-only record. */
export interface CardScreen extends AnyScreen {
  layout: 'Card'
  sections: CardSection[]
}

/** A table. */
export interface ListScreen extends AnyScreen {
  layout: 'List'
  lines: ListLines
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
