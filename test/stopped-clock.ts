import type { Test } from 'tap'

/** Both clocks of a process, `Date` and `performance`, which stand still until the test moves them. */
export interface StoppedClock {
  /** Moves both clocks; a negative number sets them back. */
  advance(seconds: number): void
  /** Moves only the time of day, as somebody does who sets the clock of the machine. */
  advanceTimeOfDay(seconds: number): void
}

/** Stops both clocks at a whole millisecond, because fractions do not add up exactly. They go on after the test. */
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
