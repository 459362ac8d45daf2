import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import type { ScreenUser } from '../../../../../lib/index.ts'
import type { StoreSettings } from './simulated-store.ts'
import type { VirtualClock } from './virtual-clock.ts'
import { type Process, type Settings, USERS, World } from './world.ts'

/** What somebody does, or what happens. */
interface Step {
  act(world: World): unknown
  toString(): string
}

const DAY = 86_400

const times = fc.constantFrom(
  { lifetime: 100, maxLifetime: 100 },
  { lifetime: 2, maxLifetime: 2 },
  { lifetime: 4, maxLifetime: 9 },
  { lifetime: 4, maxLifetime: 30 },
  // Longer than the least time for which the end of all sessions is noted.
  { lifetime: 30 * DAY, maxLifetime: 30 * DAY }
)

const step = (words: string, act: Step['act']): Step => ({ act, toString: () => words })

const yes = fc.boolean()
const nameOf = (index: number) => 'AB'[index]
const processOf = (world: World, index: number) => world.processes[index] as Process
const userAt = (index: number) => USERS[index] as ScreenUser

const LATEST = 2
const sessionWords = (index: number) => (index === LATEST ? 'the latest session' : `session ${index}`)
const sessionAt = (world: World, index: number) => world.sessions.at(index === LATEST ? -1 : index)

const use = (p: number, s: number) =>
  step(`${nameOf(p)} uses ${sessionWords(s)}`, world => {
    const session = sessionAt(world, s)
    if (session !== undefined) world.use(processOf(world, p), session)
  })

const start = (p: number, u: number) =>
  step(`${nameOf(p)} starts a session of ${userAt(u).username}`, world =>
    world.start(processOf(world, p), userAt(u))
  )

const end = (p: number, s: number, isUsedNext: boolean) =>
  step(`${nameOf(p)} ends ${sessionWords(s)}${isUsedNext ? ' and uses it then' : ''}`, world => {
    const session = sessionAt(world, s)
    if (session !== undefined) world.end(processOf(world, p), session, isUsedNext)
  })

const endAll = (p: number, u: number, isUsedNext: boolean) =>
  step(
    `${nameOf(p)} ends all sessions of ${userAt(u).username}${isUsedNext ? ' and uses the first then' : ''}`,
    world => world.endAll(processOf(world, p), userAt(u), isUsedNext)
  )

const wait = (milliseconds: number, isBusy: boolean) =>
  step(`${milliseconds / 1000} s pass${isBusy ? ' in which no timer runs' : ''}`, world =>
    world.wait(milliseconds, isBusy)
  )

const silence = (p: number, isOnlyReports: boolean) =>
  step(`the ${isOnlyReports ? 'reports to' : 'connection of'} ${nameOf(p)} become silent`, world => {
    if (processOf(world, p).state === 'up') processOf(world, p).silence(isOnlyReports)
  })

const resume = (p: number) =>
  step(`the connection of ${nameOf(p)} is silent no more`, world => {
    if (processOf(world, p).state === 'silent') processOf(world, p).resume()
  })

const cut = (p: number, isArriving: boolean, isNullFirst: boolean) =>
  step(
    `the connection of ${nameOf(p)} is lost (${isArriving ? 'what was sent still arrives' : 'with what was sent'}, ` +
      `reported ${isNullFirst ? 'before' : 'after'} the rejections)`,
    world => {
      if (['up', 'silent'].includes(processOf(world, p).state))
        processOf(world, p).cut(isArriving, isNullFirst)
    }
  )

const stall = (p: number) =>
  step(`${nameOf(p)} hears everything late`, world => {
    if (processOf(world, p).state === 'up') processOf(world, p).stall()
  })

const suspend = (p: number) =>
  step(`the machine of ${nameOf(p)} is suspended`, world => processOf(world, p).suspend())

const wakeUp = (p: number) =>
  step(`the machine of ${nameOf(p)} wakes up`, world => {
    if (processOf(world, p).machine.isSuspended) processOf(world, p).wakeUp()
  })

const move = (p: number) =>
  step(`Redis asks ${nameOf(p)} to move to another server`, world => {
    if (world.settings.reports === 'by Redis' && processOf(world, p).state === 'up')
      processOf(world, p).move()
  })

