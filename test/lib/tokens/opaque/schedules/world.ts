import { setImmediate as turn } from 'node:timers/promises'
import type fc from 'fast-check'
import { type OpaqueTokens, opaqueTokens, redisStore, type ScreenUser } from '../../../../../lib/index.ts'
import { type Hearing, keyvOn, ownStore, SimulatedClient, storeOf } from './clients.ts'
import { generationKey, Judge, type KnownToken, sessionKey, type When } from './judge.ts'
import { type Call, Connection, SimulatedStore, type StoreSettings } from './simulated-store.ts'
import { Machine, type VirtualClock } from './virtual-clock.ts'

export interface Settings extends StoreSettings {
  /** Seconds, as in the options. */
  lifetime: number
  maxLifetime: number
  cache: number
  /** Whether the store is asked through a Keyv. */
  isKeyv: boolean
  /** Milliseconds by which the clock of the second process is ahead. */
  ahead: number
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
  readonly machine: Machine
  readonly #world: World
  readonly #hearing: Hearing | null
  connection: Connection
  /** Lost: not yet noticed; down: noticed, and there is none. */
  state: 'up' | 'silent' | 'lost' | 'down' = 'up'
  /** The last moment at which it was not up. */
  #trouble = 0
  isGone = false

  constructor(world: World, name: string) {
    this.name = name
    this.#world = world
    this.machine = world.machineOf(name)
    this.connection = new Connection(world.store, this)
    const { reports, isKeyv, lifetime, maxLifetime, cache } = world.settings
    const request = (call: Call) => this.#request(call)
    const own = ownStore(request, reports !== 'none', reports === 'apart, with proof')
    const client = reports === 'by Redis' ? new SimulatedClient(request) : null
    this.#hearing = client ?? own
    this.tokens = this.machine.run(() => {
      const store = client ? storeOf(client, redisStore) : isKeyv ? keyvOn(request) : own
      return opaqueTokens({ lifetime, maxLifetime, cache, store })
    })
  }

  hear(key: string | null): void {
    if (key === null) this.#world.judge.lost(this.name)
    this.machine.run(() => this.#hearing?.onReport(key))
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

  /** What was sent arrives, and nothing of it is heard before the connection is resumed. */
  stall(): void {
    this.state = 'silent'
    this.connection.hold()
  }

  resume(): void {
    this.connection.resume()
    this.#isUp()
  }

  suspend(): void {
    this.machine.suspend()
    this.connection.hold()
  }

  wakeUp(): void {
    this.machine.resume()
    if (this.state === 'up') this.connection.resume()
    this.#trouble = this.#world.judge.now().moment
  }

  /** The server asks the client to go to another one, and then closes the connection. */
  move(): void {
    const { options } = this.#hearing as SimulatedClient
    if (options.maintNotifications === 'disabled') this.cut(true, true)
    // The client swaps the socket, and says nothing. What was sent before is replied to.
    else this.connection = new Connection(this.#world.store, this)
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
      if (this.machine.isSuspended) this.connection.hold()
      this.#isUp()
      this.machine.run(() => this.#hearing?.onReady())
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
  readonly processes: Process[] = []
  readonly #open = new Set<string>()
  #restarts = 0
  #calls = 0

  constructor(settings: Settings, scheduler: fc.Scheduler, clock: VirtualClock) {
    this.settings = settings
    this.#clock = clock
    this.#scheduler = scheduler
    const { lifetime, maxLifetime, cache, reports, ahead } = settings
    this.judge = new Judge(clock, {
      lifetime: lifetime * 1000,
      maxLifetime: maxLifetime * 1000,
      cache: cache * 1000,
      areChangesReported: reports !== 'none',
      tolerance: 2 * Math.abs(ahead)
    })
    this.store = new SimulatedStore(settings, scheduler, clock, this.judge)
    for (const name of 'AB') this.processes.push(new Process(this, name))
  }

  machineOf(process: string): Machine {
    return new Machine(this.#clock, process.startsWith('B') ? this.settings.ahead : 0)
  }

  start(process: Process, user: ScreenUser): void {
    if (process.machine.isSuspended) return
    const begun = this.judge.now()
    const result = process.machine.run(() => process.tokens.issue(user))
    this.#call(process, 'a start', begun, result, token => {
      const started = this.judge.now()
      this.sessions.push({ token, user, begun, started, used: started.time, refusals: [] })
    })
  }

  use(process: Process, session: KnownToken): void {
    if (process.machine.isSuspended) return
    const verification = { ...this.judge.now(), process: process.name, session }
    const result = process.machine.run(() => process.tokens.verify(session.token))
    if (result instanceof Promise)
      this.#call(process, 'a use', verification, result, user => this.judge.responded(verification, user))
    else this.judge.remembered(verification, result)
  }

  /** @param isUsedNext whether the session is used as soon as it was ended */
  end(process: Process, session: KnownToken, isUsedNext: boolean): void {
    if (process.machine.isSuspended) return
    const begun = this.judge.now()
    const result = process.machine.run(() => process.tokens.revoke(session.token))
    this.#call(process, 'an end', begun, result, () => {
      this.judge.revoked(process.name, sessionKey(session), begun)
      if (isUsedNext) this.use(process, session)
    })
  }

  endAll(process: Process, { username }: ScreenUser, isUsedNext: boolean): void {
    if (process.machine.isSuspended) return
    const begun = this.judge.now()
    const result = process.machine.run(() => process.tokens.revokeAll(username))
    this.#call(process, 'an end of all', begun, result, () => {
      this.judge.revoked(process.name, generationKey(username), begun)
      const session = this.sessions.find(({ user }) => user.username === username)
      if (isUsedNext && session !== undefined) this.use(process, session)
    })
  }

  restart(index: number, isArriving: boolean): void {
    const { name } = this.processes[index] as Process
    this.processes[index]?.kill(isArriving)
    this.processes[index] = new Process(this, `${name[0]}${++this.#restarts + 1}`)
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
    // No network keeps a message for days.
    if (milliseconds > 3_600_000)
      for (const process of this.processes) if (process.state === 'silent') process.cut(false, true)
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
    for (const process of this.processes) {
      if (process.machine.isSuspended) process.wakeUp()
      if (process.state === 'silent') process.resume()
    }
    await this.deliver()
    await this.wait(TIMEOUT)
    await this.deliver()
    // What comes too late to be believed is followed by what does not.
    await this.wait(500)
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
