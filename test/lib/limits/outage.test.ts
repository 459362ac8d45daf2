// A store of the host that fails, and what the limits do meanwhile.
import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { loginLimits } from '../../../lib/index.ts'
import { stopClock } from '../../clock.ts'
import { ADA, collectLog, host, listen, throwing } from '../../helpers.ts'
import { attempt, type Call, countingHost, RIGHT, repeat, storeWith, together } from './attempts.ts'
import { never } from './checkers.ts'

type Fault = (call: () => unknown, name: Call) => unknown

const FAILED = { code: 'FST_SCREEN_AUTH_THROTTLE_FAILED' }
const down = throwing('down')
const full: Fault = (call, name) => (['set', 'take'].includes(name) ? down() : call())
const readOnly: Fault = (call, name) => (name === 'get' ? call() : down())
const takes = (value: unknown) => (call: () => unknown, name: Call) => (name === 'take' ? value : call())

/** Two hosts with one store that can fail. */
async function servers(t: Test, serverOptions: object = {}) {
  const clock = stopClock(t)
  let [fault, calls]: [Fault | null, number] = [null, 0]
  const store = storeWith((call, name) => ++calls && (fault ? fault(call, name) : call()))
  const wait = (seconds: number) => clock.during(clock.sleep(seconds), 50)
  const breaks = (how: Fault | null) => {
    fault = how
  }
  const one = await countingHost(t, { throttle: { store } }, serverOptions)
  const two = await countingHost(t, { throttle: { store } })
  /** Ends the fault, and waits until the hosts have noticed. */
  const comeBack = () => {
    breaks(null)
    return wait(1.1)
  }
  return { clock, wait, breaks, comeBack, store, calls: () => calls, one, two }
}

for (const [name, fault] of Object.entries({
  'is down': down,
  'is silent': never,
  'is full': full,
  'loses its replies': call => (call() === null ? null : down()),
  'takes nothing': takes(undefined),
  'returns an infinite count': takes({ taken: true, ms: Number.POSITIVE_INFINITY })
} satisfies Record<string, Fault>))
  t.test(`while the store ${name}, a process counts in its memory, and tells its begin and end once`, async t => {
    const log = collectLog()
    const outcomes = listen(t, 'throttle', ({ outcome }) => outcome)
    const { clock, wait, one, breaks, comeBack } = await servers(t, log)
    breaks(fault)
    const start = Date.now()
    await clock.during(together(9, () => attempt(one.app)))
    t.ok(Date.now() - start < 2_200, `${Date.now() - start} ms`)
    await wait(5)
    // The clock stands still, so only the first logins wait.
    await repeat(9, () => attempt(one.app))
    t.equal(one.checks(), 10)
    t.match(await attempt(one.app, RIGHT), { statusCode: 200, isBlocked: true })
    t.equal((await attempt(one.app, { ...RIGHT, username: 'bob' })).success, true)

    const lines = () => log.lines.filter(({ msg }) => /the store of the throttle/.test(String(msg)))
    const text = 'the store of the throttle failed; meanwhile this process counts failed logins for itself'
    const warning = { level: 40, msg: `screen-auth: ${text}`, err: FAILED }
    t.match([lines(), outcomes], [[warning], ['store-down']])
    t.match(log.text(), /within 2 s|down|must return { taken, ms }/)
    await comeBack()
    await wait(5)
    t.match(lines(), [warning, { level: 30, msg: 'screen-auth: the store of the throttle is back' }])
    t.strictSame(outcomes, ['store-down', 'store-back'])
  })

for (const isScript of [false, true])
  t.test(
    `unlock and forgetNetworks reject while the store is down, ${isScript ? 'without' : 'with'} an app`,
    async t => {
      const { clock, one, breaks, comeBack, store } = await servers(t)
      const events = listen(t, 'throttle')
      const { unlock, forgetNetworks } = isScript ? loginLimits({ store }) : one.app.screenAuth
      for (const fault of [down, never, full]) {
        breaks(fault)
        if (!isScript) await clock.during(attempt(one.app))
        await t.rejects(clock.during(unlock({ username: 'ada' })), FAILED)
        await t.rejects(clock.during(unlock({ address: '192.0.2.1' })), FAILED)
        await t.rejects(clock.during(forgetNetworks('ada')), FAILED)
        await comeBack()
        await unlock({ username: 'ada', address: '192.0.2.1' })
        await forgetNetworks('ada')
      }
      t.equal(events.length, isScript ? 0 : 6)
    }
  )

