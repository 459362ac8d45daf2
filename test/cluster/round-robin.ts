import { Agent, type IncomingMessage, request } from 'node:http'
import { json as readJson } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { bearer } from '../helpers.ts'
import type { Fleet } from './fleet.ts'

/** An answer, and how many milliseconds it took. */
export interface Answer {
  status: number
  retryAfter: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into at will, and a wrong look counts as wrong
  body: any
  ms: number
}

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
  readonly #agent = new Agent({ keepAlive: true })
  #turn = 0

  constructor(fleet: Fleet) {
    this.#fleet = fleet
  }

  async ask(path: string, question: Question = {}): Promise<Answer> {
    const start = performance.now()
    for (let attempt = 1; ; attempt++) {
      const { port } = this.#fleet.members[question.member ?? this.#next()] as { port: number }
      try {
        return { ...(await this.#send(port, path, question)), ms: performance.now() - start }
      } catch (error) {
        if (attempt === 2 * this.#fleet.members.length) throw error
        await sleep(10 * attempt)
      }
    }
  }

  close(): void {
    this.#agent.destroy()
  }

  #next(): number {
    const { members } = this.#fleet
    do this.#turn = (this.#turn + 1) % members.length
    while (!members[this.#turn]?.isInService)
    return this.#turn
  }

  async #send(port: number, path: string, { token, fields, method, from }: Question) {
    const body = fields && JSON.stringify({ fields })
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request(
        {
          agent: this.#agent,
          host: '127.0.0.1',
          port,
          path,
          method: method ?? (fields ? 'POST' : 'GET'),
          headers: {
            ...(token !== undefined && bearer(token)),
            ...(body !== undefined && { 'content-type': 'application/json' })
          },
          ...(from !== undefined && { localAddress: from })
        },
        resolve
      )
        .on('error', reject)
        .end(body)
    })
    const { statusCode = 0, headers } = answer
    const isJson = headers['content-type']?.startsWith('application/json')
    if (!isJson) answer.resume()
    return {
      status: statusCode,
      retryAfter: headers['retry-after'],
      body: isJson ? await readJson(answer) : null
    }
  }
}
