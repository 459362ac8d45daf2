/** A wrong setting. The message is one line that names the setting and the fix. */
export class SetupError extends Error {
  override name = 'SetupError'
}

/**
 * Runs a program. Only the owner may read the files that it makes. A wrong setting ends it with exit code 1 and one line
 * instead of a stack trace.
 */
export async function run(program: () => Promise<void>): Promise<void> {
  process.umask(0o077)
  try {
    await program()
  } catch (error) {
    if (!isSetupError(error)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

function isSetupError(error: unknown): error is Error {
  const { code } = error as { code?: string }
  return error instanceof SetupError || code === 'FST_SCREEN_AUTH_INVALID_ENVIRONMENT'
}

/** The host of a URL, for a message; null when it may be a part of a password that was not escaped. */
export function hostOf(url: string): string | null {
  if (!URL.canParse(url)) return null
  const { host, pathname, search, hash } = new URL(url)
  return host === '' || `${pathname}${search}${hash}`.includes('@') ? null : host
}
