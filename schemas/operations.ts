import { ACCEPTED, BLOCKED, CREDENTIALS, failure, LOGIN_FORM, MAIN_MENU, REJECTED } from './examples.ts'

/** An OpenAPI Operation Object of the contract's routes. */
export interface Operation {
  summary: string
  description: string
  tags: string[]
  /** The names of security schemes; empty for a public route. */
  security: Record<string, string[]>[]
  requestBody?: object
  responses: Record<string, Response>
}

/** An OpenAPI Response Object. */
export interface Response {
  description: string
  headers?: Record<string, { description: string; schema: object }>
  content?: object
}

/** The security scheme of every guarded route (contract 5.1), named `screenAuth` so as not to clash with those of a host. */
export const securitySchemes = {
  screenAuth: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of a successful login. The server defines its format: send it unchanged.'
  }
}

export const tags = [
  { name: 'Authentication', description: 'The login of the screen service, and the first screen behind it' }
]

const retryAfter = {
  'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', example: 1 } }
}

const serverError = notOfContract('The screen could not be made. The server defines the format of the body.', {
  statusCode: 500,
  error: 'Internal Server Error',
  message: 'The screen could not be made'
})

/** The operations of the contract (section 4), by path and method. */
export const operations = {
  '/auth/login': {
    get: {
      summary: 'The login form',
      description: 'A Card with the fields `username` and `password`. Public: an Authorization header is ignored.',
      tags: ['Authentication'],
      security: [],
      responses: {
        200: screen('The login form', { form: LOGIN_FORM }),
        404: notOfContract('The server runs in the no-auth mode, and has no login', {
          statusCode: 404,
          error: 'Not Found',
          message: 'Route GET:/auth/login not found'
        }),
        500: serverError
      }
    },
    post: {
      summary: 'Submit the credentials',
      description:
        'Responds with the token and the main menu, or with an error message. Public: an Authorization header is ignored.',
      tags: ['Authentication'],
      security: [],
      requestBody: {
        description:
          'The values of the login form: JSON in UTF-8 without a byte order mark, at most 16 KiB. Refused with 400: a value that is no string, and an id or a value with U+0000 or half of a surrogate pair. An empty or missing `username` or `password` is a rejected login.',
        required: true,
        content: json('AuthRequest', { credentials: CREDENTIALS })
      },
      responses: {
        200: {
          description: 'The login was accepted or rejected, as `success` says',
          headers: {
            'Cache-Control': {
              description: 'No cache may store a token',
              schema: { type: 'string', example: 'no-store' }
            },
            'Retry-After': {
              description: 'Seconds to wait: too many logins have failed, so these credentials were not checked',
              schema: { type: 'integer', example: 900 }
            }
          },
          content: json('AuthResponse', { accepted: ACCEPTED, rejected: REJECTED, blocked: BLOCKED })
        },
        400: refusal('The body is not an AuthRequest', 'The login request is malformed.'),
        413: refusal('The body is too large', 'The login request is too large.'),
        415: refusal('The body is not JSON', 'The login request must be JSON.'),
        500: refusal('The login failed because of an error of the server', 'Login is unavailable. Try again later.'),
        503: {
          ...refusal('Login is unavailable', 'Login is unavailable. Try again later.'),
          headers: retryAfter
        },
        default: refusal('A login that was rejected with another status', REJECTED.error)
      }
    }
  },
  '/menu/main': {
    get: {
      summary: 'The main menu',
      description:
        'The same screen as in the response to a login. Clients request it first: after a 401 they show the login form.',
      tags: ['Authentication'],
      security: [{ screenAuth: [] }],
      responses: {
        200: screen('The main menu', { menu: MAIN_MENU }),
        401: {
          description:
            'The token is missing, invalid or expired: delete it, and show the login form. The body is empty.',
          headers: {
            'WWW-Authenticate': {
              description: 'With `error="invalid_token"` when a token was sent (RFC 6750 3)',
              schema: { type: 'string', example: 'Bearer realm="screen"' }
            }
          }
        },
        500: serverError,
        503: {
          description: 'The server cannot check the token at the moment: keep it, and try again. The body is empty.',
          headers: retryAfter
        }
      }
    }
  }
} satisfies Record<string, Record<string, Operation>>

/** An operation in the no-auth mode (contract 5.7): public, and without the 401. */
export function withoutLogin({ responses, ...operation }: Operation): Operation {
  const { 401: _, ...others } = responses
  return { ...operation, security: [], responses: others }
}

/** `getAuthLogin` for `GET /auth/login`: unique in a document, even when the routes are registered under two prefixes. */
export function operationId(method: string, path: string): string {
  const words = path.split('/').map(word => word.replace(/\W+/g, '_'))
  return method.toLowerCase() + words.map(word => word.slice(0, 1).toUpperCase() + word.slice(1)).join('')
}

function screen(description: string, examples: Record<string, object>): Response {
  return { description, content: json('ScreenContract', examples) }
}

function refusal(description: string, message: string): Response {
  return { description, content: json('AuthResponse', { refused: failure(message) }) }
}

/** A response whose body the contract does not define. */
function notOfContract(description: string, example: object): Response {
  const schema = { type: 'object', additionalProperties: true }
  return { description, content: { 'application/json': { schema, example } } }
}

function json(type: string, examples: Record<string, object>): object {
  const named = Object.entries(examples).map(([name, value]) => [name, { value }])
  return {
    'application/json': {
      schema: { $ref: `#/components/schemas/${type}` },
      examples: Object.fromEntries(named)
    }
  }
}
