import { type Static, Type } from '@sinclair/typebox'

/**
 * The body of a Card that is saved. Only the changes matter: what is saved is in the URL, and clients differ in what
 * else they send.
 */
export const SaveChangeset = Type.Object({
  changes: Type.Unsafe<Record<string, string>>({
    type: 'object',
    maxProperties: 100,
    additionalProperties: { type: 'string' }
  })
})
export type SaveChangeset = Static<typeof SaveChangeset>

/** Known clients cut a message after so many characters. */
export const LONGEST_MESSAGE = 42

/** The `status` of a screen that refuses a change. `Error:` is no word of a language: clients look for it. */
export function refusal(text: string): string {
  return `Error: ${text}`
}
