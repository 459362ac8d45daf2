import type { Request } from 'autocannon'
import { PASSWORD } from './servers/data.js'

/** A list of requests that repeats. Each measurement continues where the last one ended. */
export class Traffic {
  readonly #requests: Request[]
  #next = 0

  constructor(requests: Request[]) {
    this.#requests = requests
  }

  /** The number of different requests. */
  get size(): number {
    return this.#requests.length
  }

  /** Distributes the next `amount` requests to the connections. */
  deal(amount: number, connections: number): Request[][] {
    // One request needs no list: every connection repeats it.
    const count = this.size === 1 ? connections : amount
    const hands: Request[][] = Array.from({ length: connections }, () => [])
    for (let i = 0; i < count; i++) hands[i % connections]?.push({ ...this.#take() })
    return hands
  }

  #take(): Request {
    const request = this.#requests[this.#next] as Request
    this.#next = (this.#next + 1) % this.size
    return request
  }
}

/** `GET /menu/main`, or another path, with each of the tokens in turn. */
export function menuWith(tokens: string[], path = '/menu/main'): Request[] {
  return tokens.map(token => ({
    method: 'GET',
    path,
    headers: { authorization: `Bearer ${token}` }
  }))
}

/** `GET /menu/main` without a token. */
export const menuWithout: Request = { method: 'GET', path: '/menu/main' }

/** `GET /auth/login`. */
export const form: Request = { method: 'GET', path: '/auth/login' }

/** `POST /auth/login`. */
export const login: Request = {
  method: 'POST',
  path: '/auth/login',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ fields: { username: 'user-0000000', password: PASSWORD } })
}