t.test('repeated outages allow the guesses of one outage', async t => {
  const { one, breaks, comeBack } = await servers(t)
  await repeat(9, async () => {
    await repeat(3, () => attempt(one.app))
    breaks(full)
    await repeat(3, () => attempt(one.app))
    await comeBack()
  })
  t.equal(one.checks(), 10 + 10)
})

t.test('a store that fails and is then silent delays only the first logins', async t => {
  const { clock, one, breaks } = await servers(t)
  breaks(down)
  await attempt(one.app)
  breaks(never)
  await clock.during(attempt(one.app))
  t.match(await attempt(one.app, RIGHT), { success: true })
})

for (const fault of [full, down])
  t.test(`a success ${fault === down ? 'counts while it is down' : 'frees its place in a full store'}`, async t => {
    const { store, breaks, comeBack } = await servers(t)
    const checkCredentials = async () => {
      breaks(fault)
      await app.screenAuth.unlock({ username: 'eve' }).catch(() => {})
      return ADA
    }
    const app = await host(t, { throttle: { store, address: { failures: 1, seconds: 60 } }, checkCredentials })
    t.equal((await attempt(app)).success, true)
    await comeBack()
    t.equal((await attempt(app)).success, fault === full)
  })

for (const fault of [readOnly, down])
  t.test(`networks are known ${fault === down ? 'in the process of a login' : 'to a read-only store'}`, async t => {
    const { one, two, breaks } = await servers(t)
    const logIn = ({ app }: typeof one) => attempt(app, { ...RIGHT, address: '198.51.100.1' })
    if (fault === readOnly) await logIn(one)
    breaks(fault)
    if (fault === down) await logIn(one)
    for (const { app } of [one, two]) await repeat(60, i => attempt(app, { address: `10.0.${i % 6}.1` }))
    t.strictSame([(await logIn(one)).success, (await logIn(two)).success], [true, fault === readOnly])
  })

// A login makes three calls at once; a client of Redis sends the commands in the next turn.
for (const stalled of ['call 3', 'command 1', 'command 2'])
  t.test(`an event loop that stands still at ${stalled} is no outage`, async t => {
    const clock = stopClock(t)
    const outcomes = listen(t, 'throttle', ({ outcome }) => outcome)
    let [calls, commands] = [0, 0]
    const stall = (at: string) => at === stalled && clock.tick(2.2)
    const store = storeWith(async call => {
      stall(`call ${++calls}`)
      await setImmediate()
      stall(`command ${++commands}`)
      // The next turn reads the reply of a port for certain; that of a file or a socket may come later.
      const { port1, port2 } = new MessageChannel()
      port1.postMessage('reply')
      await once(port2, 'message')
      port2.close()
      return call()
    })
    const { app } = await countingHost(t, { throttle: { store } })
    t.equal((await attempt(app, RIGHT)).success, true)
    t.strictSame(outcomes, [])
  })

t.test('the events of an outage are published outside the async context of a login', async t => {
  const storage = new AsyncLocalStorage<string>()
  const seen = listen(t, 'throttle', ({ cause }) => [storage.getStore(), (cause as Error | undefined)?.message])
  const { one, breaks, comeBack } = await servers(t)
  await one.app.ready()
  breaks(down)
  await storage.run('north', () => attempt(one.app))
  await comeBack()
  t.strictSame(seen.flat(), [undefined, 'down', undefined, undefined])
})

t.test('a closed server stops asking the store', async t => {
  const { wait, one, breaks, calls } = await servers(t)
  breaks(down)
  await attempt(one.app)
  await one.app.close()
  await wait(1.1)
  const before = calls()
  await wait(10)
  t.equal(calls(), before)
})
