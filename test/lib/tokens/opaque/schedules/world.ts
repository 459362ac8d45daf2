import { setImmediate as turn } from 'node:timers/promises'
import type fc from 'fast-check'
import type { OpaqueTokens, OpaqueTokensOptions, ScreenUser } from '../../../../../lib/index.ts'
import { generationKey, Judge, type KnownToken, sessionKey, type When } from './judge.ts'
import { type Call, Connection, SimulatedStore, type StoreSettings } from './simulated-store.ts'
import type { VirtualClock } from './virtual-clock.ts'

export type MakeTokens = (options: OpaqueTokensOptions) => OpaqueTokens

export interface Settings extends StoreSettings {
  /** Seconds, as in the options. */
  lifetime: number
  maxLifetime: number
  cache: number
}

/** Milliseconds; the default of `opaqueTokens`. */
const TIMEOUT = 2000

export const USERS: ScreenUser[] = ['ada', 'eve'].map(username => ({
  username,
  displayName: username.toUpperCase()
}))

/** One process from its start to its end, with one connection after the other. */
export class Process {
  readonly name: string
  readonly tokens: OpaqueTokens
  readonly #world: World
  #listener: ((key: string | null) => void) | null = null
  connection: Connection
  /** Lost: not yet noticed; down: noticed, and there is none. */
  state: 'up' | 'silent' | 'lost' | 'down' = 'up'
  /** The last moment at which it was not up. */
  #trouble = 0
  isGone = false

  constructor(world: World, name: string, makeTokens: MakeTokens) {
    this.name = name
    this.#world = world
    this.connection = new Connection(world.store, this)
    const { reports, lifetime, maxLifetime, cache } = world.settings
    this.tokens = makeTokens({
      lifetime,
      maxLifetime,
      cache,
      store: {
        get: key => this.#request({ get: key }),
        set: (key, value, ttl) => this.#request({ set: key, value, ttl }),
        delete: key => this.#request({ delete: key }),
        ...(reports !== 'none' && {
          onChange: (listener: (key: string | null) => void) => {
            this.#listener = listener
          }
        })
      }
    })
  }

  hear(key: string | null): void {
    if (key === null) this.#world.judge.lost(this.name)
    this.#listener?.(key)
  }

  #request(call: Call): Promise<unknown> {
    if ('get' in call) this.#world.judge.asked(this.name, call.get)
    if ('set' in call) this.#world.judge.sent(call.set, call.value)
    if (this.state === 'down') return Promise.reject(new Error('there is no connection'))
    return this.connection.request(call)
  }

  silence(isOnlyReports: boolean): void {
    this.state = 'silent'
    this.connection.silence(isOnlyReports)
  }

  resume(): void {
    this.connection.resume()
    this.#isUp()
  }

  /** @param isNullFirst whether the loss is reported before what is waited for is rejected, or some time after it */
  cut(isArriving: boolean, isNullFirst: boolean): void {
    this.state = 'lost'
    this.connection.cut(isArriving)
    this.#later(`${this.name} notices that its connection is lost`, () => {
      this.state = 'down'
      if (isNullFirst) this.hear(null)
      this.connection.fail()
      if (isNullFirst) return this.#connect()
      this.#later(`${this.name} is told that it may have missed changes`, () => {
        this.hear(null)
        this.#connect()
      })
    })
  }

  #connect(): void {
    this.#later(`${this.name} has a new connection`, () => {
      this.connection = new Connection(this.#world.store, this)
      this.#isUp()
    })
  }

  /** Ends as a process does that is killed. */
  kill(isArriving: boolean): void {
    this.isGone = true
    this.state = 'down'
    this.connection.cut(isArriving)
    this.connection.fail()
  }

  #later(words: string, happen: () => void): void {
    this.#world.store.scheduler.schedule(Promise.resolve(), words).then(() => {
      if (!this.isGone) happen()
    })
  }

  #isUp(): void {
    this.state = 'up'
    this.#trouble = this.#world.judge.now().moment
  }

  /** Whether a call that began then may fail now. */
  mayFail(begun: When): boolean {
    const { time } = this.#world.judge.now()
    return this.state !== 'up' || this.#trouble > begun.moment || time - begun.time >= TIMEOUT
  }
}

/** Some processes that share a store, and what has become of them. */
export class World {
  readonly settings: Settings
  readonly judge: Judge
  readonly store: SimulatedStore
  readonly sessions: KnownToken[] = []
  readonly #clock: VirtualClock
  readonly #scheduler: fc.Scheduler
  readonly #makeTokens: MakeTokens
  readonly processes: Process[] = []
  readonly #open = new Set<string>()
  #restarts = 0
  #calls = 0

