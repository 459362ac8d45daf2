// Checks the promises of opaqueTokens for two processes, with calls, messages and faults in any order. Runs in its own
// thread, because all its clocks and timers are virtual.
import { setImmediate as turn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import fc from 'fast-check'
import type { Settings } from './simulated-store.ts'
import { useVirtualClock } from './virtual-clock.ts'
import { World } from './world.ts'

type Action = 'start' | 'use' | 'look' | 'end' | 'endAll' | 'hold' | 'resume' | 'cut' | 'deliver' | 'wait'
/** The name of a method of the world, and its arguments. */
type Step = { [A in Action]: [A, ...Parameters<World[A]>] }[Action]
type Steps = fc.Arbitrary<Step[]>
type Given<Values extends unknown[]> = { [I in keyof Values]: Values[I] | fc.Arbitrary<Values[I]> }

/** Returns a step. Each argument is a value or an arbitrary. */
function step<A extends Action>(action: A, ...given: Given<Parameters<World[A]>>): fc.Arbitrary<Step> {
  const arbitraries = (given as unknown[]).map(one => (one instanceof fc.Arbitrary ? one : fc.constant(one)))
  return fc.tuple(...arbitraries).map(args => [action, ...args] as Step)
}

const DAY = 86_400_000
const LATEST = -1

const yes = fc.boolean()
const process = fc.nat(1)
const user = fc.nat(1)
const session = fc.constantFrom(0, 1, LATEST)
/** Half of the indexes mean the times of the service. */
const ownTimes = fc.nat(3)
const rarely = fc.nat(7).map(n => n === 7)
const milliseconds = fc.constantFrom(1, 400, 999, 1000, 1500, 2000, 2999)
const wait = (...choices: number[]) => step('wait', fc.constantFrom(...choices), false)

/** Steps, and the delivery of messages after each. */
const followed = (count: fc.Arbitrary<number>, steps: fc.Arbitrary<Step>[]): Steps =>
  fc.tuple(...steps.map(one => fc.tuple(one, step('deliver', count)))).map(pairs => pairs.flat())
const alone = (...steps: fc.Arbitrary<Step>[]): Steps => fc.tuple(...steps)
const all = (...steps: fc.Arbitrary<Step>[]) => followed(fc.constant(Infinity), steps)
const few = (...steps: fc.Arbitrary<Step>[]) => followed(fc.nat(6), steps)
const some = (...steps: fc.Arbitrary<Step>[]) => {
  const count = fc.oneof({ weight: 3, arbitrary: fc.nat(6) }, { weight: 2, arbitrary: fc.constant(Infinity) })
  return followed(count, steps)
}

const anything = some(
  fc.oneof(
    { weight: 7, arbitrary: step('use', process, session) },
    { weight: 2, arbitrary: step('look', process, session) },
    { weight: 1, arbitrary: step('start', process, user, ownTimes) },
    { weight: 2, arbitrary: step('end', process, session, yes) },
    { weight: 1, arbitrary: step('endAll', process, user, yes) },
    { weight: 4, arbitrary: step('wait', milliseconds, rarely) },
    { weight: 1, arbitrary: wait(4000, 24 * DAY) },
    { weight: 2, arbitrary: step('hold', process, fc.constantFrom('all', 'incoming', 'reports')) },
    { weight: 1, arbitrary: step('resume', process) },
    { weight: 1, arbitrary: step('cut', process, yes, yes) }
  )
)

/** Scenarios that random steps rarely produce: one process must notice a session that the other one ends. */
const scenario = fc
  .record({ p: process, s: user, isOfUser: yes, isNew: yes, isUsedNext: yes })
  .chain(({ p, s, isOfUser, isNew, isUsedNext }): Steps => {
    const q = 1 - p
    const target = isNew ? LATEST : s
    const started = isNew ? [all(step('start', q, s, ownTimes))] : []
    const ended = isOfUser ? step('endAll', q, s, isUsedNext) : step('end', q, target, isUsedNext)
    const passed = step('wait', milliseconds, rarely)
    const used = step('use', p, target)
    const silenced = step('hold', p, fc.constantFrom('all', 'reports'))
    const scenarios: Steps[][] = [
      // A session is read while it is revoked.
      [...started, some(used, ended, used, used)],
      // A session is revoked while the connection is silent.
      [
        ...started,
        all(used, used),
        some(silenced, passed),
        all(ended),
        fc.oneof(some(passed), alone(step('wait', fc.constantFrom(1500, 2999), true))),
        some(used)
      ],
      // A connection is silent twice.
      [
        ...started,
        some(silenced, passed, passed, used, step('resume', p), used, ended, silenced, passed, passed, used)
      ],
      // Each message is slow.
      [...started, all(used), few(wait(1000), ended, wait(1000, 1500), wait(1500, 2000)), some(used)],
      // One process renews a session, while the other one receives the previous last use late.
      [
        all(step('start', q, s, ownTimes), wait(1, 500), step('use', q, LATEST), wait(3600)),
        alone(step('hold', p, 'incoming')),
        all(step('use', p, LATEST), step('use', q, LATEST), wait(500, 1500), step('use', q, LATEST)),
        all(step('resume', p), step('use', q, LATEST), step('use', p, LATEST))
      ],
      // The reply to a heartbeat arrives late, and then nothing arrives.
      [
        ...started,
        all(used, used),
        alone(step('hold', p, 'incoming')),
        all(wait(1000), ended),
        alone(wait(800, 2500)),
        followed(fc.constantFrom(1, 2), [step('resume', p)]),
        alone(step('hold', p, 'all'), wait(900, 2900)),
        some(used)
      ],
      // A process has just reconnected.
      [some(step('cut', p, yes, yes), used, used, ended, used, passed, used)],
      // A login happens while all sessions of the user are revoked.
      [
        some(step('start', p, s, ownTimes), ended, used, used, passed),
        all(step('use', p, LATEST)),
        alone(wait(24 * DAY)),
        all(wait(1000, 6 * DAY - 1)),
        some(used)
      ]
    ]
    return fc.oneof(...scenarios.map(parts => fc.tuple(...parts).map(parts => parts.flat())))
  })

const anySteps = fc
  .array(fc.oneof({ weight: 4, arbitrary: anything }, { weight: 1, arbitrary: scenario }), {
    maxLength: 16,
    size: 'max'
  })
  .map(parts => parts.flat())

/** A quarter of the runs have only a scenario, without steps in between. */
const schedule = fc.oneof({ weight: 3, arbitrary: anySteps }, { weight: 1, arbitrary: scenario })

/** In seconds. */
const times = fc.constantFrom(
  { lifetime: 100, maxLifetime: 100 },
  { lifetime: 2, maxLifetime: 2 },
  { lifetime: 4, maxLifetime: 9 },
  { lifetime: 4, maxLifetime: 30 },
  // Longer than the minimum time for which the store keeps the mark of a revokeAll.
  { lifetime: 30 * 86_400, maxLifetime: 30 * 86_400 }
)

const stores = {
  reporting: fc.record({
    reports: fc.constantFrom<Settings['reports']>('by Redis', 'by Redis', 'separate', 'separate, with ping'),
    cache: fc.constantFrom(3, 1),
    isReportFirst: yes,
    isPacked: yes
  }),
  polled: fc.record({
    reports: fc.constant<Settings['reports']>('none'),
    cache: fc.constantFrom(0, 5),
    isReportFirst: fc.constant(false),
    isPacked: yes
  })
}

// Settles all promises after each packet, before the next event.
const scheduler = fc.scheduler({
  async act(arrive) {
    await arrive()
    await turn()
  }
})

const { kind, parameters } = workerData as { kind: keyof typeof stores; parameters: object }
const clock = useVirtualClock()
// Each call creates its timeout error in advance, and the stack traces would take most of the time.
Error.stackTraceLimit = 0

const promisesHold = fc.asyncProperty(
  stores[kind],
  times,
  yes,
  schedule,
  scheduler,
  async (store, times, isWarm, steps, scheduler) => {
    clock.reset()
    const world = new World({ ...store, ...times }, scheduler, clock)
    if (isWarm) await world.warmUp()
    for (const [action, ...args] of steps) {
      await (world[action] as (...args: unknown[]) => unknown)(...args)
      world.check()
    }
    await world.calmDown()
    world.check()
  }
)
const result = await fc.check(promisesHold, parameters)
parentPort?.postMessage({ numRuns: result.numRuns, failure: await fc.asyncDefaultReportMessage(result) })
