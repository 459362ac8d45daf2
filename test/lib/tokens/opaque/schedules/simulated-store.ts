import type fc from 'fast-check'
import type { Judge } from './judge.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** The options of all processes, and how the store and its connections behave, in a whole run. */
export interface Settings {
  /** Seconds, as in the options. */
  lifetime: number
  maxLifetime: number
  cache: number
  /**
   * Whether changes are reported, and if so, as Redis does, in one stream with the replies, or in another one; that may be
   * able to prove that it is heard.
   */
  reports: 'by Redis' | 'apart' | 'apart, with proof' | 'none'
  /** Whether a process that changes something hears the report before the reply. */
  isReportFirst: boolean
  /** Whether all that is under way arrives in one packet: no promise is settled before the whole was read. */
  isPacked: boolean
}

interface Message {
  words: string
  arrive(): void
}

/** Messages that arrive in the order in which they were sent; when, the scheduler decides. */
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

/** What all processes share. */
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
    for (const connection of this.connections) connection.report(key, change.heardBy)
  }
}

/** One connection of a process, in both directions. */
export class Connection {
  readonly #name: string
  readonly #hear: (key: string) => void
  readonly #store: SimulatedStore
  readonly #requests: Line
  readonly #replies: Line
  readonly #reports: Line
  readonly #pending = new Set<(reason: Error) => void>()
  #isClosed = false
  /** The keys that were read since their last change: changes of them are reported apart. */
  readonly read = new Set<string>()
  /** Redis reports all changes of keys that begin so. */
  prefixes: string[] = []

  constructor(store: SimulatedStore, name: string, hear: (key: string) => void) {
    const { settings, scheduler } = store
    this.#name = name
    this.#hear = hear
    this.#store = store
    this.#requests = new Line(scheduler, false)
    this.#replies = new Line(scheduler, settings.isPacked)
    this.#reports = settings.reports.startsWith('apart') ? new Line(scheduler, settings.isPacked) : this.#replies
    store.connections.push(this)
  }

  /** @param isProof whether the reply says that reports are heard, so that it comes with them */
  request(words: string, carryOut: () => unknown, isProof: boolean): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#pending.add(reject)
      if (this.#isClosed) return
      const { isReportFirst } = this.#store.settings
      const replies = isProof ? this.#reports : this.#replies
      let result: unknown
      const reply = () =>
        replies.send(`${this.#name} hears the reply: ${words}`, () => {
          if (this.#pending.delete(reject)) resolve(result)
        })
      this.#requests.send(`${this.#name} asks the store: ${words}`, () => {
        if (!isReportFirst) reply()
        result = carryOut()
        if (isReportFirst) reply()
      })
    })
  }

  /** @param heardBy the processes that have heard of this change */
  report(key: string, heardBy: Set<string>): void {
    const { reports } = this.#store.settings
    const isRead = this.read.delete(key)
    const isReported = reports === 'by Redis' ? this.prefixes.some(it => key.startsWith(it)) : isRead
    if (!isReported || reports === 'none') return
    this.#reports.send(`${this.#name} hears of a change: ${kindOf(key)}`, () => {
      heardBy.add(this.#name)
      this.#hear(key)
    })
  }

  /** Lets nothing through any more; or what was sent arrives, and nothing is heard; or no reports are. */
  hold(what: 'all' | 'heard' | 'reports'): void {
    this.#reports.hold()
    if (what !== 'reports') this.#replies.hold()
    if (what === 'all') this.#requests.hold()
  }

  resume(): void {
    for (const line of [this.#requests, this.#replies, this.#reports]) line.release()
  }

  /** @param isArriving whether what was sent will yet be carried out */
  cut(isArriving: boolean): void {
    this.#isClosed = true
    this.#replies.close()
    this.#reports.close()
    if (isArriving) this.#requests.release()
    else this.#requests.close()
  }

  /** Rejects what is still waited for. */
  fail(): void {
    for (const reject of this.#pending) reject(new Error('the connection was lost'))
    this.#pending.clear()
  }
}

export const kindOf = (key: string) => key.replace(/^screen_auth_(\w+):.*/, '$1')
