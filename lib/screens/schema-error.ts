import { Errors } from '@sinclair/typebox/errors'
import { ScreenContract } from '../../schemas/index.ts'

/**
 * What is wrong with a screen that breaks the contract. Import this file only when there is such a screen: TypeBox
 * takes longer to load than the rest of the plugin.
 */
export function screenFault(screen: unknown): string {
  const error = Errors(ScreenContract, screen).First()
  return `${error?.path || 'screen'}: ${error?.message}`
}
