import { syncBuiltinESMExports } from 'node:module'
import timers, { setImmediate as turn } from 'node:timers/promises'

interface Timer {
  due: number
  run(): void
  unref(): Timer
}

/** A clock with timers that only the test advances. */
export class VirtualClock {
  #now = 0
  readonly #timers = new Set<Timer>()

  get now(): number {
    return this.#now
  }

  /** Resets the time, and removes all timers. */
  reset(): void {
    this.#now = 1_000_000
    this.#timers.clear()
  }

  setTimeout(run: () => void, milliseconds: number): Timer {
    // Whole milliseconds, as in Node, because sums of fractions are not exact.
    const timer = { due: this.#now + Math.max(1, Math.trunc(milliseconds)), run, unref: () => timer }
    this.#timers.add(timer)
    return timer
  }

  clearTimeout(timer: Timer | undefined): void {
    if (timer !== undefined) this.#timers.delete(timer)
  }

  /** Advances the time, and runs each timer when it is due. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds
    for (let timer = this.#first(end); timer !== undefined; timer = this.#first(end)) {
      this.#now = Math.max(this.#now, timer.due)
      this.#timers.delete(timer)
      timer.run()
      await turn()
    }
    // Another call may have advanced the time further.
    this.#now = Math.max(this.#now, end)
  }

  /** Advances the time without timers, like a blocked event loop. The next `advance` runs them. */
  skip(milliseconds: number): void {
    this.#now += milliseconds
  }

  #first(end: number): Timer | undefined {
    return [...this.#timers].filter(({ due }) => due <= end).sort((one, other) => one.due - other.due)[0]
  }
}

/** Makes all code of this thread use a virtual clock from now on. */
export function useVirtualClock(): VirtualClock {
  const clock = new VirtualClock()
  Date.now = performance.now = () => clock.now
  const setTimeout = clock.setTimeout.bind(clock)
  const globals: object = { setTimeout, clearTimeout: clock.clearTimeout.bind(clock) }
  Object.assign(globalThis, globals)
  const sleep = (milliseconds: number) => new Promise<void>(resolve => setTimeout(resolve, milliseconds))
  Object.assign(timers, { setTimeout: sleep as object })
  syncBuiltinESMExports()
  return clock
}
