// Random schedules of two processes on one store whose replies come in any order, held against a model that knows only
// what has been promised.
import fc from 'fast-check'
import t from 'tap'
import { type OpaqueTokens, opaqueTokens, type ScreenUser, type Store } from '../../../lib/index.ts'
import { MemoryStore } from '../../../lib/stores/memory-store.ts'
import { stopClock } from '../../clock.ts'
import { holds } from '../../fuzz/runs.ts'

const NAMES = ['ada', 'eve'] as const
/** Seconds. */
const [LIFETIME, MAX_LIFETIME] = [10, 25]

/** A session, and what the model knows of it. All times are milliseconds. */
interface Session {
  token: string
  username: string
  issued: number
  /** The last use that was accepted. */
  used: number
  /** Whether a revocation has begun since the login began, so that the session may end, and whether one has ended. */
  mayEnd: boolean
  hasEnded: boolean
}

/** One step: who does what. The scheduler decides when each call reaches the store, and when its reply arrives. */
const step = fc.record({
  name: fc.constantFrom('logIn', 'use', 'use', 'use', 'peek', 'revoke', 'revokeAll', 'wait'),
  username: fc.constantFrom(...NAMES),
  process: fc.nat(1),
  /** Which of the sessions. */
  which: fc.nat(),
  seconds: fc.integer({ min: 0, max: 12 })
})

t.test('no schedule lets in a revoked session, ends another one, or confuses users', async t => {
  const clock = stopClock(t)
  const seen = new Set<string>()

  await holds(t, 3, [fc.scheduler(), fc.array(step, { minLength: 3, maxLength: 30 })], async (scheduler, steps) => {
    const memory = new MemoryStore()
    const late = async (call: () => unknown) => {
      await scheduler.schedule(Promise.resolve())
      const reply = call()
      await scheduler.schedule(Promise.resolve())
      return reply
    }
    const store: Store = {
      get: key => late(() => memory.get(key)),
      set: (key, value, ms) => late(() => memory.set(key, value, ms)),
      delete: key => late(() => memory.delete(key)),
      touch: (key, ms) => late(() => memory.touch(key, ms)),
      take: () => ({ taken: false, ms: 0 }),
      giveBack: () => {}
    }
    const processes = [0, 1].map(() =>
      opaqueTokens({ store, lifetime: LIFETIME, maxLifetime: MAX_LIFETIME, timeout: 600 })
    )
    const sessions: Session[] = []
    /** All logins, and whether one has overlapped a revocation of all sessions. */
    const logins: { username: string; mayEnd: boolean }[] = []
    /** The users of revocations that have not ended yet. */
    const revoking: string[] = []
    const faults: string[] = []

    async function logIn(tokens: OpaqueTokens, username: string) {
      const login = { username, mayEnd: revoking.includes(username) }
      logins.push(login)
      const token = await tokens.issue({ username, displayName: username })
      const now = Date.now()
      sessions.push({ token, username, issued: now, used: now, mayEnd: login.mayEnd, hasEnded: false })
    }

    async function use(tokens: OpaqueTokens, session: Session, isUse: boolean) {
      const { hasEnded } = session
      const user: ScreenUser | null = await tokens.verify(session.token, null, { use: isUse })
      seen.add(user ? 'accepted' : session.mayEnd ? 'revoked' : 'expired')
      if (user === null) {
        const isOld = Date.now() >= Math.min(session.used + 0.9 * LIFETIME * 1000, session.issued + MAX_LIFETIME * 1000)
        if (!session.mayEnd && !isOld) faults.push('a session ended without a reason')
        return
      }
      if (user.username !== session.username) faults.push('a token of another user')
      if (hasEnded) faults.push('a revoked session was let in')
      if (Date.now() >= session.used + LIFETIME * 1000) faults.push('an idle session was let in')
      if (Date.now() >= session.issued + MAX_LIFETIME * 1000) faults.push('a session has outlived maxLifetime')
      if (isUse) session.used = Date.now()
    }

    async function end(ended: Session[], revoke: () => Promise<void>) {
      for (const session of ended) session.mayEnd = true
      await revoke()
      for (const session of ended) session.hasEnded = true
    }

    async function endAll(tokens: OpaqueTokens, username: string) {
      for (const login of logins) if (login.username === username) login.mayEnd = true
      revoking.push(username)
      const earlier = sessions.filter(session => session.username === username)
      await end(earlier, () => tokens.revokeAll(username))
      revoking.splice(revoking.indexOf(username), 1)
    }

    for (const { name, username, process, which, seconds } of steps) {
      const tokens = processes[process] as OpaqueTokens
      const session = sessions[which % sessions.length]
      if (name === 'logIn') logIn(tokens, username)
      if (name === 'wait') {
        // Time passes only between calls, so that the model knows the time of each.
        await scheduler.waitIdle()
        clock.tick(seconds)
      }
      if (name === 'revokeAll') endAll(tokens, username)
      if (session && name === 'use') use(tokens, session, true)
      if (session && name === 'peek') use(tokens, session, false)
      if (session && name === 'revoke') end([session], () => tokens.revoke(session.token))
      // A random number of the waiting calls goes on, so that calls of several steps overlap.
      for (let i = which % 4; i > 0 && scheduler.count() > 0; i--) await scheduler.waitOne()
    }
    await scheduler.waitIdle()
    for (const session of sessions) use(processes[0] as OpaqueTokens, session, false)
    await scheduler.waitIdle()
    if (faults.length > 0) throw new Error(faults.join(', '))
  })

  t.strictSame([...seen].sort(), ['accepted', 'expired', 'revoked'])
})
