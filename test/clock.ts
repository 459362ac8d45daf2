import { syncBuiltinESMExports } from 'node:module'
import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Test } from 'tap'

/** Runs the event loop long enough to finish all pending work, without waiting for timers. */
export async function turns(count = 50): Promise<void> {
  for (let i = 0; i < count; i++) await setImmediate()
}

/** Returns how many timers keep this process alive. */
export function timers(): number {
  return process.getActiveResourcesInfo().filter(kind => kind === 'Timeout').length
}

/**
 * Stops the clock and all timers, also those of the library, so that only the test advances the time.
 *
 * @param now the time at which the clock stops, in milliseconds
 */
export function stopClock(t: Test, now = Date.now()) {
  let isStopped = true
  mock.timers.enable({ apis: ['Date', 'setTimeout'], now })
  // Otherwise, modules that have imported a timer keep the real one.
  syncBuiltinESMExports()
  t.teardown(() => {
    isStopped = false
    mock.timers.reset()
    syncBuiltinESMExports()
  })
  return {
    tick: (seconds: number) => mock.timers.tick(Math.round(seconds * 1000)),
    sleep: (seconds: number) => new Promise<void>(resolve => void setTimeout(resolve, seconds * 1000)),
    /** Advances the clock by 1 ms, or by `step`, in each turn of the event loop until a promise settles. */
    async during<T>(promise: Promise<T>, step = 1): Promise<T> {
      let isSettled = false
      const settle = () => {
        isSettled = true
      }
      promise.then(settle, settle)
      while (!isSettled && isStopped) {
        await setImmediate()
        if (isStopped) mock.timers.tick(step)
      }
      return promise
    }
  }
}
