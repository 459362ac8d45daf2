import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Report, Scenario, WatchClientOptions } from '../../index.ts'
import { type Clock, watchWithClock } from '../../watch/watch-client.ts'

export const ENTERED = { username: 'grace', password: ' cobol 60 ' }

// biome-ignore lint/suspicious/noExplicitAny: the tests read any member of a screen
export type Json = any

export interface Sent {
  body?: unknown
  headers?: Record<string, string>
}

/** A client that satisfies every clause of the contract. Other clients replace some of its methods. */
export class MinimalClient {
  token: string | undefined
  readonly base: string

  constructor(base: string) {
    this.base = base
  }

  async use(): Promise<void> {
    const menu = await this.start()
    if (menu === undefined) return
    await this.open(menu.menu.tabs[0].items[0].action.url)
  }

  async start(): Promise<Json> {
    const response = await this.send('GET', '/menu/main')
    return response.status === 401 ? this.logIn() : response.body
  }

  async logIn(): Promise<Json> {
    const { body: form } = await this.send('GET', '/auth/login')
    return this.fillIn(form)
  }

  async fillIn(form: Json, attempts = 2): Promise<Json> {
    const { body } = await this.submit(form)
    if (body?.success) {
      this.token = body.token
      return this.welcome(body.screen, form)
    }
    return attempts > 1 ? this.rejected(form, attempts - 1) : undefined
  }

  async submit(form: Json) {
    return this.send('POST', form.auth_action, { body: { fields: this.fields(form) } })
  }

  fields(form: Json): Json {
    const [section] = form.sections
    const entries = section.fields.map(({ id }: { id: 'username' | 'password' }) => [id, ENTERED[id]])
    return Object.fromEntries(entries)
  }

  async rejected(form: Json, attempts: number): Promise<Json> {
    return this.fillIn(form, attempts)
  }

  async welcome(screen: Json, _form: Json): Promise<Json> {
    return screen
  }

  async open(url: string): Promise<Json> {
    const response = await this.send('GET', url)
    if (response.status !== 401) return response.body
    return this.expired(url)
  }

  async expired(url: string): Promise<Json> {
    this.token = undefined
    if ((await this.logIn()) !== undefined) await this.send('GET', url)
  }

  authorization(): Record<string, string> {
    return this.token === undefined ? {} : { authorization: `Bearer ${this.token}` }
  }

  async send(method: string, path: string, { body, headers = {} }: Sent = {}) {
    const isRaw = typeof body === 'string' || body instanceof Buffer
    const response = await fetch(this.base + path, {
      method,
      headers: {
        ...this.authorization(),
        ...(body !== undefined && !isRaw && { 'content-type': 'application/json' }),
        ...headers
      },
      ...(body !== undefined && { body: isRaw ? (body as string) : JSON.stringify(body) })
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
}

export type Methods = {
  [Name in keyof MinimalClient]?: MinimalClient[Name] extends (...args: infer Args) => infer Returned
    ? (this: MinimalClient, ...args: Args) => Returned
    : never
}

/** Returns the client with replaced methods. In these methods, `super` is the minimal client. */
export function clientWith(methods: Methods, token?: string): typeof MinimalClient {
  Object.setPrototypeOf(methods, MinimalClient.prototype)
  return class extends MinimalClient {
    override token = token

    constructor(base: string) {
      super(base)
      Object.setPrototypeOf(this, methods)
    }
  }
}

export const afterLogin = (act: (client: MinimalClient, form: Json) => Promise<unknown>) =>
  clientWith({
    async welcome(screen, form) {
      await act(this, form)
      return screen
    }
  })

/**
 * A clock that runs a thousand times slower than the system clock, so that no request is late, even on a busy machine.
 * Only `advance` lets a second pass.
 */
export class SlowClock implements Clock {
  #offset = 0

  readonly now = () => performance.now() / 1000 + this.#offset

  sleep(_milliseconds: number): Promise<unknown> {
    return nextTurn()
  }

  advance(milliseconds: number): void {
    this.#offset += milliseconds
  }
}

export async function reportOn(
  client: typeof MinimalClient,
  scenario: Scenario,
  options: WatchClientOptions = {},
  clock = new SlowClock()
): Promise<Report> {
  const { url, report, next } = await watchWithClock({ expect: [scenario], ...ENTERED, ...options }, clock)
  // A broken client may reject.
  await Promise.allSettled([new client(url).use()])
  next()
  return report
}

/** Returns the status, the case and the scenario of each result that is not ok. */
export const faultsIn = ({ results }: Report) =>
  results
    .filter(({ status }) => status !== 'ok')
    .map(({ id, status, title }) => `${status} ${id} ${title.slice(title.lastIndexOf('('))}`)
