// Where failed logins are counted: in memory, in a store that several servers share, or in both.
export {
  FAILURE,
  type FailureCount,
  type FailureStore,
  type FailureStoreOptions,
  finite
} from './failure-store.ts'
export { insuredStore } from './insured-store.ts'
export { makeStore } from './make-store.ts'
export { MemoryStore } from './memory-store.ts'
export { Outage } from './outage.ts'
