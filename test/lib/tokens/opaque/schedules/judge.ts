import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { ScreenUser } from '../../../../../lib/index.ts'
import type { Settings } from './simulated-store.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** A point in time. `moment` counts all events, which orders those within a millisecond. */
export interface When {
  moment: number
  time: number
}

/** A change that the store has executed. */
interface Change extends When {
  value: unknown
  /** The processes to which it has been reported. */
  reportedTo: Set<string>
}

/** A session whose token is known. */
export interface KnownToken {
  token: string
  user: ScreenUser
  /** In milliseconds. */
  lifetime: number
  maxLifetime: number
  begun: When
  started: When
  /** The time at which the last known use ended. */
  used: number
  /** The moments at which verifications that refused the session began and ended. */
  refusals: { begun: number; over: number }[]
}

/** A verification that has begun. */
export interface Verification extends When {
  process: string
  session: KnownToken
  isUse: boolean
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url')

export const sessionKey = ({ token }: KnownToken) => `screen_auth_session:${sha256(token)}`
const lastUseKey = ({ token }: KnownToken) => `screen_auth_last_use:${sha256(token)}`
const generationKey = ({ token }: KnownToken) => `screen_auth_generation:${token.slice(0, 24)}`

/** Records the changes and reports of the store, and checks each verification against the promises of opaqueTokens. */
export class Judge {
  /** The broken promises, which fail the run. */
  readonly wrong: string[] = []
  readonly #clock: VirtualClock
  readonly #cache: number
  readonly #areChangesReported: boolean
  #moments = 0
  readonly #changes = new Map<string, Change[]>()
  /** The values that were sent to the store under each key. */
  readonly #sent = new Map<string, unknown[]>()
  /** The revocations that have resolved. */
  readonly #revocations: { by: string; what: string; begun: number; over: number }[] = []
  /** The moments at which each process last read a key, and last lost its connection. */
  readonly #reads = new Map<string, number>()
  readonly #lost = new Map<string, number>()

  constructor(clock: VirtualClock, { cache, reports }: Settings) {
    this.#clock = clock
    this.#cache = cache * 1000
    this.#areChangesReported = reports !== 'none'
  }

  now(): When {
    return { moment: ++this.#moments, time: this.#clock.now }
  }

  changed(key: string, value: unknown): Change {
    const change = { ...this.now(), value, reportedTo: new Set<string>() }
    this.#changes.set(key, [...this.#changesOf(key), change])
    return change
  }

  sent(key: string, value: unknown): void {
    this.#sent.set(key, [...(this.#sent.get(key) ?? []), value])
  }

  read(process: string, key: string): void {
    this.#reads.set(`${process} ${key}`, this.now().moment)
  }

  lost(process: string): void {
    this.#lost.set(process, this.now().moment)
  }

  /** @param what the key of a session, or a username */
  revoked(by: string, what: string, begun: When): void {
    this.#revocations.push({ by, what, begun: begun.moment, over: this.now().moment })
  }

  /** Checks a result from the cache. */
  cached(verification: Verification, user: ScreenUser | null): void {
    const { process, session, time } = verification
    if (user === null) this.#fail(verification, 'refused without a read from the store')
    else this.#accepted(verification, user)
    if (this.#cache === 0) this.#fail(verification, 'cached although the cache is off')
    for (const change of this.#ends(session)) {
      if (change.reportedTo.has(process)) this.#fail(verification, 'cached after its end was reported')
      if (time >= change.time + this.#cache)
        this.#fail(verification, `cached ${(time - change.time) / 1000} s after its end`)
    }
    const lastRead = this.#reads.get(`${process} ${sessionKey(session)}`) ?? 0
    if (this.#areChangesReported && lastRead < (this.#lost.get(process) ?? 0))
      this.#fail(verification, 'cached although the connection was lost')
    if (verification.isUse) session.used = Math.max(session.used, time)
  }

  /** Checks a result from the store. */
  responded(verification: Verification, user: ScreenUser | null): void {
    const { session, moment } = verification
    if (user === null) {
      session.refusals.push({ begun: moment, over: this.now().moment })
      if (!this.#mayBeOver(verification)) this.#fail(verification, 'refused although it is live')
      return
    }
    this.#accepted(verification, user)
    if (this.#ends(session).some(change => change.moment < moment))
      this.#fail(verification, 'accepted although the store had ended it before')
    if (this.#isRefusedBefore(verification)) this.#fail(verification, 'accepted although it was refused before')
    if (verification.isUse) session.used = Math.max(session.used, this.#clock.now)
  }

  isLive(session: KnownToken): boolean {
    return !this.#mayBeOver({ ...this.now(), process: '', session, isUse: false })
  }

  #accepted(verification: Verification, user: ScreenUser): void {
    const { process, session, moment, time } = verification
    if (!isDeepStrictEqual(user, session.user)) this.#fail(verification, 'returned with another user')
    if (time >= this.#latestEnd(session)) this.#fail(verification, 'accepted after it had expired')
    const own = [sessionKey(session), session.user.username]
    const isRevoked = this.#revocations.some(
      ({ by, what, begun, over }) =>
        by === process && own.includes(what) && begun > session.started.moment && over < moment
    )
    if (isRevoked) this.#fail(verification, 'accepted by the process that had revoked it')
  }

  /** The changes that ended a session: its deletion, and revocations of all sessions after its login. */
  #ends(session: KnownToken, login = session.started): Change[] {
    return [
      ...this.#changesOf(sessionKey(session)).filter(({ value }) => value === undefined),
      ...this.#changesOf(generationKey(session)).filter(({ moment }) => moment > login.moment)
    ]
  }

  /** Whether an earlier refusal was final: a use that is written later can still renew the session. */
  #isRefusedBefore({ session, moment }: Verification): boolean {
    const uses = this.#changesOf(lastUseKey(session))
    return session.refusals.some(({ begun, over }) => over < moment && !uses.some(use => use.moment > begun))
  }

  #mayBeOver(verification: Verification): boolean {
    const { session } = verification
    // A revocation of all sessions may also end a login that is in progress.
    return this.#ends(session, session.begun).length > 0 || this.#mayHaveExpired(verification)
  }

  #latestEnd(session: KnownToken): number {
    let used = session.started.time
    // A use renews the session as soon as it is sent to the store, unless the session has expired.
    for (const use of (this.#sent.get(lastUseKey(session)) ?? []) as number[])
      if (use < used + session.lifetime) used = Math.max(used, use)
    return Math.min(session.started.time + session.maxLifetime, Math.max(used, session.used) + session.lifetime)
  }

  /** Whether the session was expired at any moment since the verification began. */
  #mayHaveExpired({ session, moment }: Verification): boolean {
    const uses = this.#changesOf(lastUseKey(session))
    const before = uses.findLast(use => use.moment < moment)
    let used = before === undefined ? session.begun.time : (before.value as number)
    for (const use of uses.filter(use => use.moment > moment)) {
      if (use.time >= used + session.lifetime) return true
      used = use.value as number
    }
    return this.#clock.now >= Math.min(session.begun.time + session.maxLifetime, used + session.lifetime)
  }

  #changesOf(key: string): Change[] {
    return this.#changes.get(key) ?? []
  }

  #fail({ process, session }: Verification, what: string): void {
    this.wrong.push(`${process}: a session of ${session.user.username} was ${what}`)
  }
}
