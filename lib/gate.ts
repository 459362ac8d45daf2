/**
 * Lets so many run at a time; the others wait for their turn in the order they came. By hand, because one is made for
 * each login: with p-limit that took longer than all counters of the throttle, with p-queue several times as long.
 */
export class Gate {
  readonly #waiting: (() => void)[] = []
  #most: number
  #running = 0

  constructor(most: number) {
    this.#most = most
  }

  get isFull(): boolean {
    return this.#running >= this.#most
  }

  get most(): number {
    return this.#most
  }

  set most(most: number) {
    this.#most = most
    this.#letIn()
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.isFull) await new Promise<void>(resolve => this.#waiting.push(resolve))
    else this.#running++
    try {
      return await work()
    } finally {
      this.#running--
      this.#letIn()
    }
  }

  #letIn(): void {
    while (!this.isFull) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      this.#running++
      next()
    }
  }
}
