import { syncBuiltinESMExports } from 'node:module'
import timers, { setImmediate as turn } from 'node:timers/promises'

interface Timer {
  due: number
  run(): void
  unref(): Timer
}

/** A clock with its timers, which goes on only when the test says so. */
export class VirtualClock {
  #now = 0
  readonly #timers = new Set<Timer>()

  get now(): number {
    return this.#now
  }

  /** Begins anew, without timers. */
  reset(): void {
    this.#now = 1_000_000
    this.#timers.clear()
  }

  setTimeout(run: () => void, milliseconds: number): Timer {
    // Whole milliseconds, as in Node: with parts of them, sums are not exact.
    const timer = { due: this.#now + Math.max(1, Math.trunc(milliseconds)), run, unref: () => timer }
    this.#timers.add(timer)
    return timer
  }

  clearTimeout(timer: Timer | undefined): void {
    if (timer !== undefined) this.#timers.delete(timer)
  }

  /** Lets time pass, and each timer run when it is due. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds
    for (let timer = this.#first(end); timer !== undefined; timer = this.#first(end)) {
      this.#now = Math.max(this.#now, timer.due)
      this.#timers.delete(timer)
      timer.run()
      await turn()
    }
    // Another one may have gone further meanwhile.
    this.#now = Math.max(this.#now, end)
  }

  /** Lets time pass without a timer, as in a process that was busy. The timers run when time is advanced the next time. */
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
