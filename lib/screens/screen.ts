import { isScreenContract, ScreenContract } from '../../schemas/generated/compiled.ts'
import { InvalidAnswerError, ScreenFailedError } from '../shared/index.ts'

const described = Object.keys(ScreenContract.properties)

/**
 * Has a host's function make a screen, and checks it against the schema.
 *
 * @param source the function's name, for the message
 * @throws ScreenFailedError when the function throws or returns something else; `cause` says what is wrong
 */
export async function makeScreen(source: string, make: () => unknown): Promise<ScreenContract> {
  try {
    const screen = plainScreen(await make())
    if (isScreenContract(screen)) return screen
    throw new InvalidAnswerError(`${source} must return a ScreenContract: ${await schemaError(screen)}`)
  } catch (cause) {
    // A status of the host's own error must not pass: with a 401 the client would drop a good token.
    throw new ScreenFailedError(source, { cause })
  }
}

/**
 * The JSON of a screen.
 *
 * @throws ScreenFailedError when it holds what JSON cannot: a circle, a BigInt, an object whose toJSON throws
 */
export function screenText(source: string, screen: ScreenContract): string {
  try {
    const text: string | undefined = JSON.stringify(screen)
    if (text?.startsWith('{')) return text
    throw new InvalidAnswerError(`the toJSON of what ${source} returns must return an object`)
  } catch (cause) {
    throw new ScreenFailedError(source, { cause })
  }
}

/**
 * A copy of a screen, which may be an instance of a host's class, as a plain object: what its toJSON returns, its own
 * properties, and getters for the properties that the contract describes. Anything but an object stays what it is.
 */
export function plainScreen(value: unknown): unknown {
  const screen = hasToJson(value) ? value.toJSON() : value
  if (typeof screen !== 'object' || screen === null || Array.isArray(screen)) return screen
  const copy: Record<string, unknown> = { ...screen }
  // Most screens are plain objects, with nothing to be read elsewhere.
  if (Object.getPrototypeOf(screen) === Object.prototype) return copy
  for (const name of described) {
    const property = (screen as Record<string, unknown>)[name]
    if (property !== undefined) copy[name] = property
  }
  return copy
}

function hasToJson(value: unknown): value is { toJSON(): unknown } {
  return typeof (value as { toJSON?: unknown } | null)?.toJSON === 'function'
}

/** The first thing that is wrong. Imported only here, because TypeBox takes longer to load than the rest of the plugin. */
async function schemaError(screen: unknown): Promise<string> {
  const { Errors } = await import('@sinclair/typebox/errors')
  const schemas = await import('../../schemas/index.ts')
  const error = Errors(schemas.ScreenContract, screen).First()
  return `${error?.path || 'screen'}: ${error?.message}`
}