  constructor(settings: Settings, scheduler: fc.Scheduler, clock: VirtualClock, makeTokens: MakeTokens) {
    this.settings = settings
    this.#clock = clock
    this.#scheduler = scheduler
    this.#makeTokens = makeTokens
    const { lifetime, maxLifetime, cache, reports } = settings
    this.judge = new Judge(clock, {
      lifetime: lifetime * 1000,
      maxLifetime: maxLifetime * 1000,
      cache: cache * 1000,
      areChangesReported: reports !== 'none'
    })
    this.store = new SimulatedStore(settings, scheduler, clock, this.judge)
    for (const name of 'AB') this.processes.push(new Process(this, name, makeTokens))
  }

  start(process: Process, user: ScreenUser): void {
    const begun = this.judge.now()
    this.#call(process, 'a start', begun, process.tokens.issue(user), token => {
      const started = this.judge.now()
      this.sessions.push({ token, user, begun, started, used: started.time, refusals: [] })
    })
  }

  use(process: Process, session: KnownToken): void {
    const verification = { ...this.judge.now(), process: process.name, session }
    const result = process.tokens.verify(session.token)
    if (result instanceof Promise)
      this.#call(process, 'a use', verification, result, user => this.judge.responded(verification, user))
    else this.judge.remembered(verification, result)
  }

  /** @param isUsedNext whether the session is used as soon as it was ended */
  end(process: Process, session: KnownToken, isUsedNext: boolean): void {
    const begun = this.judge.now()
    this.#call(process, 'an end', begun, process.tokens.revoke(session.token), () => {
      this.judge.revoked(process.name, sessionKey(session), begun)
      if (isUsedNext) this.use(process, session)
    })
  }

  endAll(process: Process, { username }: ScreenUser, isUsedNext: boolean): void {
    const begun = this.judge.now()
    this.#call(process, 'an end of all', begun, process.tokens.revokeAll(username), () => {
      this.judge.revoked(process.name, generationKey(username), begun)
      const session = this.sessions.find(({ user }) => user.username === username)
      if (isUsedNext && session !== undefined) this.use(process, session)
    })
  }

  restart(index: number, isArriving: boolean): void {
    const { name } = this.processes[index] as Process
    this.processes[index]?.kill(isArriving)
    this.processes[index] = new Process(this, `${name[0]}${++this.#restarts + 1}`, this.#makeTokens)
  }

  #call<T>(process: Process, what: string, begun: When, result: Promise<T>, done: (result: T) => void): void {
    const words = `${what} in ${process.name} (${++this.#calls})`
    this.#open.add(words)
    result.then(
      result => {
        this.#open.delete(words)
        if (!process.isGone) done(result)
      },
      error => {
        this.#open.delete(words)
        if (process.isGone || (error.code === 'FST_SCREEN_AUTH_TOKEN_STORE_FAILED' && process.mayFail(begun)))
          return
        this.judge.wrong.push(`${words} failed: ${error.stack} ${error.cause?.stack}`)
      }
    )
  }

  /** Lets so many messages arrive, or all. */
  async deliver(count = Infinity): Promise<void> {
    await turn()
    for (let n = 0; n < count && this.#scheduler.count() > 0; n++) await this.#scheduler.waitNext(1)
    await turn()
  }

  /** @param isBusy whether the processes are too busy for their timers, which run late then */
  async wait(milliseconds: number, isBusy = false): Promise<void> {
    if (!isBusy) return this.#clock.advance(milliseconds)
    this.#clock.skip(milliseconds)
    this.#scheduler.schedule(Promise.resolve(), 'timers run late').then(() => this.#clock.advance(0))
  }

  /** Starts a session for each user, and has all processes know it. */
  async warmUp(): Promise<void> {
    const [first] = this.processes as [Process]
    for (const user of USERS) this.start(first, user)
    for (let n = 0; n < 2; n++) {
      await this.deliver()
      for (const process of this.processes) for (const session of this.sessions) this.use(process, session)
    }
    await this.deliver()
  }

  /** Mends all connections; then every call must be over, and what is live is remembered, unless there is no cache. */
  async calmDown(): Promise<void> {
    for (const process of this.processes) if (process.state === 'silent') process.resume()
    await this.deliver()
    await this.wait(TIMEOUT)
    await this.deliver()
    for (const words of this.#open) this.judge.wrong.push(`${words} is never over`)
    for (let n = 0; n < 3; n++) {
      for (const process of this.processes)
        for (const session of this.sessions) {
          const callsBefore = this.#calls
          this.use(process, session)
          if (n === 2 && this.settings.cache > 0 && this.judge.isLive(session) && this.#calls > callsBefore)
            this.judge.wrong.push(`${process.name} does not remember a session of ${session.user.username}`)
        }
      await this.deliver()
    }
  }
}