const restart = (p: number, isArriving: boolean) =>
  step(`${nameOf(p)} restarts${isArriving ? ', and what it has sent still arrives' : ''}`, world =>
    world.restart(p, isArriving)
  )

const process = fc.nat(1)
const session = fc.nat(LATEST)
const user = fc.nat(1)
const rarely = fc.nat(7).map(n => n === 7)
const milliseconds = fc.constantFrom(1, 400, 999, 1000, 1500, 2000, 2999)
const ALL = Number.POSITIVE_INFINITY

const messages = fc.oneof({ weight: 3, arbitrary: fc.nat(6) }, { weight: 2, arbitrary: fc.constant(ALL) })

/** A step, and how many messages arrive then. */
const then = (count: fc.Arbitrary<number>, first: fc.Arbitrary<Step> | Step): fc.Arbitrary<Step> =>
  fc.tuple('act' in first ? fc.constant(first) : first, count).map(([first, count]) =>
    count === 0
      ? first
      : step(`${first}, then ${count === ALL ? 'all' : count} messages arrive`, async world => {
          await first.act(world)
          await world.deliver(count)
        })
  )

const all = then.bind(null, fc.constant(ALL))
const few = then.bind(null, fc.nat(6))
const some = then.bind(null, messages)

const anything = some(
  fc.oneof(
    { weight: 8, arbitrary: fc.tuple(process, session).map(args => use(...args)) },
    { weight: 1, arbitrary: fc.tuple(process, user).map(args => start(...args)) },
    { weight: 2, arbitrary: fc.tuple(process, session, yes).map(args => end(...args)) },
    { weight: 1, arbitrary: fc.tuple(process, user, yes).map(args => endAll(...args)) },
    { weight: 4, arbitrary: fc.tuple(milliseconds, rarely).map(args => wait(...args)) },
    { weight: 1, arbitrary: fc.constantFrom(4, 24 * DAY).map(seconds => wait(seconds * 1000, false)) },
    { weight: 1, arbitrary: fc.tuple(process, yes).map(args => silence(...args)) },
    { weight: 1, arbitrary: process.map(resume) },
    { weight: 1, arbitrary: process.map(stall) },
    { weight: 1, arbitrary: fc.tuple(process, yes, yes).map(args => cut(...args)) },
    { weight: 1, arbitrary: fc.tuple(process, yes).map(args => restart(...args)) },
    { weight: 1, arbitrary: process.map(suspend) },
    { weight: 2, arbitrary: process.map(wakeUp) },
    { weight: 1, arbitrary: process.map(move) }
  )
)

