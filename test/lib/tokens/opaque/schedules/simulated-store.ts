import type fc from 'fast-check'
import type { Judge } from './judge.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** The options of all processes, and the behaviour of the store and its connections, during a run. */
export interface Settings {
  /** Seconds, as in the options. */
  lifetime: number
  maxLifetime: number
  cache: number
  /**
   * How changes are reported: in one stream with the replies, as Redis does, in a separate stream, in a separate stream
   * with a `ping`, or not at all.
   */
  reports: 'by Redis' | 'separate' | 'separate, with ping' | 'none'
  /** Whether the process that makes a change receives the report before the reply. */
  isReportFirst: boolean
  /** Whether all pending messages arrive in one packet, before any promise settles. */
  isPacked: boolean
}

interface Message {
  words: string
  arrive(): void
}

/** Messages that arrive in order, at times that the scheduler chooses. */
class Line {
  readonly #scheduler: fc.Scheduler
  readonly #isPacked: boolean
  #messages: Message[] = []
  #isScheduled = false
  #isHeld = false
  #isClosed = false

  constructor(scheduler: fc.Scheduler, isPacked: boolean) {
    this.#scheduler = scheduler
    this.#isPacked = isPacked
  }

  send(words: string, arrive: () => void): void {
    if (this.#isClosed) return
    this.#messages.push({ words, arrive })
    this.#next()
  }

  hold(): void {
    this.#isHeld = true
  }

  release(): void {
    this.#isHeld = false
    this.#next()
  }

  close(): void {
    this.#isClosed = true
    this.#messages = []
  }

  #next(): void {
    const [first] = this.#messages
    if (first === undefined || this.#isScheduled || this.#isHeld) return
    this.#isScheduled = true
    this.#scheduler.schedule(Promise.resolve(), first.words).then(() => {
      this.#isScheduled = false
      const count = this.#isHeld ? 0 : this.#isPacked ? this.#messages.length : 1
      for (const message of this.#messages.splice(0, count)) message.arrive()
      this.#next()
    })
  }
}

/** The store that all processes share. */
export class SimulatedStore {
  readonly settings: Settings
  readonly scheduler: fc.Scheduler
  readonly connections: Connection[] = []
  readonly #clock: VirtualClock
  readonly #judge: Judge
  readonly #entries = new Map<string, { json: string; ends: number }>()

  constructor(settings: Settings, scheduler: fc.Scheduler, clock: VirtualClock, judge: Judge) {
    this.settings = settings
    this.scheduler = scheduler
    this.#clock = clock
    this.#judge = judge
  }

  get(key: string): unknown {
    const entry = this.#entries.get(key)
    return entry !== undefined && entry.ends > this.#clock.now ? JSON.parse(entry.json) : undefined
  }

  set(key: string, value: unknown, ttl: number): void {
    this.#entries.set(key, { json: JSON.stringify(value), ends: this.#clock.now + ttl })
    this.#report(key, value)
  }

  delete(key: string): void {
    const isThere = this.get(key) !== undefined
    this.#entries.delete(key)
    if (isThere) this.#report(key, undefined)
  }

  #report(key: string, value: unknown): void {
    const change = this.#judge.changed(key, value)
    for (const connection of this.connections) connection.report(key, change.reportedTo)
  }
}

/** One connection of a process, in both directions. */
export class Connection {
  readonly #name: string
  readonly #receive: (key: string) => void
  readonly #store: SimulatedStore
  readonly #requests: Line
  readonly #replies: Line
  readonly #reports: Line
  readonly #pending = new Set<(reason: Error) => void>()
  #isClosed = false
  /** The keys that were read since their last change. A separate stream reports only these. */
  readonly read = new Set<string>()
  /** Redis reports all changes of keys with these prefixes. */
  prefixes: string[] = []

  constructor(store: SimulatedStore, name: string, receive: (key: string) => void) {
    const { settings, scheduler } = store
    this.#name = name
    this.#receive = receive
    this.#store = store
    this.#requests = new Line(scheduler, false)
    this.#replies = new Line(scheduler, settings.isPacked)
    this.#reports = settings.reports.startsWith('separate') ? new Line(scheduler, settings.isPacked) : this.#replies
    store.connections.push(this)
  }

  /** @param isProof whether the reply proves that reports arrive, so it is sent in their stream */
  request(words: string, execute: () => unknown, isProof: boolean): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#pending.add(reject)
      if (this.#isClosed) return
      const { isReportFirst } = this.#store.settings
      const replies = isProof ? this.#reports : this.#replies
      let result: unknown
      const reply = () =>
        replies.send(`${this.#name} receives the reply: ${words}`, () => {
          if (this.#pending.delete(reject)) resolve(result)
        })
      this.#requests.send(`${this.#name} calls the store: ${words}`, () => {
        if (!isReportFirst) reply()
        result = execute()
        if (isReportFirst) reply()
      })
    })
  }

  /** @param reportedTo the processes that have received the report of this change */
  report(key: string, reportedTo: Set<string>): void {
    const { reports } = this.#store.settings
    const isRead = this.read.delete(key)
    const isReported = reports === 'by Redis' ? this.prefixes.some(it => key.startsWith(it)) : isRead
    if (!isReported || reports === 'none') return
    this.#reports.send(`${this.#name} receives a report: ${kindOf(key)}`, () => {
      reportedTo.add(this.#name)
      this.#receive(key)
    })
  }

  /** Holds all messages, or those from the store, or only the reports. */
  hold(what: 'all' | 'incoming' | 'reports'): void {
    this.#reports.hold()
    if (what !== 'reports') this.#replies.hold()
    if (what === 'all') this.#requests.hold()
  }

  resume(): void {
    for (const line of [this.#requests, this.#replies, this.#reports]) line.release()
  }

  /** @param isArriving whether the store still executes the requests that were sent */
  cut(isArriving: boolean): void {
    this.#isClosed = true
    this.#replies.close()
    this.#reports.close()
    if (isArriving) this.#requests.release()
    else this.#requests.close()
  }

  /** Rejects all pending requests. */
  fail(): void {
    for (const reject of this.#pending) reject(new Error('the connection was lost'))
    this.#pending.clear()
  }
}

export const kindOf = (key: string) => key.replace(/^screen_auth_(\w+):.*/, '$1')
