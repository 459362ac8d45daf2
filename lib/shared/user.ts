/** The person behind a request. */
export interface ScreenUser {
  /** Identifies the user; the `sub` claim of the JWT. Never empty. */
  readonly username: string
  /** Shown in the top-right corner of every screen; the `display_name` claim of the JWT. */
  readonly displayName: string
}

/**
 * Copies the two properties of a user out of what a host's function returned. Only these two are kept, because only
 * these two survive in a token: the menu at login and the menu later must be the same.
 *
 * @returns null when it is not a user
 */
export function toScreenUser(value: unknown): ScreenUser | null {
  const { username, displayName } = (value ?? {}) as Record<string, unknown>
  const valid = typeof username === 'string' && username !== '' && typeof displayName === 'string'
  return valid ? Object.freeze({ username, displayName }) : null
}
