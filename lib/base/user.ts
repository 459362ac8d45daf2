import { WrongArgumentError } from './errors.ts'

/** The authenticated user of a request. */
export interface ScreenUser {
  /** Identifies the user: the `sub` claim of the JWT. Never empty. */
  readonly username: string
  /** Shown in the top-right corner of every screen: the `display_name` claim of the JWT. */
  readonly displayName: string
}

/**
 * Copies the two properties of a user from the return value of a host's function; null if it is no user. Tokens carry
 * no other property, and `mainMenu` must get the same user at the login and later.
 */
export function toScreenUser(value: unknown): ScreenUser | null {
  const { username, displayName } = Object(value) as Record<string, unknown>
  const isUser = typeof username === 'string' && username !== '' && typeof displayName === 'string'
  return isUser ? Object.freeze({ username, displayName }) : null
}

/** Checks a user that was passed to this package. */
export function checkUser(value: unknown, name: string): ScreenUser {
  const user = toScreenUser(value)
  if (user === null) throw new WrongArgumentError(`${name} takes a user: { username, displayName }, both strings`)
  return user
}

/**
 * Describes a value that is no user by types, for an error message: `{ username: string, displayName: undefined }`.
 * Never quotes the value, which may contain a password.
 */
export function describeNonUser(value: unknown): string {
  if (typeof value !== 'object' || Array.isArray(value)) return typeName(value)
  const { username, displayName } = Object(value) as Record<string, unknown>
  return `{ username: ${typeName(username)}, displayName: ${typeName(displayName)} }`
}

function typeName(value: unknown): string {
  return value === '' ? 'empty string' : Object.prototype.toString.call(value).slice(8, -1).toLowerCase()
}
