import { PASSWORD } from '../../helpers.ts'

export type Fields = Record<string, string>

/** The user that somebody logs in as, if the password is right. */
export const userOf = ({ username, password }: Fields) => (password === PASSWORD ? { username, displayName: '' } : null)

/**
 * Creates a checker whose checks wait until `release` is called.
 *
 * @param waits whether a check waits. Default: every check waits
 */
export function heldChecks(waits = (_fields: Fields) => true) {
  const open: (() => void)[] = []
  let isHeld = true
  return {
    checkCredentials: async (fields: Fields) => {
      if (isHeld && waits(fields)) await new Promise<void>(resolve => open.push(resolve))
      return fields.password === 'wrong' ? null : { username: fields.username, displayName: '' }
    },
    open,
    release() {
      isHeld = false
      for (const resolve of open.splice(0)) resolve()
    }
  }
}

export const never = () => new Promise<never>(() => {})
