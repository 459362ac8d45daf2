import { checkOption, InvalidOptionError } from '../shared/index.ts'
import { type FailureStore, isStore } from './failure-store.ts'
import { InsuredStore } from './insured-store.ts'
import type { Outage } from './outage.ts'

/**
 * Makes a store of the throttle with the host's function.
 *
 * @param outage what the insured stores of a throttle share
 * @throws InvalidOptionError when the function fails or returns something else
 */
export async function makeStore(
  make: () => FailureStore | Promise<FailureStore>,
  outage: Outage
): Promise<FailureStore> {
  const store = await (async () => make())().catch(cause => {
    if (cause instanceof InvalidOptionError) throw cause
    throw new InvalidOptionError('option `throttle.store` must not fail; see the cause', { cause })
  })
  const rule =
    'must return a limiter of rate-limiter-flexible that has get, penalty, reward, block and delete'
  checkOption(isStore(store), 'throttle.store', rule)
  if (store instanceof InsuredStore) store.outage = outage
  return store
}
