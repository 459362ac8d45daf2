// The store that sessions and limits share: its type, in memory, in Redis.
export { MemoryStore } from './memory-store.ts'
export { type RedisClient, redisStore } from './redis-store.ts'
export { checkStore, type Store, type Taken } from './store.ts'
