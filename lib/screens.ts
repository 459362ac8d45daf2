import { TypeCompiler } from '@sinclair/typebox/compiler'
import { ScreenContract } from '../schemas/index.ts'
import { InvalidAnswerError } from './errors.ts'

const screenContract = TypeCompiler.Compile(ScreenContract)

/**
 * Passes a screen that a host's function made, or says in the log what is wrong with it.
 *
 * @param source the function's name, for the message
 * @throws InvalidAnswerError
 */
export function checkedScreen(screen: unknown, source: string): ScreenContract {
  if (screenContract.Check(screen)) return screen
  const error = screenContract.Errors(screen).First()
  throw new InvalidAnswerError(
    `${source} must answer a ScreenContract: ${error?.path || 'screen'}: ${error?.message}`
  )
}
