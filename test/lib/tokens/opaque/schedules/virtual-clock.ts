import { AsyncLocalStorage } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'
import timers, { setImmediate as turn } from 'node:timers/promises'

interface Timer {
  /** By the monotonic clock of its machine. */
  due: number
  machine: Machine | undefined
  run(): void
  unref(): Timer
}

/** The two clocks of a machine. */
export class Machine {
  readonly #clock: VirtualClock
  /** Milliseconds by which its time of day is ahead. */
  readonly #ahead: number
  /** For how long it was suspended, so far. */
  #suspended = 0
  #suspendedSince: number | null = null

  constructor(clock: VirtualClock, ahead: number) {
    this.#clock = clock
    this.#ahead = ahead
  }

  get isSuspended(): boolean {
    return this.#suspendedSince !== null
  }

  get timeOfDay(): number {
    return this.#clock.now + this.#ahead
  }

  /** Stands still while the machine is suspended. */
  get monotonic(): number {
    return (this.#suspendedSince ?? this.#clock.now) - this.#suspended
  }

  suspend(): void {
    this.#suspendedSince ??= this.#clock.now
  }

  resume(): void {
    this.#suspended += this.#clock.now - (this.#suspendedSince ?? this.#clock.now)
    this.#suspendedSince = null
  }

  /** Runs code on this machine: its clocks are read, and its timers started, until all that comes of it is over. */
  run<T>(code: () => T): T {
    return machines.run(this, code)
  }
}

const machines = new AsyncLocalStorage<Machine>()

/** The clocks and timers of all machines, which go on only when the test says so. */
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
    const machine = machines.getStore()
    // Whole milliseconds, as in Node: with parts of them, sums are not exact.
    const due = (machine?.monotonic ?? this.#now) + Math.max(1, Math.trunc(milliseconds))
    const timer = { due, machine, run: () => (machine ? machine.run(run) : run()), unref: () => timer }
    this.#timers.add(timer)
    return timer
  }

  clearTimeout(timer: Timer | undefined): void {
    if (timer !== undefined) this.#timers.delete(timer)
  }

  /** Lets time pass, and each timer run when it is due. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds
    for (let timer = this.#first(end); timer !== null; timer = this.#first(end)) {
      this.#now = Math.max(this.#now, this.#dueOf(timer))
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

  #first(end: number): Timer | null {
    let first: Timer | null = null
    for (const timer of this.#timers)
      if (this.#dueOf(timer) <= end && this.#dueOf(timer) < (first ? this.#dueOf(first) : Infinity))
        first = timer
    return first
  }

  #dueOf({ due, machine }: Timer): number {
    if (machine === undefined) return due
    return machine.isSuspended ? Infinity : this.#now + due - machine.monotonic
  }
}

/** Makes all code of this thread use a virtual clock from now on. */
export function useVirtualClock(): VirtualClock {
  const clock = new VirtualClock()
  Date.now = () => machines.getStore()?.timeOfDay ?? clock.now
  performance.now = () => machines.getStore()?.monotonic ?? clock.now
  const globals: object = {
    setTimeout: clock.setTimeout.bind(clock),
    clearTimeout: clock.clearTimeout.bind(clock)
  }
  Object.assign(globalThis, globals)
  const sleep: object = (milliseconds: number) =>
    new Promise<void>(resolve => {
      clock.setTimeout(resolve, milliseconds)
    })
  Object.assign(timers, { setTimeout: sleep })
  syncBuiltinESMExports()
  return clock
}
