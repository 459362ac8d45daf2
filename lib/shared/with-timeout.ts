import { setImmediate, setTimeout as sleep } from 'node:timers/promises'

/**
 * Waits for a response of a store. The time begins after the turn of the event loop that sends the command, and ends
 * with the turn that reads replies, because a turn may take seconds in a busy process.
 *
 * @param ms the time limit, in milliseconds
 * @throws the result of `onTimeout` if there is no response in time
 */
export async function withTimeout<T>(response: Promise<T>, ms: number, onTimeout: () => Error): Promise<T> {
  await Promise.race([response, setImmediate()])
  const timer = new AbortController()
  const silence = async () => {
    await sleep(ms, undefined, { signal: timer.signal })
    await setImmediate()
    throw onTimeout()
  }
  return Promise.race([response, silence()]).finally(() => timer.abort())
}
