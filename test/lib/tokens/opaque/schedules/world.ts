import { EventEmitter } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import type fc from 'fast-check'
import {
  type OpaqueTokens,
  opaqueTokens,
  redisStore,
  type ScreenUser,
  type TokenStore
} from '../../../../../lib/index.ts'
import { Judge, type KnownToken, sessionKey, type When } from './judge.ts'
import { Connection, kindOf, type Settings, SimulatedStore } from './simulated-store.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** Milliseconds; the default of `opaqueTokens`. */
const TIMEOUT = 2000

const USERS: ScreenUser[] = ['ada', 'eve'].map(username => ({
  username,
  displayName: username.toUpperCase()
}))

/** In seconds. */
const OWN_TIMES = [
  { lifetime: 3, maxLifetime: 12 },
  { lifetime: 30 * 86_400, maxLifetime: 30 * 86_400 }
]

/** A process, which opens a new connection after it has lost one. */
class Process {
  readonly name: string
  readonly tokens: OpaqueTokens
  readonly #world: World
  /** The client of node-redis, in a process that has one. */
  readonly #client = new EventEmitter().on('error', () => {})
  /** The listener for changes, in a process without a client of node-redis. */
  #listener: (key: string | null) => void = () => {}
  #connection: Connection
  /** `lost`: the process has not noticed the loss yet; `down`: it has, and there is no connection. */
  state: 'up' | 'silent' | 'lost' | 'down' = 'up'
  /** The last moment at which the connection was not up. */
  #trouble = 0

  constructor(world: World, name: string) {
    this.name = name
    this.#world = world
    this.#connection = this.#newConnection()
    const { reports, lifetime, maxLifetime, cache } = world.settings
    const store = reports === 'by Redis' ? this.#redisStore() : this.#ownStore(reports)
    this.tokens = opaqueTokens({ lifetime, maxLifetime, cache, store })
  }

  /** The store of a client of node-redis. */
  #redisStore(): TokenStore {
    const get = async (key: string) => {
      const value = await this.#get(key)
      return value === undefined ? null : JSON.stringify({ key, value })
    }
    const client = {
      isReady: true,
      options: { emitInvalidate: true, maintNotifications: 'disabled' },
      get,
      set: (key: string, json: string, { PX }: { PX: number }) => this.#set(key, JSON.parse(json).value, PX),
      del: (key: string) => this.#delete(key),
      eval: () => Promise.reject(new Error('sessions need no counts')),
      clientTracking: (_isOn: boolean, { PREFIX = [] as string[] } = {}) =>
        this.#request(`track ${PREFIX}`, ({ connection }) => {
          connection.prefixes = PREFIX
        }),
      clientTrackingInfo: () => this.#request('what is tracked', ({ connection: { prefixes } }) => ({ prefixes }))
    }
    return redisStore(Object.assign(this.#client, client))
  }

  /** A store of the host, with its own reports or none. */
  #ownStore(reports: Settings['reports']): TokenStore {
    const onChange = (listener: (key: string | null) => void) => {
      this.#listener = listener
    }
    return {
      get: key => this.#get(key),
      set: (key, value, ttl) => this.#set(key, value, ttl),
      delete: key => this.#delete(key),
      ...(reports !== 'none' && { onChange }),
      ...(reports === 'separate, with ping' && { ping: () => this.#request('ping', () => {}, true) })
    }
  }

  #get(key: string): Promise<unknown> {
    this.#world.judge.read(this.name, key)
    return this.#request(`get ${kindOf(key)}`, ({ connection, store }) => {
      connection.read.add(key)
      return store.get(key)
    })
  }

  #set(key: string, value: unknown, ttl: number): Promise<unknown> {
    this.#world.judge.sent(key, value)
    return this.#request(`set ${kindOf(key)}`, ({ store }) => store.set(key, value, ttl))
  }

  #delete(key: string): Promise<unknown> {
    return this.#request(`delete ${kindOf(key)}`, ({ store }) => store.delete(key))
  }

  #request(
    words: string,
    execute: (at: { connection: Connection; store: SimulatedStore }) => unknown,
    isProof = false
  ): Promise<unknown> {
    if (this.state === 'down') return Promise.reject(new Error('there is no connection'))
    const at = { connection: this.#connection, store: this.#world.store }
    return this.#connection.request(words, () => execute(at), isProof)
  }

  /** @param key null if changes may have been missed */
  #receive(key: string | null): void {
    if (key === null) this.#world.judge.lost(this.name)
    this.#listener(key)
    if (key === null) this.#client.emit('error', new Error('the connection was lost'))
    else this.#client.emit('invalidate', Buffer.from(key))
  }

  hold(what: 'all' | 'incoming' | 'reports'): void {
    if (this.state !== 'up') return
    this.state = 'silent'
    this.#connection.hold(what)
  }

  resume(): void {
    if (this.state !== 'silent') return
    this.#connection.resume()
    this.#isUp()
  }

  /** @param isNullFirst whether the loss is reported before pending requests reject, or later */
  cut(isArriving: boolean, isNullFirst: boolean): void {
    if (!['up', 'silent'].includes(this.state)) return
    this.state = 'lost'
    this.#connection.cut(isArriving)
    this.#later('notices that its connection is lost', () => {
      this.state = 'down'
      if (isNullFirst) this.#receive(null)
      this.#connection.fail()
      if (isNullFirst) return this.#connect()
      this.#later('is notified that it may have missed changes', () => {
        this.#receive(null)
        this.#connect()
      })
    })
  }

  #connect(): void {
    this.#later('has a new connection', () => {
      this.#connection = this.#newConnection()
      this.#isUp()
      this.#client.emit('ready')
    })
  }

  #newConnection(): Connection {
    return new Connection(this.#world.store, this.name, key => this.#receive(key))
  }

  #later(words: string, happen: () => void): void {
    this.#world.scheduler.schedule(Promise.resolve(), `${this.name} ${words}`).then(happen)
  }

  #isUp(): void {
    this.state = 'up'
    this.#trouble = this.#world.judge.now().moment
  }

  /** Whether a call that began at `begun` may fail now. */
  mayFail(begun: When): boolean {
    const { time } = this.#world.judge.now()
    return this.state !== 'up' || this.#trouble > begun.moment || time - begun.time >= TIMEOUT
  }
}

