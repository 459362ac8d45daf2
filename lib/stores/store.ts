import { isFunction, valid } from '../base/option-rules.ts'

/** Whether the id is in the count, and the milliseconds until the count ends. */
export type Taken = { taken: boolean; ms: number }

/**
 * A store for sessions and failed logins: `redisStore(client, { prefix })`, or an object of your own. Each function may
 * return a promise, and must throw if it fails. Keys are short ASCII, values are JSON, times are milliseconds.
 */
export interface Store {
  /** Returns the value, or null if there is none. */
  get(key: string): unknown
  // biome-ignore lint/suspicious/noExplicitAny: a store of the host may have a narrower type
  set(key: string, value: any, ms: number): unknown
  /** Deletes a value, or a whole count. */
  delete(key: string): unknown
  /** Moves the end of a value that exists. Never creates one: a late call must not restore what was deleted. */
  touch(key: string, ms: number): unknown
  /**
   * Adds an id to a count, in one atomic step, if the count has fewer than `limit` ids or has this one already. A new
   * count ends after `ms`; further ids do not extend it.
   */
  take(key: string, limit: number, ms: number, id: string): Taken | PromiseLike<Taken>
  /** Removes an id from a count, if the count still has it. */
  giveBack(key: string, id: string): unknown
}

const NAMES = ['get', 'set', 'delete', 'touch', 'take', 'giveBack'] as const

/** The rule of the options `store`. */
export const storeRule = valid<Store>(
  value => NAMES.every(name => isFunction(Object(value)[name])),
  `must be redisStore(client, { prefix }), or have the functions ${NAMES.join(', ')}`
)
