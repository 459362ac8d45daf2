// Screens of a host that uses the types to find typing mistakes.
import Fastify from 'fastify'
import type { LoginForm, MainMenu } from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import type * as Screens from 'fastify-screen-auth/screens'
import type { CardField, CardScreen, ListScreen, MenuAction, MenuScreen } from 'fastify-screen-auth/screens'

// The reference server shows that the types accept what it sends. These have what it does not send.
const field = { id: 'name', label: 'Name', type: 'Option', value: 'b', options: [{ label: 'B', value: 'b' }] } as const
const popup = { type: 'popup', items: [{ label: 'A', action: { type: 'message', text: 'B' } }] } as const
const items = [
  { label: 'Help', action: { type: 'open_url', url: 'https://example.com' } },
  { label: 'More', action: popup }
] as const
const menu = {
  layout: 'Menu',
  title: 'Main Menu',
  menu: { panel_title: 'Main', tabs: [{ label: 'Start', items }] }
} satisfies MenuScreen

const card = {
  layout: 'Card',
  title: 'Profile',
  ui_strings: { saved: 'Gespeichert.', log_in: 'Anmelden' },
  sections: [{ id: 'me', label: 'Me', fields: [{ ...field, options: ['a', 'b'], validation: { min: 0, max: 9 } }] }],
  screen_actions: [{ id: 'a', label: 'A', endpoint: '/a', kind: 'modal', fields: [{ ...field, required: true }] }]
} satisfies CardScreen

const list = {
  layout: 'List',
  title: 'Users',
  lines: { columns: [{ id: 'name', label: 'Name', align: 'left' }], rows: [{ index: 0, values: ['Ada'] }] }
} as const satisfies ListScreen

export const saved = { record_id: null, changes: { name: 'Ada' }, action: 'save' } satisfies Screens.SaveChangeset
export const responses: Screens.ActionResponse[] = [{ success: true, screen: card }]

// The strict types are accepted wherever a screen is expected.
declare const typed: MenuScreen | CardScreen | ListScreen
export const contracts: ScreenContract[] = [menu, card, list, typed]
export const mainMenu: MainMenu = () => menu
export const loginForm: LoginForm = () => typed
Fastify().get('/', { schema: { response: { 200: ScreenContract } } }, async () => typed)

// A host can add its own properties.
declare module 'fastify-screen-auth/screens' {
  interface FieldValidation {
    step?: number
  }
}
interface MapScreen extends CardScreen {
  map_url: string
}
const own = { ...field, validation: { step: 3 } } satisfies CardField
const sections = [{ id: 'map', label: 'Map', fields: [own] }]
export const map = { layout: 'Card', title: 'Map', map_url: '/map.png', sections } satisfies MapScreen

// @ts-expect-error: a typing mistake in an optional property of the screen
export const auth = { layout: 'Card', title: 'Login', sections, auth_acton: '/login' } satisfies CardScreen
// @ts-expect-error: a typing mistake in the layout
export const layout = { layout: 'Crad', title: 'Profile', sections } satisfies CardScreen
// @ts-expect-error: an absent status is left out, never null
export const status = { layout: 'Card', title: 'Profile', sections, status: null } satisfies CardScreen
// @ts-expect-error: a typing mistake in an optional property of a field
export const editable = { ...field, editabel: false } satisfies CardField
// @ts-expect-error: a typing mistake in an optional path of a screen
export const actions = { svae: '/save' } satisfies Screens.Actions
// @ts-expect-error: no URL
export const url = { type: 'open_screen' } satisfies MenuAction
const line = { label: '', action: { type: 'separator' } } as const
// @ts-expect-error: no separator in a popup
export const nested = { type: 'popup', items: [line] } satisfies MenuAction
// @ts-expect-error: an unknown action of a Card
export const deed = { changes: {}, action: 'svae' } satisfies Screens.SaveChangeset
