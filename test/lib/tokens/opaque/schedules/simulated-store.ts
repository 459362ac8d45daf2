import type fc from 'fast-check'
import type { Judge } from './judge.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** How the store and its connections behave, in a whole run. */
export interface StoreSettings {
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

  send(message: Message): void {
    if (this.#isClosed) return
    this.#messages.push(message)
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

export type Call =
  | { get: string }
  // Stored is the value as it is, or in its wrapping.
  | { set: string; value: unknown; ttl: number; stored?: unknown }
  | { delete: string }
  | { ping: true }
  // `CLIENT TRACKINGINFO`: the prefixes that are reported.
  | { trackingInfo: true }
  // `CLIENT TRACKING`, with these prefixes; null switches it off.
  | { track: string[] | null }

/** What all processes share. */
export class SimulatedStore {
  readonly settings: StoreSettings
  readonly scheduler: fc.Scheduler
  readonly #clock: VirtualClock
  readonly #judge: Judge
  readonly #entries = new Map<string, { json: string; ends: number }>()
  /** The connections that have read a key since its last change. */
  readonly #readers = new Map<string, Set<Connection>>()
  /** The connections that want to hear of all keys that begin so. */
  readonly #prefixes = new Map<Connection, string[]>()

  constructor(settings: StoreSettings, scheduler: fc.Scheduler, clock: VirtualClock, judge: Judge) {
    this.settings = settings
    this.scheduler = scheduler
    this.#clock = clock
    this.#judge = judge
  }

  /** @returns what the call resolves to */
  carryOut(call: Call, connection: Connection): unknown {
    if ('ping' in call) return undefined
    if ('trackingInfo' in call) return { prefixes: this.#prefixes.get(connection) ?? [] }
    if ('track' in call) {
      if (call.track !== null && connection.isReadingReported)
        return new Error("ERR You can't switch BCAST mode on/off before disabling tracking for this client")
      connection.isReadingReported = false
      if (call.track === null) this.#prefixes.delete(connection)
      else if (!connection.isClosed) this.#prefixes.set(connection, call.track)
      return 'OK'
    }
    if ('get' in call) {
      const entry = this.#live(call.get)
      if (!connection.isClosed && connection.isReadingReported) {
        const readers = this.#readers.get(call.get) ?? new Set()
        this.#readers.set(call.get, readers.add(connection))
      }
      return entry === undefined ? undefined : JSON.parse(entry.json)
    }
    if ('set' in call) {
      const { value, stored = value, ttl } = call
      this.#entries.set(call.set, { json: JSON.stringify(stored), ends: this.#clock.now + ttl })
      this.#report(call.set, call.value)
    } else if (this.#live(call.delete) !== undefined) {
      this.#entries.delete(call.delete)
      this.#report(call.delete, undefined)
    }
    return undefined
  }

  #live(key: string) {
    const entry = this.#entries.get(key)
    return entry !== undefined && entry.ends > this.#clock.now ? entry : undefined
  }

  #report(key: string, value: unknown): void {
    const change = this.#judge.changed(key, value)
    for (const [connection, prefixes] of this.#prefixes) {
      if (connection.isClosed) this.#prefixes.delete(connection)
      else if (prefixes.some(prefix => key.startsWith(prefix)))
        connection.report(key, () => change.heardBy.add(connection.name))
    }
    for (const reader of this.#readers.get(key) ?? [])
      reader.report(key, () => change.heardBy.add(reader.name))
    this.#readers.delete(key)
  }
}

/** What a process hears of its connection. */
export interface Hearer {
  /** Unlike any other process, or this one before a restart. */
  name: string
  /** Hears of a change; null when some may have been missed. */
  hear(key: string | null): void
}

/** One connection of a process, in both directions. */
export class Connection {
  readonly name: string
  readonly #hearer: Hearer
  readonly #store: SimulatedStore
  readonly #requests: Line
  readonly #replies: Line
  readonly #reports: Line
  readonly #pending = new Set<(reason: Error) => void>()
  isClosed = false
  /** Whether changes of what was read are reported. */
  isReadingReported = true

  constructor(store: SimulatedStore, hearer: Hearer) {
    const { settings, scheduler } = store
    this.name = hearer.name
    this.#hearer = hearer
    this.#store = store
    this.#requests = new Line(scheduler, false)
    this.#replies = new Line(scheduler, settings.isPacked)
    this.#reports = settings.reports.startsWith('apart')
      ? new Line(scheduler, settings.isPacked)
      : this.#replies
  }

  request(call: Call): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#pending.add(reject)
      if (this.isClosed) return
      const words = wordsOf(call)
      let result: unknown
      const reply = {
        words: `${this.name} hears the reply: ${words}`,
        arrive: () => {
          if (this.#pending.delete(reject)) result instanceof Error ? reject(result) : resolve(result)
        }
      }
      const { isReportFirst } = this.#store.settings
      // What proves that reports are heard comes with them.
      const replies = 'ping' in call ? this.#reports : this.#replies
      this.#requests.send({
        words: `${this.name} asks the store: ${words}`,
        arrive: () => {
          if (!isReportFirst) replies.send(reply)
          result = this.#store.carryOut(call, this)
          if (isReportFirst) replies.send(reply)
        }
      })
    })
  }

  report(key: string, onHeard: () => void): void {
    if (this.#store.settings.reports === 'none') return
    const arrive = () => {
      onHeard()
      this.#hearer.hear(key)
    }
    this.#reports.send({ words: `${this.name} hears of a change: ${kindOf(key)}`, arrive })
  }

  /** Nothing comes through any more. */
  silence(isOnlyReports: boolean): void {
    this.#reports.hold()
    if (isOnlyReports && this.#reports !== this.#replies) return
    this.#requests.hold()
    this.#replies.hold()
  }

  /** Nothing is read, but what was sent arrives. */
  hold(): void {
    for (const line of [this.#replies, this.#reports]) line.hold()
  }

  resume(): void {
    for (const line of [this.#requests, this.#replies, this.#reports]) line.release()
  }

  /** @param isArriving whether what was sent will yet be carried out */
  cut(isArriving: boolean): void {
    this.isClosed = true
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

function wordsOf(call: Call): string {
  if ('ping' in call) return 'ping'
  if ('trackingInfo' in call) return 'what is reported'
  if ('track' in call) return `report ${call.track ?? 'nothing'}`
  if ('get' in call) return `get ${kindOf(call.get)}`
  return 'set' in call ? `set ${kindOf(call.set)}` : `delete ${kindOf(call.delete)}`
}

const kindOf = (key: string) => key.replace(/^screen_auth_(\w+):.*/, '$1')
