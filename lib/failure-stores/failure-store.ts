import { checkOption, InvalidAnswerError, InvalidOptionError, isFunction } from '../shared/index.ts'

/** Points of a failure. A check that is running has one point: so one number, changed in one step, holds both. */
export const FAILURE = 100_000

/** What a store says of one key: its points, and the milliseconds until it is forgotten. */
export interface FailureCount {
  consumedPoints: number
  msBeforeNext: number
}

/** What the throttle needs of a limiter of rate-limiter-flexible. */
export interface FailureStore {
  /** Whether it can keep a key for 30 days. Default: if it has a `client`, because no timer of Node is set for so long. */
  readonly hasNoTimerLimit?: boolean
  get(key: string): Promise<FailureCount | null>
  /**
   * Adds points, in one step that nothing can come between. The first ones start the time of the counter.
   *
   * @param options.customDuration the seconds of a counter that this starts. Default: `duration`
   */
  penalty(key: string, points: number, options?: { customDuration: number }): Promise<FailureCount>
  /** Takes points back. */
  reward(key: string, points: number): Promise<FailureCount>
  /** Keeps a key for so many seconds. */
  block(key: string, seconds: number): Promise<unknown>
  delete(key: string): Promise<unknown>
}

/** Options of a limiter of rate-limiter-flexible. */
export interface FailureStoreOptions {
  /** Keeps what the throttle counts apart within one store. */
  keyPrefix: string
  /** Failures that are allowed. */
  points: number
  /** Seconds until a counter starts again. */
  duration: number
}

/**
 * Makes a store of the throttle with the host's function.
 *
 * @throws InvalidOptionError when the function fails or returns something else
 */
export async function makeStore(make: () => FailureStore | Promise<FailureStore>): Promise<FailureStore> {
  const store = await (async () => make())().catch(cause => {
    if (cause instanceof InvalidOptionError) throw cause
    throw new InvalidOptionError('option `throttle.store` must not fail; see the cause', { cause })
  })
  const rule =
    'must return a limiter of rate-limiter-flexible that has get, penalty, reward, block and delete'
  checkOption(isStore(store), 'throttle.store', rule)
  return store
}

export function isStore(store: Partial<FailureStore> | null | undefined): boolean {
  return [store?.get, store?.penalty, store?.reward, store?.block, store?.delete].every(isFunction)
}

/** The failures in a number of points; the rest is running checks, less than none when some ended twice. */
export function failuresIn(points: number): number {
  return Math.round(points / FAILURE)
}

/** @throws InvalidAnswerError when a store has returned no numbers: then no limit would ever be reached */
export function checkCount(count: FailureCount): FailureCount {
  if (Number.isFinite(count?.consumedPoints) && Number.isFinite(count.msBeforeNext)) return count
  throw new InvalidAnswerError('the store of the throttle must return numbers')
}
