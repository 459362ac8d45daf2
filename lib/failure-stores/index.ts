// Where failed logins are counted: in memory, in a store that several servers share, or in both.
export {
  checkCount,
  FAILURE,
  type FailureCount,
  type FailureStore,
  type FailureStoreOptions,
  failuresIn,
  makeStore
} from './failure-store.ts'
export { InsuredStore, insuredStore } from './insured-store.ts'
export { MemoryStore } from './memory-store.ts'
export { Outage } from './outage.ts'
