import { isScreenContract, ScreenContract } from '../../schemas/generated/compiled.ts'
import { InvalidAnswerError, ScreenFailedError } from '../shared/errors.ts'

const described = Object.keys(ScreenContract.properties)

/**
 * Has a host's function make a screen, and holds it to the contract.
 *
 * @param source the function's name, for the message
 * @throws ScreenFailedError when the function fails or answers something else; `cause` says what is wrong
 */
export async function makeScreen(source: string, make: () => unknown): Promise<ScreenContract> {
  try {
    const screen = plainScreen(await make())
    if (isScreenContract(screen)) return screen
    const { screenFault } = await import('./schema-error.ts')
    throw new InvalidAnswerError(`${source} must answer a ScreenContract: ${screenFault(screen)}`)
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
    throw new InvalidAnswerError(`the toJSON of what ${source} answers must answer an object`)
  } catch (cause) {
    throw new ScreenFailedError(source, { cause })
  }
}

/**
 * A copy of a screen, which may be an instance of a host's class, as a plain object: what its toJSON answers, its own
 * properties, and getters for the properties that the contract describes. Anything but an object stays what it is.
 */
export function plainScreen(answer: unknown): unknown {
  const screen = hasToJson(answer) ? answer.toJSON() : answer
  if (typeof screen !== 'object' || screen === null || Array.isArray(screen)) return screen
  const copy: Record<string, unknown> = { ...screen }
  for (const name of described) {
    const value = (screen as Record<string, unknown>)[name]
    if (value !== undefined) copy[name] = value
  }
  return copy
}

function hasToJson(answer: unknown): answer is { toJSON(): unknown } {
  return typeof (answer as { toJSON?: unknown } | null)?.toJSON === 'function'
}
