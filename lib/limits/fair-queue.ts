import { OverloadedError } from '../shared/index.ts'
import type { LimitSettings } from './options.ts'

type Login = { network: string }
type WaitingLogin = Login & { start: () => void }

/** Creates a semaphore for logins. The networks of those that wait take turns. */
export function createFairQueue({ concurrency, waiting: maxWaiting, timeout }: LimitSettings['checks']) {
  const running = new Set<Login>()
  let waiting: WaitingLogin[] = []

  function begin(login: Login): () => void {
    running.add(login)
    const end = () => {
      clearTimeout(timer)
      if (!running.delete(login)) return
      const [next, ...others] = waiting
      // The network of the next login goes to the end.
      const isSame = ({ network }: Login) => network === next?.network
      waiting = [...others.filter(other => !isSame(other)), ...others.filter(isSame)]
      next?.start()
    }
    const timer = setTimeout(end, timeout * 1000)
    return end
  }

  /**
   * Waits for a turn.
   * @param signal removes a waiting login. A running one goes on, because hashing a password cannot be stopped
   * @returns a function that ends the turn. The turn ends after `timeout` even if the check still runs
   * @throws OverloadedError when too many logins run or wait, in total or from one network
   */
  return async function enter(network: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    const all = [...running, ...waiting]
    const own = all.filter(login => login.network === network)
    if (Math.max(all.length, 2 * own.length) >= concurrency + maxWaiting) throw new OverloadedError()
    if (running.size < concurrency) return begin({ network })
    return new Promise((resolve, reject) => {
      const login = { network, start: () => resolve(begin(login)) }
      waiting.push(login)
      signal.addEventListener('abort', () => {
        waiting = waiting.filter(other => other !== login)
        reject(signal.reason)
      })
    })
  }
}
