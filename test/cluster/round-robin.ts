import { setTimeout as sleep } from 'node:timers/promises'
import { bearer } from '../helpers.ts'
import { Client, type ClientResponse, type RequestOptions } from '../soak/client.ts'
import type { Fleet, Member } from './fleet.ts'

export interface FleetRequest {
  token?: string
  /** The fields of a form, which is posted. */
  fields?: object
  method?: string
  /** The process to send it to, instead of the next one. */
  member?: number
  /** The source address, within 127.0.0.0/8. */
  from?: string
}

/** Sends each request to the next process, and to another one when that fails, as a load balancer does. */
export class RoundRobin {
  readonly #fleet: Fleet
  readonly #clients: Client[]
  #turn = 0

  constructor(fleet: Fleet) {
    this.#fleet = fleet
    this.#clients = fleet.members.map(({ port }) => new Client(port))
  }

  /** @returns the response, and how many milliseconds it took */
  async send(
    path: string,
    { token, fields, method = fields ? 'POST' : 'GET', member, from }: FleetRequest = {}
  ): Promise<ClientResponse & { ms: number }> {
    const headers = {
      ...(token !== undefined && bearer(token)),
      ...(fields && { 'content-type': 'application/json' })
    }
    const body = fields ? [JSON.stringify({ fields })] : []
    const start = performance.now()
    if (member === undefined) this.#turn = this.#after(this.#turn)
    let target = member ?? this.#turn
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await this.#sendTo(target, path, { method, headers, body, from })
        return { ...response, ms: performance.now() - start }
      } catch (error) {
        if (attempt === 2 * this.#clients.length) throw error
        await sleep(10 * attempt)
        // Not the shared turn: that may have come back to the process that failed.
        if (member === undefined) target = this.#after(target)
      }
    }
  }

  close(): void {
    for (const client of this.#clients) client.close()
  }

  #sendTo(member: number, path: string, request: RequestOptions): Promise<ClientResponse> {
    const client = this.#clients[member] as Client
    return (this.#fleet.members[member] as Member).track(client.send(path, request))
  }

  /** The next process that is in service. */
  #after(index: number): number {
    const { members } = this.#fleet
    const next = (index + 1) % members.length
    return members[next]?.isInService ? next : this.#after(next)
  }
}
