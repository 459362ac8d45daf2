import type { Test } from 'tap'

/** The two clocks of a process, `Date` and `performance`, which only the test advances. */
export interface StoppedClock {
  /** Advances both clocks; a negative number sets them back. */
  advance(seconds: number): void
  /** Advances only the time of day, like a change of the system clock. */
  advanceTimeOfDay(seconds: number): void
}

/** Stops both clocks until the test ends, at a whole millisecond, because fractions do not add up exactly. */
export function stopClock(t: Test): StoppedClock {
  let timeOfDay = Date.now()
  let uptime = Math.floor(performance.now())
  t.intercept(Date, 'now', { value: () => timeOfDay, configurable: true })
  t.intercept(performance, 'now', { value: () => uptime, configurable: true })
  return {
    advance(seconds) {
      timeOfDay += seconds * 1000
      uptime += seconds * 1000
    },
    advanceTimeOfDay(seconds) {
      timeOfDay += seconds * 1000
    }
  }
}
