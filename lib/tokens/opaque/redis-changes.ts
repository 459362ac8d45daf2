import type { Changes, TokenStore } from './checked-store.ts'

type Listener = (...args: unknown[]) => void

interface Emitter {
  on(event: string, listener: Listener): unknown
}

/** A client of node-redis, as far as it matters here. */
interface RedisClient extends Emitter {
  options?: { emitInvalidate?: boolean }
  clientSideCache?: Emitter & { set(): void }
  /** What only a Cluster has. */
  nodeClient?: unknown
}

/** Events after which changes may have been missed: Redis reports each one once, and not to a connection that is lost. */
const LOSSES = ['error', 'reconnecting', 'end', 'topology-change']

/**
 * The changes that Redis reports to a Keyv: its client must have been made with `RESP: 3` and `emitInvalidate: true`, or
 * with a `clientSideCache`, which a Sentinel needs. Null for every other store, a Cluster too: each of its nodes reports
 * its own changes only.
 */
export function redisChanges(store: TokenStore & { store?: { client?: RedisClient } }): Changes | null {
  const client = store.store?.client
  const cache = client?.clientSideCache
  if (cache !== undefined) {
    // Nothing may be kept in it: a reply that arrives after the report of a change would stay, although outdated.
    cache.set = () => {}
  }
  if (client?.nodeClient !== undefined) return null

  const source = cache ?? (client?.options?.emitInvalidate ? client : undefined)
  if (client === undefined || source === undefined) return null
  return {
    onChange(listener) {
      source.on('invalidate', key => listener(key === null ? null : withoutNamespace(String(key))))
      for (const event of LOSSES) client.on(event, () => listener(null))
    }
  }
}

function withoutNamespace(key: string): string {
  return key.slice(key.lastIndexOf('screen_auth_'))
}
