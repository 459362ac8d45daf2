import { ACCEPTED, BLOCKED, CREDENTIALS, failure, LOGIN_FORM, MAIN_MENU, REJECTED } from './examples.ts'

/** An operation of the contract's routes. All but the `body` is an OpenAPI Operation Object. */
export interface Operation {
  summary: string
  description: string
  tags: string[]
  /** Names of security schemes; empty for a public route. */
  security: Record<string, string[]>[]
  /** A schema, because @fastify/swagger drops the examples of an OpenAPI Request Body Object. */
  body?: { description: string; allOf: [object]; examples: [object] }
  responses: Record<string, Response>
}

/** An OpenAPI Response Object. */
export interface Response {
  description: string
  headers?: Record<string, { description: string; schema: object }>
  content?: Record<string, { schema: object; example?: object; examples?: object }>
}

/** Security scheme of every guarded route (contract 5.1). Named `screenAuth` to avoid clashes with those of a host. */
export const securitySchemes = {
  screenAuth: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token from a successful login. The server defines the format of the token: send it unchanged.'
  }
}

export const tags = [
  { name: 'Authentication', description: 'The login of the screen service, and the first screen after the login' }
]

const retryAfter = {
  'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', example: 5 } }
}

/** Operations of the contract (section 4), by path and method. */
export const operations = {
  '/auth/login': {
    get: loginFormOperation('/auth/login'),
    post: {
      summary: 'Submit the credentials',
      description:
        'Responds with the token and the main menu, or with an error message. Public: the server ignores an Authorization header.',
      tags: ['Authentication'],
      security: [],
      body: {
        description:
          'The values of the login form: JSON in UTF-8 without a byte order mark, at most 16 KiB. The server responds with 400 if a value is not a string, or if an id or a value contains U+0000 or a lone surrogate. An empty or missing `username` or `password` is a rejected login.',
        allOf: [{ $ref: '#/components/schemas/AuthRequest' }],
        examples: [CREDENTIALS]
      },
      responses: {
        200: {
          description: 'The server accepted or rejected the login: see `success`',
          headers: {
            'Cache-Control': {
              description: 'Caches must not store the token',
              schema: { type: 'string', example: 'no-store' }
            },
            'Retry-After': {
              description:
                'Seconds to wait before the next login. Sent after too many failed logins: the server did not check these credentials.',
              schema: { type: 'integer', example: 900 }
            }
          },
          content: json('AuthResponse', { accepted: ACCEPTED, rejected: REJECTED, blocked: BLOCKED })
        },
        400: failedLogin('The body is not an AuthRequest', 'The login request is malformed.'),
        408: failedLogin('The body did not arrive in time', 'Login is unavailable. Try again later.'),
        413: failedLogin('The body is too large', 'The login request is too large.'),
        415: failedLogin('The body is not JSON', 'The login request must be JSON.'),
        500: failedLogin('The login failed because of a server error', 'Login is unavailable. Try again later.'),
        503: {
          ...failedLogin('Login is unavailable', 'Login is unavailable. Try again later.'),
          headers: retryAfter
        },
        default: failedLogin('The server refused the login with another status', 'The login request was refused.')
      }
    }
  },
  '/menu/main': {
    get: {
      summary: 'The main menu',
      description:
        'The same screen as in the response to a login. Clients request the main menu first. After a 401 they show the login form.',
      tags: ['Authentication'],
      security: [{ screenAuth: [] }],
      responses: {
        200: screen('The main menu', { menu: MAIN_MENU }),
        401: {
          description:
            'The token is missing, invalid or expired: delete the token, and show the login form. The body is empty.',
          headers: {
            'WWW-Authenticate': {
              description: 'Contains `error="invalid_token"` if the request had a token (RFC 6750 3)',
              schema: { type: 'string', example: 'Bearer realm="screen"' }
            }
          }
        },
        500: failedScreen('mainMenu'),
        503: {
          description:
            'The server cannot check the token at the moment: keep the token, and try again later. The body is empty.',
          headers: retryAfter
        }
      }
    }
  }
} satisfies Record<string, Record<string, Operation>>

const { user_display_name: _, ...MENU_WITHOUT_USER } = MAIN_MENU

/** `GET /menu/main` in the no-auth mode (contract 5.7). */
export const menuWithoutLogin: Operation = {
  ...operations['/menu/main'].get,
  description: 'The first screen. This server has no login.',
  security: [],
  responses: { 200: screen('The main menu', { menu: MENU_WITHOUT_USER }), 500: failedScreen('mainMenu') }
}

/** `GET` of a login form that submits to `path`, which may have a prefix. */
export function loginFormOperation(path: string): Operation {
  return {
    summary: 'The login form',
    description:
      'A Card with the fields `username` and `password`. Public: the server ignores an Authorization header.',
    tags: ['Authentication'],
    security: [],
    responses: {
      200: screen('The login form', { form: { ...LOGIN_FORM, auth_action: path } }),
      500: failedScreen('loginForm')
    }
  }
}

/** Returns `getAuthLogin` for `GET /auth/login`: unique even if a host registers the routes under two prefixes. */
export function operationId(method: string, path: string): string {
  const words = path.split('/').map(word => word.replace(/\W+/g, '_'))
  return method.toLowerCase() + words.map(word => word.slice(0, 1).toUpperCase() + word.slice(1)).join('')
}

function screen(description: string, examples: Record<string, object>): Response {
  return { description, content: json('ScreenContract', examples) }
}

function failedLogin(description: string, message: string): Response {
  return { description, content: json('AuthResponse', { refused: failure(message) }) }
}

function failedScreen(option: string): Response {
  return notOfContract('The server failed to create the screen', {
    statusCode: 500,
    code: 'FST_SCREEN_AUTH_SCREEN_FAILED',
    error: 'Internal Server Error',
    message: `screen-auth: ${option} failed`
  })
}

/** A response whose body the contract does not define. */
export function notOfContract(description: string, example: object): Response {
  const schema = { type: 'object', additionalProperties: true }
  return {
    description: `${description}. The contract does not define the format of the body.`,
    content: { 'application/json': { schema, example } }
  }
}

export function json(type: string, examples: Record<string, object>) {
  const named = Object.entries(examples).map(([name, value]) => [name, { value }])
  const schema = { $ref: `#/components/schemas/${type}` }
  return { 'application/json': { schema, examples: Object.fromEntries(named) } }
}
