import { OverloadedError } from '../base/errors.ts'
import type { LimitSettings } from './options.ts'

type Waiter = { network: string; start: () => void }

/** Creates a semaphore for logins. The networks of those that wait take turns. */
export function createFairQueue({ concurrency, waiting: maxWaiting }: LimitSettings['checks']) {
  const running = new Set<{ network: string }>()
  let waiting: Waiter[] = []

  function begin(network: string): () => void {
    const login = { network }
    running.add(login)
    return function end() {
      if (!running.delete(login)) return
      const [next, ...others] = waiting
      // The network of the next login goes to the end.
      const isSame = (other: Waiter) => other.network === next?.network
      waiting = [...others.filter(other => !isSame(other)), ...others.filter(isSame)]
      next?.start()
    }
  }

  /** Waits for a turn. Resolves to a function that ends it. */
  return async function enter(network: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    const all = [...running, ...waiting]
    const own = all.filter(login => login.network === network)
    if (Math.max(all.length, 2 * own.length) >= concurrency + maxWaiting) throw new OverloadedError()
    if (running.size < concurrency) return begin(network)
    return new Promise((resolve, reject) => {
      const waiter = { network, start: () => resolve(begin(network)) }
      waiting.push(waiter)
      signal.addEventListener('abort', () => {
        waiting = waiting.filter(other => other !== waiter)
        reject(signal.reason)
      })
    })
  }
}
