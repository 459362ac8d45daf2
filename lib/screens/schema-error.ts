import { Errors } from '@sinclair/typebox/errors'
import { ScreenContract } from '../../schemas/index.ts'

/**
 * The first thing that is wrong with a screen. Import this file only when there is something: TypeBox takes longer to
 * load than the rest of the plugin.
 */
export function schemaError(screen: unknown): string {
  const error = Errors(ScreenContract, screen).First()
  return `${error?.path || 'screen'}: ${error?.message}`
}
