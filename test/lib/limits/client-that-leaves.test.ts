import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import t, { type Test } from 'tap'
import screenAuth, { type CheckLimits, type FailureStoreOptions } from '../../../lib/index.ts'
import { ADA, collectLog, host, MENU, options, until } from '../../helpers.ts'
import { attempt, heldChecks, never, RIGHT, together } from './attempts.ts'
import { clientsOf, hostWithSlowHook, http2Client, loginOf, menuRequestOf } from './clients.ts'
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

t.test('a client that hangs up during a slow hook of the host is not checked', async t => {
  let checked = 0
  const checkCredentials = () => ++checked && null
  const host = await hostWithSlowHook(t, 'preHandler', { checkCredentials })
  const socket = connect(host.port, '127.0.0.1', () => socket.write(loginOf('gone')))
  await until(host.hasBegun)
  socket.destroy()
  await until(() => host.hasFailed() || checked > 0)
  t.equal(checked, 0)
})

t.test('a client that hangs up during a slow hook over HTTP/2 is not checked', async t => {
  let checked = 0
  const checkCredentials = () => ++checked && null
  const host = await hostWithSlowHook(t, 'preHandler', { checkCredentials }, { http2: true })
  const session = http2Client(t, host.port)
  const head = { ':method': 'POST', ':path': '/auth/login', 'content-type': 'application/json' }
  const stream = session.request(head)
  stream.on('error', () => {})
  stream.end('{"fields":{"username":"gone","password":"x"}}')
  await until(host.hasBegun)
  session.destroy()
  await until(() => host.hasFailed() || checked > 0)
  t.equal(checked, 0)
})

t.test('a client that has hung up before the store is asked is not waited for', async t => {
  const { logger, lines } = collectLog()
  const store = () => ({ get: never, penalty: never, reward: never, block: never, delete: never })
  const host = await hostWithSlowHook(t, 'preHandler', { throttle: { store } }, { logger })
  const socket = connect(host.port, '127.0.0.1', () => socket.write(loginOf('gone')))
  await until(host.hasBegun)
  socket.destroy()
  const isEnd = ({ msg }: Record<string, unknown>) => /login (abandoned|failed)/.test(String(msg))
  await until(() => lines.some(isEnd))
  t.match(lines.find(isEnd), { msg: 'screen-auth: login abandoned', username: 'gone' })
})

t.test('no menu is made for a client that hangs up during a slow hook', async t => {
  let made = 0
  const mainMenu = (_: unknown, __: unknown, _signal: AbortSignal) => {
    made++
    return MENU
  }
  const host = await hostWithSlowHook(t, 'onRequest', { mainMenu })
  const token = await host.app.screenAuth.issueToken(ADA)
  const socket = connect(host.port, '127.0.0.1', () => socket.write(menuRequestOf(token)))
  await until(host.hasBegun)
  socket.destroy()
  await until(() => host.hasFailed() || made > 0)
  t.equal(made, 0)
})

/** A host where one login is being checked and another, over a socket, waits for its turn. */
async function oneWaits(t: Test, limits: CheckLimits) {
  let addresses = 1
  const checks = heldChecks()
  const app = await host(t, {
    checkCredentials: checks.checkCredentials,
    checks: { timeout: 300, ...limits }
  })
  const clients = await clientsOf(app)
  // No network may have more than half of the places.
  const logInAs = (username: string) =>
    attempt(app, { ...RIGHT, username, address: `192.0.2.${addresses++}` })
  const first = logInAs('first')
  await until(() => checks.open.length === 1)
  const socket = await clients.sendLogin('gone')
  return { logInAs, checks, first, hangUp: () => clients.hangUp(socket) }
}

t.test('a client that hangs up while it waits is not checked', async t => {
  const { checks, first, hangUp } = await oneWaits(t, { concurrency: 1 })
  await hangUp()
  checks.open.shift()?.()
  t.equal((await first).success, true)
  await turns()
  t.equal(checks.open.length, 0)
})

t.test('clients that hang up while they wait give their places back', async t => {
  const { logInAs, checks, first, hangUp } = await oneWaits(t, { concurrency: 1, waiting: 1 })
  t.equal((await logInAs('one-too-many')).statusCode, 503)
  await hangUp()
  checks.letGo()
  await first
  const next = await together(2, i => logInAs(`user-${i}`))
  for (const { statusCode } of next) t.equal(statusCode, 200)
})

t.test('a client that hangs up while it waits gives its place back at once', async t => {
  const { logInAs, checks, first, hangUp } = await oneWaits(t, { concurrency: 1, waiting: 1 })
  await hangUp()
  const second = logInAs('second')
  await turns()
  checks.letGo()
  for (const { success } of await Promise.all([first, second])) t.equal(success, true)
})

type Note = (_: object, __: object, signal: AbortSignal) => Promise<unknown>

const cases: [string, (note: Note) => object, (token: string) => string][] = [
  ['the checker', note => ({ checkCredentials: note }), () => loginOf('ada')],
  [
    'the menu factory, at the login,',
    note => ({
      checkCredentials: () => ADA,
      mainMenu: note
    }),
    () => loginOf('ada')
  ],
  ['the menu factory, later,', note => ({ mainMenu: note }), menuRequestOf]
]
for (const [name, overridesOf, requestOf] of cases)
  t.test(`${name} is told by its signal when the client has gone`, async t => {
    let given: AbortSignal | undefined
    const note: Note = async (_, __, signal) => {
      given = signal
      return once(signal, 'abort')
    }
    const app = await host(t, overridesOf(note))
    const { send, hangUp } = await clientsOf(app)
    const socket = await send(requestOf(await app.screenAuth.issueToken(ADA)))
    await until(() => given !== undefined)
    await hangUp(socket)
    t.equal(given?.aborted, true)
    t.equal(given?.reason.code, 'FST_SCREEN_AUTH_CLIENT_GONE')
  })

t.test('the signal of a menu over HTTP/2 is that of its own stream', async t => {
  const signals = new Map<string, AbortSignal>()
  const app = Fastify({ http2: true } as object) as unknown as FastifyInstance
  t.teardown(() => app.close())
  const mainMenu = (_: unknown, request: { headers: Record<string, string> }, signal: AbortSignal) => {
    signals.set(request.headers['x-name'] as string, signal)
    return never()
  }
  await app.register(screenAuth, options({ mainMenu }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const session = http2Client(t, (app.server.address() as AddressInfo).port)
  const authorization = `Bearer ${await app.screenAuth.issueToken(ADA)}`
  const [gone, stays] = ['gone', 'stays'].map(name =>
    session.request({ ':path': '/menu/main', authorization, 'x-name': name }).on('error', () => {})
  )
  await until(() => signals.size === 2)
  gone?.close(8)
  await until(() => signals.get('gone')?.aborted === true)
  await turns()
  t.equal(signals.get('stays')?.aborted, false)
  stays?.destroy()
})

t.test('every request of a connection has a signal of its own, which is not aborted afterwards', async t => {
  const signals = new Set<AbortSignal>()
  const mainMenu = (_: unknown, __: unknown, signal: AbortSignal) => {
    signals.add(signal)
    return MENU
  }
  const app = await host(t, { mainMenu })
  const { send, hangUp } = await clientsOf(app)
  const request = menuRequestOf(await app.screenAuth.issueToken(ADA))
  const socket = await send(request)
  // What has come already is kept until somebody listens.
  await once(socket, 'data')
  socket.write(request)
  await once(socket, 'data')
  await hangUp(socket)
  t.strictSame(
    [...signals].map(({ aborted }) => aborted),
    [false, false]
  )
})
