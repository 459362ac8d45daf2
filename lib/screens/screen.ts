import { isScreenContract, ScreenContract } from '../../schemas/generated/compiled.ts'
import { ClientGoneError, InvalidAnswerError, ScreenFailedError } from '../base/errors.ts'
import type { ScreenUser } from '../base/user.ts'

const contractProperties = Object.keys(ScreenContract.properties)

/** Calls a host's function that returns a screen, and checks the screen against the schema. */
export async function makeScreen(source: string, make: () => unknown): Promise<ScreenContract> {
  try {
    const screen = plainScreen(await make())
    if (isScreenContract(screen)) return screen
    throw new InvalidAnswerError(`${source} must return a ScreenContract: ${await schemaError(screen)}`)
  } catch (cause) {
    if (cause instanceof ClientGoneError) throw cause
    // Hides the status of the host's error: after a 401 the client would drop a valid token.
    throw new ScreenFailedError(source, { cause })
  }
}

/** @throws ScreenFailedError if JSON cannot represent it: a cycle, a BigInt, an object whose toJSON throws */
export function screenJson(source: string, screen: ScreenContract): string {
  try {
    const text: string | undefined = JSON.stringify(screen)
    if (text?.startsWith('{')) return text
    throw new InvalidAnswerError(`the toJSON of the screen that ${source} returns must return an object`)
  } catch (cause) {
    throw new ScreenFailedError(source, { cause })
  }
}

/**
 * Copies a screen to a plain object, because a host may return an instance of a class. Calls its toJSON, if any. Copies
 * its own properties, and the values of inherited getters for `names`. Returns any other value unchanged.
 */
export function plainScreen(value: unknown, names = contractProperties): unknown {
  const source = value as { toJSON?: unknown } | null | undefined
  const screen: unknown = typeof source?.toJSON === 'function' ? source.toJSON() : value
  if (typeof screen !== 'object' || screen === null || Array.isArray(screen)) return screen
  const copy: Record<string, unknown> = { ...screen }
  // Most screens are plain objects without getters on a prototype.
  if (Object.getPrototypeOf(screen) === Object.prototype) return copy
  for (const name of names) {
    const property = (screen as Record<string, unknown>)[name]
    if (property !== undefined) copy[name] = property
  }
  return copy
}

/** Describes the first schema error. TypeBox is imported on demand, because it takes longer to load than the plugin. */
async function schemaError(screen: unknown): Promise<string> {
  const { Errors } = await import('@sinclair/typebox/errors')
  const schemas = await import('../../schemas/index.ts')
  let error = Errors(schemas.ScreenContract, screen).First()
  // The error of a property that may be null has the errors of its other type.
  for (let inner = error; inner; inner = inner.errors[0]?.First()) error = inner
  return `${error?.path || 'screen'}: ${error?.message}`
}

/** Sets the user's name on a screen without a name. Changes the screen, which must not be shared between users. */
export function setDisplayName(screen: ScreenContract, user: ScreenUser): void {
  if (typeof screen.user_display_name !== 'string') screen.user_display_name = user.displayName
}
