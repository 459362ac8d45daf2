/** Data that all servers of the benchmark share: their secret, their responses and their public routes. */
import { Type } from '@sinclair/typebox'

export const SECRET = 'the shared secret of the benchmark, 32 bytes at least'
/** Of every user, so that all responses are the same. */
export const DISPLAY_NAME = 'Ada Lovelace'
export const PASSWORD = 'right password'
/** Of a token, in seconds. */
export const LIFETIME = 86_400

/** @param {string} label @param {string} url */
const item = (label, url) => ({ label, action: { type: 'open_screen', url } })

/** Main menu without the name of the user. With the name it is about 400 bytes of JSON. */
export const menu = {
  layout: 'Menu',
  title: 'Main Menu',
  menu: {
    panel_title: 'Main',
    tabs: [
      { label: 'Sales', items: [item('Customers', '/screen/customers'), item('Invoices', '/screen/invoices')] },
      { label: 'Stock', items: [item('Articles', '/screen/articles')] }
    ]
  }
}

/** @param {string} displayName */
export const menuOf = displayName => ({ ...menu, user_display_name: displayName })

/** @param {unknown} token */
const loggedIn = token => ({ success: true, token, error: null, screen: menuOf(DISPLAY_NAME) })

// Every property of the menu, because Fastify serialises a complete schema fastest.
const Action = Type.Object({ type: Type.String(), url: Type.String() })
const Tab = Type.Object({
  label: Type.String(),
  items: Type.Array(Type.Object({ label: Type.String(), action: Action }))
})
const Menu = Type.Object({
  layout: Type.String(),
  title: Type.String(),
  user_display_name: Type.String(),
  menu: Type.Object({ panel_title: Type.String(), tabs: Type.Array(Tab) })
})

export const menuOptions = { schema: { response: { 200: Menu } } }

const loginOptions = {
  schema: {
    body: Type.Object({ fields: Type.Record(Type.String(), Type.String()) }),
    response: {
      200: Type.Object({ success: Type.Boolean(), token: Type.String(), error: Type.Null(), screen: Menu })
    }
  }
}

/**
 * Registers a login that responds with the token from `issue`.
 *
 * @param {import('fastify').FastifyInstance} app @param {(request: any) => unknown} issue
 */
export function addLogin(app, issue) {
  app.post('/auth/login', loginOptions, async request => loggedIn(await issue(request)))
}
