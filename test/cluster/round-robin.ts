import { setTimeout as sleep } from 'node:timers/promises'
import { bearer } from '../helpers.ts'
import { type Answer, Client } from '../soak/client.ts'
import type { Fleet } from './fleet.ts'

export interface Question {
  token?: string
  /** What is posted as the fields of a form. */
  fields?: object
  method?: string
  /** The one process that is asked; otherwise whose turn it is. */
  member?: number
  /** The address that the request comes from, within 127.0.0.0/8. */
  from?: string
}

/** Sends each request to the next process, and on to another when it does not get through, as a load balancer does. */
export class RoundRobin {
  readonly #fleet: Fleet
  readonly #clients: Client[]
  #turn = 0

  constructor(fleet: Fleet) {
    this.#fleet = fleet
    this.#clients = fleet.members.map(({ port }) => new Client(port))
  }

  /** @returns the answer, and how many milliseconds it took */
  async ask(
    path: string,
    { token, fields, method = fields ? 'POST' : 'GET', member, from }: Question = {}
  ): Promise<Answer & { ms: number }> {
    const headers = {
      ...(token !== undefined && bearer(token)),
      ...(fields && { 'content-type': 'application/json' })
    }
    const body = fields ? [JSON.stringify({ fields })] : []
    const start = performance.now()
    if (member === undefined) this.#turn = this.#after(this.#turn)
    let asked = member ?? this.#turn
    for (let attempt = 1; ; attempt++) {
      const client = this.#clients[asked] as Client
      try {
        const answer = await client.ask(path, { method, headers, body, from })
        return { ...answer, ms: performance.now() - start }
      } catch (error) {
        if (attempt === 2 * this.#clients.length) throw error
        await sleep(10 * attempt)
        // The next after this one: whose turn it is by now may be the same again.
        if (member === undefined) asked = this.#after(asked)
      }
    }
  }

  close(): void {
    for (const client of this.#clients) client.close()
  }

  /** The next process that is in service. */
  #after(index: number): number {
    const { members } = this.#fleet
    const next = (index + 1) % members.length
    return members[next]?.isInService ? next : this.#after(next)
  }
}