/**
 * Two processes that share a store, and their sessions. The arguments are indexes of processes, users and sessions; the
 * session -1 is the latest one.
 */
export class World {
  readonly settings: Settings
  readonly judge: Judge
  readonly store: SimulatedStore
  readonly scheduler: fc.Scheduler
  readonly #clock: VirtualClock
  readonly #processes: Process[]
  readonly #sessions: KnownToken[] = []
  readonly #open = new Set<string>()
  #calls = 0

  constructor(settings: Settings, scheduler: fc.Scheduler, clock: VirtualClock) {
    this.settings = settings
    this.#clock = clock
    this.scheduler = scheduler
    this.judge = new Judge(clock, settings)
    this.store = new SimulatedStore(settings, scheduler, clock, this.judge)
    this.#processes = [new Process(this, 'A'), new Process(this, 'B')]
  }

  /** @param o an index of `OWN_TIMES`; any other number means the times of the service */
  start(p: number, u: number, o: number): void {
    const [process, user, own = {}] = [this.#process(p), USERS[u] as ScreenUser, OWN_TIMES[o]]
    const begun = this.judge.now()
    this.#call(process, 'a start', begun, process.tokens.issue(user, null, own), token => {
      const started = this.judge.now()
      const { lifetime, maxLifetime } = OWN_TIMES[o] ?? this.settings
      const times = { lifetime: lifetime * 1000, maxLifetime: maxLifetime * 1000 }
      this.#sessions.push({ token, user, ...times, begun, started, used: started.time, refusals: [] })
    })
  }

  use(p: number, s: number): void {
    const session = this.#sessions.at(s)
    if (session !== undefined) this.#use(this.#process(p), session)
  }

  /** Verifies a token without counting it as a use. */
  look(p: number, s: number): void {
    const session = this.#sessions.at(s)
    if (session !== undefined) this.#use(this.#process(p), session, false)
  }

  /** @param isUsedNext whether the session is used as soon as it has ended */
  end(p: number, s: number, isUsedNext: boolean): void {
    const [process, session] = [this.#process(p), this.#sessions.at(s)]
    if (session === undefined) return
    const begun = this.judge.now()
    const { revoke, revokeById, idOf } = process.tokens
    const ended = isUsedNext ? revokeById(idOf(session.token) as string) : revoke(session.token)
    this.#call(process, 'an end', begun, ended, () => {
      this.judge.revoked(process.name, sessionKey(session), begun)
      if (isUsedNext) this.#use(process, session)
    })
  }

  /** @param isUsedNext whether the first session of the user is used as soon as all have ended */
  endAll(p: number, u: number, isUsedNext: boolean): void {
    const [process, { username }] = [this.#process(p), USERS[u] as ScreenUser]
    const begun = this.judge.now()
    this.#call(process, 'an end of all', begun, process.tokens.revokeAll(username), () => {
      this.judge.revoked(process.name, username, begun)
      const session = this.#sessions.find(({ user }) => user.username === username)
      if (isUsedNext && session !== undefined) this.#use(process, session)
    })
  }

  /** Makes the connection of a process silent. */
  hold(p: number, what: 'all' | 'incoming' | 'reports'): void {
    this.#process(p).hold(what)
  }

  resume(p: number): void {
    this.#process(p).resume()
  }

  cut(p: number, isArriving: boolean, isNullFirst: boolean): void {
    this.#process(p).cut(isArriving, isNullFirst)
  }

  /** Delivers the given number of messages, by default all. */
  async deliver(count = Infinity): Promise<void> {
    await turn()
    for (let n = 0; n < count && this.scheduler.count() > 0; n++) await this.scheduler.waitNext(1)
    await turn()
  }

  /** @param isBusy whether the event loops are blocked, so that timers run late */
  async wait(milliseconds: number, isBusy = false): Promise<void> {
    // No network delays a message for days.
    if (milliseconds > 3_600_000)
      for (const process of this.#processes) if (process.state === 'silent') process.cut(false, true)
    if (!isBusy) return this.#clock.advance(milliseconds)
    this.#clock.skip(milliseconds)
    this.scheduler.schedule(Promise.resolve(), 'timers run late').then(() => this.#clock.advance(0))
  }

  /** @throws if a promise was broken */
  check(): void {
    const { wrong } = this.judge
    if (wrong.length > 0) throw new Error(wrong.join('\n'))
  }

  /** Starts a session for each user, and uses it in all processes. */
  async warmUp(): Promise<void> {
    for (const u of USERS.keys()) this.start(0, u, OWN_TIMES.length)
    await this.deliver()
    for (let n = 0; n < 2; n++) await this.#useAll()
  }

  /** Restores all connections. Then every call must have ended and, with a cache, every live session must be cached. */
  async calmDown(): Promise<void> {
    for (const process of this.#processes) process.resume()
    await this.deliver()
    await this.wait(TIMEOUT)
    await this.deliver()
    // A heartbeat that comes too late is followed by one in time.
    await this.wait(500)
    await this.deliver()
    for (const words of this.#open) this.judge.wrong.push(`${words} is never over`)
    for (let n = 0; n < 2; n++) await this.#useAll()
    await this.#useAll((process, session) => {
      if (this.settings.cache > 0 && this.judge.isLive(session))
        this.judge.wrong.push(`${process.name} does not cache a session of ${session.user.username}`)
    })
  }

  /** @param onRead is called for each session that is read from the store */
  async #useAll(onRead: (process: Process, session: KnownToken) => void = () => {}): Promise<void> {
    for (const process of this.#processes)
      for (const session of this.#sessions) {
        const callsBefore = this.#calls
        this.#use(process, session)
        if (this.#calls > callsBefore) onRead(process, session)
      }
    await this.deliver()
  }

  #process(index: number): Process {
    return this.#processes[index] as Process
  }

  #use(process: Process, session: KnownToken, isUse = true): void {
    const verification = { ...this.judge.now(), process: process.name, session, isUse }
    const result = process.tokens.verify(session.token, { use: isUse })
    if (result instanceof Promise)
      this.#call(process, 'a use', verification, result, user => this.judge.responded(verification, user))
    else this.judge.cached(verification, result)
  }

  #call<T>(process: Process, what: string, begun: When, result: Promise<T>, done: (result: T) => void): void {
    const words = `${what} in ${process.name} (${++this.#calls})`
    this.#open.add(words)
    result
      .then(done, error => {
        if (error.code === 'FST_SCREEN_AUTH_TOKEN_STORE_FAILED' && process.mayFail(begun)) return
        this.judge.wrong.push(`${words} failed: ${error.stack} ${error.cause?.stack}`)
      })
      .then(() => this.#open.delete(words))
  }
}
