import { type Static, Type } from '@sinclair/typebox'
import { ACCEPTED, CREDENTIALS, REJECTED } from './examples.ts'
import { inline, ScreenContract, typed } from './screen.ts'

/**
 * Body of the credentials submission (contract 2.1). Every value is a string as the person typed it: nothing is
 * coerced. Further string fields are kept for a form that has more of them; unknown body properties are ignored.
 */
export const AuthRequest = typed(
  Type.Object(
    {
      fields: Type.Unsafe<Record<string, string>>(
        // Without names: of a map that has some, code generators make a type that loses the rest.
        Type.Object(
          {},
          {
            additionalProperties: Type.String(),
            description:
              'Map from field id to the string entered by the user, never trimmed. The ids are those of the login form: `username`, `password`.',
            examples: [CREDENTIALS.fields]
          }
        )
      )
    },
    {
      $id: 'AuthRequest',
      title: 'AuthRequest',
      description: 'Body of the credentials submission',
      examples: [CREDENTIALS],
      additionalProperties: true
    }
  )
)
/** Body of the credentials submission (contract 2.1). */
export type AuthRequest = Static<typeof AuthRequest>

/**
 * Response of the credentials submission (contract 2.2). All four keys are always present: on success `error` is
 * null, on failure `token` and `screen` are null.
 */
export const AuthResponse = typed(
  Type.Object(
    {
      success: Type.Boolean({ description: 'Whether authentication succeeded' }),
      token: Type.Union([Type.String(), Type.Null()], {
        description: 'Token for later requests; null on failure'
      }),
      error: Type.Union([Type.String(), Type.Null()], {
        description: 'Human-readable error message; null on success'
      }),
      screen: Type.Union([inline(ScreenContract), Type.Null()], {
        description: 'Initial screen (the main menu) to show at once; null on failure'
      })
    },
    {
      $id: 'AuthResponse',
      title: 'AuthResponse',
      description: 'Response of the credentials submission',
      examples: [ACCEPTED, REJECTED],
      additionalProperties: true
    }
  )
)
/** Response of the credentials submission (contract 2.2). */
export type AuthResponse = Static<typeof AuthResponse>

/**
 * How the values of an AuthResponse depend on `success`, for validators. Code generators ignore it and make one plain
 * type of the four keys. Only in the published schema: Fastify's serializer cannot merge conditions into a schema.
 */
export const successOrFailure = {
  if: { properties: { success: { const: true } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, not a function
  then: open({
    token: { type: 'string', minLength: 1 },
    error: { type: 'null' },
    screen: { type: 'object' }
  }),
  else: open({ token: { type: 'null' }, error: { type: 'string' }, screen: { type: 'null' } })
}

/** Some linters close a schema that does not say that it is open. */
function open(properties: object): object {
  return { type: 'object', properties, additionalProperties: true }
}
