import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { MemoryStore } from '../stores/memory-store.ts'
import { mayProbe } from '../stores/redis-store.ts'
import type { Store } from '../stores/store.ts'
import { probe, withFallback } from './fallback-store.ts'

/** Blocks further logins after `failures` failed ones, until `seconds` have passed since the first of them. */
export type FailureLimit = { failures: number; seconds: number }

/** The counts of failed logins. All that share them share their limits. */
export type Counts = ReturnType<typeof createCounts>

/** @param given the store of the host. Default: the memory of this process */
export function createCounts(given?: Store) {
  /** The servers whose logins are counted. None in a script. */
  const apps = new Set<FastifyInstance>()
  const store = given ? withFallback(given, apps) : new MemoryStore()
  return {
    store,
    /** The logins of this process that are taking or holding places. */
    attempts: new Set<Attempt>(),

    /** Call it once for a server, before it is ready. */
    attach(root: FastifyInstance): void {
      apps.add(root)
      root.addHook('onClose', async () => void apps.delete(root))
      // Not awaited, so that an outage does not delay the start.
      root.addHook('onReady', async () => void (given && mayProbe.get(given)?.() && probe(store)))
    },

    /** Without a server, a warning becomes a process warning. */
    log(level: 'info' | 'warn', text: string): void {
      if (apps.size === 0 && level === 'warn') process.emitWarning(`screen-auth: ${text}`)
      for (const { log } of apps) log[level](`screen-auth: ${text}`)
    }
  }
}

/** The milliseconds until a full count ends, and the logins of this process that may still give a place back. */
export type FullCount = { ms: number; holders: Attempt[] }

/**
 * A login and its places in the counts. It takes them before the check, so that parallel guesses get no more checks
 * than sequential ones. Places that are not given back are failures.
 */
export class Attempt {
  readonly #counts: Counts
  readonly #id = randomBytes(9).toString('base64url')
  readonly #keys = new Set<string>()
  /** Lets the logins that wait for a place of this one try again. */
  end!: () => void
  // An AbortController would take as long as the rest of an attempt.
  readonly ended = new Promise<void>(resolve => {
    this.end = () => {
      this.#counts.attempts.delete(this)
      resolve()
    }
  })

  constructor(counts: Counts) {
    this.#counts = counts
    counts.attempts.add(this)
  }

  /** Takes a place. Resolves to null, or to the count if it is full. */
  async take(key: string, { failures, seconds }: FailureLimit): Promise<FullCount | null> {
    const { store, attempts } = this.#counts
    const holders = () => [...attempts].filter(other => other.#keys.has(key))
    const before = holders()
    const { taken, ms } = await store.take(key, failures, seconds * 1000, this.#id)
    // A login may have ended after the store had refused this one, but before its reply was read.
    if (!taken) return { ms, holders: [...before, ...holders()] }
    this.#keys.add(key)
    return null
  }

  /** Never rejects: a place that the store does not take back counts until its count ends. */
  async giveBack(): Promise<void> {
    await Promise.allSettled([...this.#keys].map(async key => this.#counts.store.giveBack(key, this.#id)))
    this.end()
  }
}
