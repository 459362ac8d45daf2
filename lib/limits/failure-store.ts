import { InvalidAnswerError, isFunction, LONGEST_TIME } from '../shared/index.ts'

/** What a store says of one key: its points, and the milliseconds until it is forgotten. */
export interface FailureCount {
  consumedPoints: number
  msBeforeNext: number
}

/** What the throttle needs of a limiter of rate-limiter-flexible. */
export interface FailureStore {
  get(key: string): Promise<FailureCount | null>
  /** Adds a point, in one step that nothing can come between. */
  penalty(key: string): Promise<FailureCount>
  /** Takes a point back. */
  reward(key: string): Promise<FailureCount>
  block(key: string, seconds: number): Promise<unknown>
  delete(key: string): Promise<unknown>
}

export function isStore(store: Partial<FailureStore> | null | undefined): boolean {
  return [store?.get, store?.penalty, store?.reward, store?.block, store?.delete].every(isFunction)
}

/**
 * A number that a store has returned: with anything else no limit would ever be reached.
 *
 * @throws InvalidAnswerError when it is something else
 */
export function finite(number: unknown): number {
  if (Number.isFinite(number)) return number as number
  throw new InvalidAnswerError('the store of the throttle must return numbers')
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
 * So many seconds, or as many as a store can count. A limiter without a database (the `client`) may forget with a timer of
 * Node, and one that is set for more than 24 days fires at once.
 */
export function secondsFor(store: FailureStore, seconds: number): number {
  return 'client' in store || 'hasNoTimerLimit' in store ? seconds : Math.min(seconds, LONGEST_TIME)
}
