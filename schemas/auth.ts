import { type Static, Type } from '@sinclair/typebox'
import { contractType, inline, ScreenContract } from './screen.ts'

/**
 * Body of the credentials submission (contract 2.1). Every value is the string that the person typed: no value is
 * coerced. The map keeps all string fields, for login forms with more fields. Unknown body properties are ignored.
 */
export const AuthRequest = contractType('AuthRequest', 'Body of the credentials submission', {
  fields: Type.Unsafe<Record<string, string>>(
    // Names no properties: code generators would make a type of the named ones and drop all others.
    Type.Object(
      {},
      {
        additionalProperties: Type.String(),
        description:
          'Map from field id to the string that the user entered, never trimmed. The login form defines the ids: `username`, `password`.'
      }
    )
  )
})
/** Body of the credentials submission (contract 2.1). */
export type AuthRequest = Static<typeof AuthRequest>

/**
 * Response to the credentials submission (contract 2.2). All four keys are always present: on success `error` is
 * null, on failure `token` and `screen` are null.
 */
export const AuthResponse = contractType('AuthResponse', 'Response to the credentials submission', {
  success: Type.Boolean({ description: 'Whether authentication succeeded' }),
  token: Type.Union([Type.String(), Type.Null()], {
    description: 'Token for later requests; null on failure'
  }),
  error: Type.Union([Type.String(), Type.Null()], {
    description: 'Human-readable error message; null on success'
  }),
  screen: Type.Union([inline(ScreenContract), Type.Null()], {
    description: 'First screen to show after the login (the main menu); null on failure'
  })
})
/** Response to the credentials submission (contract 2.2). */
export type AuthResponse = Static<typeof AuthResponse>

/**
 * The conditions between `success` and the other values of an AuthResponse. Validators check them; code generators
 * ignore them and make one plain type of the four keys. Only the published schema has the conditions, because Fastify's
 * serializer cannot merge them into a schema.
 */
export const successOrFailure = {
  if: { properties: { success: { const: true } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, not a function
  then: {
    type: 'object',
    properties: { token: { type: 'string', minLength: 1 }, error: { type: 'null' }, screen: { type: 'object' } },
    // Some linters close a schema that has no explicit `additionalProperties`.
    additionalProperties: true
  },
  else: {
    type: 'object',
    properties: { token: { type: 'null' }, error: { type: 'string' }, screen: { type: 'null' } },
    additionalProperties: true
  }
}
