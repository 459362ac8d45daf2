/** Data that all servers of the benchmark share: their secret, their responses and their public routes. */

/** Signs the JWTs. */
export const SECRET = 'the shared secret of the benchmark, 32 bytes at least'

/** Display name of every user, so that all responses are the same. */
export const DISPLAY_NAME = 'Ada Lovelace'

/** Password of every user, for servers that check it. */
export const PASSWORD = 'right password'

/** Lifetime of a token, in seconds. */
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
      {
        label: 'Sales',
        items: [item('Customers', '/screen/customers'), item('Invoices', '/screen/invoices')]
      },
      { label: 'Stock', items: [item('Articles', '/screen/articles')] }
    ]
  }
}

/**
 * The menu of one user: the response to `GET /menu/main`.
 *
 * @param {string} displayName
 */
export const menuOf = displayName => ({ ...menu, user_display_name: displayName })

/** Login form: the response to `GET /auth/login`. */
export const form = {
  layout: 'Card',
  title: 'Demo Company',
  auth_action: '/auth/login',
  sections: [
    {
      id: 'login',
      label: 'Login',
      fields: [
        { id: 'username', label: 'Username', type: 'Text', value: '' },
        { id: 'password', label: 'Password', type: 'Password', value: '' }
      ]
    }
  ]
}

/**
 * The response to `POST /auth/login`.
 *
 * @param {unknown} token
 */
export const loggedIn = token => ({ success: true, token, error: null, screen: menuOf(DISPLAY_NAME) })

const string = { type: 'string' }
/** @param {object} properties */
const object = properties => ({ type: 'object', properties })
/** @param {object} items */
const array = items => ({ type: 'array', items })
/** @param {object} schema */
const orNull = schema => ({ anyOf: [schema, { type: 'null' }] })

/** Describes every property of the menu, because Fastify serialises a complete schema fastest. */
const menuSchema = object({
  layout: string,
  title: string,
  user_display_name: string,
  menu: object({
    panel_title: string,
    tabs: array(
      object({
        label: string,
        items: array(object({ label: string, action: object({ type: string, url: string }) }))
      })
    )
  })
})

export const menuOptions = { schema: { response: { 200: menuSchema } } }

/** AuthRequest and AuthResponse of the contract. */
const loginOptions = {
  schema: {
    body: {
      ...object({
        fields: { ...object({ username: string, password: string }), additionalProperties: string }
      }),
      required: ['fields'],
      additionalProperties: true
    },
    response: {
      200: {
        ...object({
          success: { type: 'boolean' },
          token: orNull(string),
          error: orNull(string),
          screen: orNull(object({ ...menuSchema.properties, menu: { type: 'object', additionalProperties: true } }))
        }),
        additionalProperties: true
      }
    }
  }
}

const formText = JSON.stringify(form)

/**
 * Registers the login form, and a login that responds with the token from `issue`.
 *
 * @param {import('fastify').FastifyInstance} app @param {(request: any) => unknown} issue
 */
export function addLogin(app, issue) {
  app.get('/auth/login', async (_request, reply) => reply.type('application/json; charset=utf-8').send(formText))
  app.post('/auth/login', loginOptions, async request => loggedIn(await issue(request)))
}
