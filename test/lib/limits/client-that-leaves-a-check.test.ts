import { RateLimiterMemory } from 'rate-limiter-flexible'
import t from 'tap'
import type { FailureStoreOptions } from '../../../lib/index.ts'
import { ADA, collectLog, host, MENU, until } from '../../helpers.ts'
import { attempt, heldChecks, never, RIGHT } from './attempts.ts'
import { clientsOf, loginOf } from './clients.ts'
import { turns } from './clock.ts'

const isAbandoned = ({ msg, username }: Record<string, unknown>) =>
  msg === 'screen-auth: login abandoned' && username === 'gone'

t.test('a client that hangs up in the middle of its check leaves no token behind', async t => {
  let issued = 0
  const log = collectLog()
  const checks = heldChecks()
  const tokens = { issue: () => `token-${++issued}`, verify: () => null }
  const app = await host(t, { checkCredentials: checks.checkCredentials, tokens, mainMenu: () => MENU }, log)
  const { sendLogin, hangUp } = await clientsOf(app)
  const socket = await sendLogin('gone')
  await until(() => checks.open.length === 1)
  await hangUp(socket)
  await until(() => log.lines.some(isAbandoned))
  checks.letGo()
  await turns()
  t.equal(issued, 0)
  t.notOk(log.lines.some(({ level }) => Number(level) >= 40))
})

t.test('a client that hangs up in the middle of its check does not let another check begin', async t => {
  const checks = heldChecks()
  const app = await host(t, {
    checkCredentials: checks.checkCredentials,
    checks: { concurrency: 1, timeout: 300 }
  })
  const { sendLogin, hangUp } = await clientsOf(app)
  const socket = await sendLogin('gone')
  await until(() => checks.open.length === 1)
  await hangUp(socket)
  const next = attempt(app, { ...RIGHT, username: 'next' })
  await turns()
  t.equal(checks.open.length, 1)
  checks.letGo()
  t.equal((await next).success, true)
})

t.test('a wrong password counts, even when the client has hung up before the response', async t => {
  let reject: (_: null) => void = () => {}
  let isChecked = false
  const checkCredentials = () =>
    new Promise<null>(resolve => {
      isChecked = true
      reject = resolve
    })
  const app = await host(t, { checkCredentials, throttle: { address: { failures: 1, seconds: 60 } } })
  const { sendLogin, hangUp } = await clientsOf(app)
  const socket = await sendLogin('eve')
  await until(() => isChecked)
  await hangUp(socket)
  reject(null)
  await turns()
  t.equal((await attempt(app, { ...RIGHT, address: '127.0.0.1' })).isBlocked, true)
})

t.test(
  'of logins in the pipeline of a client that has gone none is checked later, and none gets a token',
  async t => {
    let [checked, issued] = [0, 0]
    const signals: AbortSignal[] = []
    const checks = heldChecks()
    const checkCredentials = async (fields: Record<string, string>, _: object, signal: AbortSignal) => {
      checked++
      signals.push(signal)
      await checks.checkCredentials(fields)
      return ADA
    }
    const tokens = { issue: () => `token-${++issued}`, verify: () => null }
    const warnings: Error[] = []
    const note = (warning: Error) => warnings.push(warning)
    process.on('warning', note)
    t.teardown(() => process.off('warning', note))
    const app = await host(t, { checkCredentials, tokens })
    const { send, hangUp } = await clientsOf(app)
    const socket = await send(loginOf('ada').repeat(20), 20)
    await until(() => checked === 3)
    await hangUp(socket)
    t.ok(
      signals.every(({ aborted }) => aborted),
      'the host is told'
    )
    checks.letGo()
    await turns()
    t.equal(checked, 3)
    t.equal(issued, 0)
    t.strictSame(warnings, [])
  }
)

t.test('a client that hangs up while the store of the throttle never responds is not waited for', async t => {
  const log = collectLog()
  const store = () => ({ get: never, penalty: never, reward: never, block: never, delete: never })
  const app = await host(t, { throttle: { store }, checks: { timeout: 300 } }, log)
  const { sendLogin, hangUp } = await clientsOf(app)
  await hangUp(await sendLogin('gone'))
  await until(() => log.lines.some(isAbandoned))
})

t.test(
  'a client that goes while its attempt is counted is not checked, and the attempt is given back',
  async t => {
    const given: string[] = []
    let [checked, asked] = [0, 0]
    let letGo = () => {}
    const held = new Promise<void>(resolve => {
      letGo = resolve
    })
    const store = (options: FailureStoreOptions) => {
      const limiter = new RateLimiterMemory(options)
      const { penalty, reward } = limiter
      return Object.assign(limiter, {
        penalty: async (key: string) => {
          asked++
          await held
          return penalty.call(limiter, key)
        },
        reward: (key: string) => {
          given.push(key)
          return reward.call(limiter, key)
        }
      })
    }
    const app = await host(t, { throttle: { store }, checkCredentials: () => ++checked && null })
    const { sendLogin, hangUp } = await clientsOf(app)
    const socket = await sendLogin('gone')
    await until(() => asked > 0)
    await hangUp(socket)
    letGo()
    await until(() => given.length === 3)
    await turns()
    t.equal(checked, 0)
    t.equal(given.length, 3)
  }
)
