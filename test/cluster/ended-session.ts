/** Milliseconds for which a process that does not hear of an end may believe a session: the default of `cache`. */
export const BELIEF = 3_000

/** A session that has been ended, and what each process was told of it. To be made when the end has been confirmed. */
export class EndedSession {
  readonly token: string
  readonly #endedBy: number
  readonly #end = performance.now()
  /** When the first request was sent that a process has refused. */
  readonly #refusals = new Map<number, number>()
  readonly #believers = new Set<number>()

  /** @param endedBy the process that ended it */
  constructor(token: string, endedBy: number) {
    this.token = token
    this.#endedBy = endedBy
  }

  /**
   * Whether a process may let in a request that was sent at this time: not the one that ended the session, not once it
   * has refused it, and not too late. A request is judged after it was sent, so a slow machine puts no blame on anyone.
   */
  mayBelieve(member: number, sent: number): boolean {
    return member !== this.#endedBy && !this.#refusals.has(member) && sent < this.#end + BELIEF
  }

  /** Notes that a process has let in a request. Returns whether it may. */
  believe(member: number, sent: number): boolean {
    this.#believers.add(member)
    return this.mayBelieve(member, sent)
  }

  /** Notes that a process has not let in a request. */
  refuse(member: number, sent: number): void {
    if (!this.#refusals.has(member)) this.#refusals.set(member, sent)
  }

  /** Milliseconds from the end until the first request was sent that the last process refused; 0 if all refused all. */
  get delay(): number {
    const refused = [...this.#believers].map(member => this.#refusals.get(member) ?? Number.POSITIVE_INFINITY)
    return Math.max(0, ...refused.map(time => time - this.#end))
  }
}
