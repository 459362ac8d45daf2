import { syncBuiltinESMExports } from 'node:module'
import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Test } from 'tap'

/** Lets the event loop turn often enough for all that is ready, and waits for no timer. */
export async function turns(count = 50): Promise<void> {
  for (let i = 0; i < count; i++) await setImmediate()
}

/**
 * Stops the clock and all timers, those of the library too, so that only the test lets time pass.
 *
 * @param now where the clock stands, in milliseconds
 */
export function stopClock(t: Test, now = Date.now()) {
  let isStopped = true
  mock.timers.enable({ apis: ['Date', 'setTimeout'], now })
  // Else the modules that have imported a timer would keep the real one.
  syncBuiltinESMExports()
  t.teardown(() => {
    isStopped = false
    mock.timers.reset()
    syncBuiltinESMExports()
  })
  return {
    tick: (seconds: number) => mock.timers.tick(seconds * 1000),
    sleep: (seconds: number) => new Promise<void>(resolve => void setTimeout(resolve, seconds * 1000)),
    /** Lets a millisecond pass with each turn of the event loop until a promise is settled. */
    async during<T>(promise: Promise<T>): Promise<T> {
      let isSettled = false
      const settle = () => {
        isSettled = true
      }
      promise.then(settle, settle)
      while (!isSettled && isStopped) {
        await setImmediate()
        if (isStopped) mock.timers.tick(1)
      }
      return promise
    }
  }
}