/** Steps that seldom follow each other by chance: one process is to hear of what the other ends. */
const story = fc
  .record({
    p: process,
    isOfUser: yes,
    s: fc.constantFrom(0, 1),
    isOnlyReports: yes,
    isNew: yes,
    isUsedNext: yes
  })
  .chain(({ p, isOfUser, s, isOnlyReports, isNew, isUsedNext }) => {
    const q = 1 - p
    const target = isNew ? LATEST : s
    const started = isNew ? [all(start(q, s))] : []
    const ended = some(isOfUser ? endAll(q, s, isUsedNext) : end(q, target, isUsedNext))
    const passed = some(fc.tuple(milliseconds, rarely).map(args => wait(...args)))
    const used = some(use(p, target))
    return fc.oneof(
      // Read while it is ended.
      fc.tuple(...started, used, ended, used, used),
      // Ended while the connection is silent.
      fc.tuple(
        ...started,
        all(use(p, target)),
        all(use(p, target)),
        some(silence(p, isOnlyReports)),
        passed,
        all(isOfUser ? endAll(q, s, isUsedNext) : end(q, target, isUsedNext)),
        fc.oneof(passed, fc.constantFrom(wait(1500, true), wait(2999, true))),
        used
      ),
      // Silent for a while, then again.
      fc.tuple(
        ...started,
        some(silence(p, isOnlyReports)),
        passed,
        passed,
        used,
        some(resume(p)),
        used,
        ended,
        some(silence(p, isOnlyReports)),
        passed,
        passed,
        used
      ),
      // Each message is slow.
      fc.tuple(
        all(use(p, s)),
        few(wait(1000, false)),
        few(isOfUser ? endAll(q, s, false) : end(q, s, false)),
        few(fc.constantFrom(wait(1000, false), wait(1500, false))),
        few(fc.constantFrom(wait(1500, false), wait(2000, false))),
        used
      ),
      // Suspended, and moved to another server, while a session is ended.
      fc.tuple(
        all(use(p, s)),
        all(use(p, s)),
        all(fc.constantFrom(suspend(p), move(p))),
        all(isOfUser ? endAll(q, s, isUsedNext) : end(q, s, isUsedNext)),
        passed,
        fc.constantFrom(wait(2999, false), wait(4000, false)),
        fc.constant(wakeUp(p)),
        used,
        used
      ),
      // Renewed by one process, while another has read when it was used before, and hears it late.
      fc.tuple(
        all(start(q, s)),
        all(fc.constantFrom(wait(1, false), wait(500, false))),
        all(use(q, LATEST)),
        all(wait(3600, false)),
        fc.constant(stall(p)),
        all(use(p, LATEST)),
        all(use(q, LATEST)),
        all(fc.constantFrom(wait(500, false), wait(1500, false))),
        all(use(q, LATEST)),
        all(resume(p)),
        all(use(q, LATEST)),
        all(use(p, LATEST))
      ),
      // A heartbeat is heard late, and then nothing.
      fc.tuple(
        all(use(p, s)),
        all(use(p, s)),
        fc.constant(stall(p)),
        all(wait(1000, false)),
        all(isOfUser ? endAll(q, s, false) : end(q, s, false)),
        fc.constantFrom(wait(800, false), wait(2500, false)),
        then(fc.constantFrom(1, 2), resume(p)),
        fc.constant(silence(p, false)),
        fc.constantFrom(wait(900, false), wait(2900, false)),
        used
      ),
      // A process that has just begun to hear.
      fc.tuple(
        some(fc.constantFrom(restart(p, isUsedNext), cut(p, isUsedNext, isOnlyReports))),
        some(use(p, s)),
        some(use(p, s)),
        ended,
        used,
        passed,
        used
      ),
      // A login while all sessions are ended.
      fc.tuple(
        some(start(p, s)),
        ended,
        used,
        used,
        passed,
        all(use(p, LATEST)),
        fc.constant(wait(24 * DAY * 1000, false)),
        all(fc.constantFrom(wait(1000, false), wait(6 * DAY * 1000 - 1, false))),
        used
      )
    )
  })

const steps = fc
  .array(fc.oneof({ weight: 4, arbitrary: fc.tuple(anything) }, { weight: 1, arbitrary: story }), {
    maxLength: 16,
    size: 'max'
  })
  .map(steps => steps.flat())

/** Often a story alone, so that nothing comes between. */
const schedules = fc.oneof({ weight: 3, arbitrary: steps }, { weight: 1, arbitrary: story })

/** Milliseconds by which the clocks of two processes differ; most often they agree, so that all is judged exactly. */
const ahead = fc.constantFrom(0, 0, 1000, -1000)

const stores = {
  reporting: fc.record({
    reports: fc.constantFrom<StoreSettings['reports']>('by Redis', 'by Redis', 'apart', 'apart, with proof'),
    cache: fc.constantFrom(3, 1),
    isKeyv: fc.constant(false),
    ahead,
    isReportFirst: yes,
    isPacked: yes
  }),
  asked: fc.record({
    reports: fc.constant<StoreSettings['reports']>('none'),
    cache: fc.constantFrom(0, 5),
    isKeyv: yes,
    ahead,
    isReportFirst: fc.constant(false),
    isPacked: yes
  })
}

/** In any order of calls, messages and faults, the promises hold. */
export function promisesHold(store: keyof typeof stores, clock: VirtualClock) {
  const settings = fc.tuple(stores[store], times).map(([store, times]): Settings => ({ ...store, ...times }))
  // A packet is read, and all promises are settled, before anything else comes to pass.
  const scheduler = fc.scheduler({
    async act(arrive) {
      await arrive()
      await turn()
    }
  })
  return fc.asyncProperty(settings, yes, schedules, scheduler, async (settings, isWarm, steps, scheduler) => {
    clock.reset()
    const world = new World(settings, scheduler, clock)
    const check = () => {
      if (world.judge.wrong.length > 0) throw new Error(world.judge.wrong.join('\n'))
    }
    if (isWarm) await world.warmUp()
    for (const step of steps) {
      await step.act(world)
      check()
    }
    await world.calmDown()
    check()
  })
}
