import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import t from 'tap'
import screenAuth from '../../../lib/index.ts'
import { ADA, collectLog, host, MENU, options, until } from '../../helpers.ts'
import { attempt, emitted, heldChecks, never, RIGHT, storeWith } from './attempts.ts'
import { clientsOf, hostWithSlowHook, http2Client, loginOf, menuRequestOf } from './clients.ts'
import { turns } from './clock.ts'

const silentStore = () => ({ get: never, penalty: never, reward: never, block: never, delete: never })

t.test('a check whose client disconnects keeps its place until it ends', async t => {
  const { checkCredentials, open, release } = heldChecks()
  const app = await host(t, { checkCredentials, checks: { concurrency: 1, timeout: 300 } })
  const { sendLogin, hangUp } = await clientsOf(app)
  const socket = await sendLogin('gone')
  await until(() => open.length === 1)
  await hangUp(socket)
  const next = attempt(app, { ...RIGHT, username: 'next' })
  await turns()
  t.equal(open.length, 1)
  release()
  t.equal((await next).success, true)
})

t.test('a wrong password counts even if the client disconnects before the response', async t => {
  const { checkCredentials, open, release } = heldChecks(({ password }) => password === 'wrong')
  const app = await host(t, { checkCredentials, throttle: { address: { failures: 1, seconds: 60 } } })
  const { send, hangUp } = await clientsOf(app)
  const socket = await send(loginOf('eve', 'wrong'))
  await until(() => open.length === 1)
  await hangUp(socket)
  release()
  await turns()
  t.equal((await attempt(app, { ...RIGHT, address: '127.0.0.1' })).isBlocked, true)
})

t.test('pipelined logins of a client that has disconnected are not checked and get no token', async t => {
  let [checked, issued] = [0, 0]
  const signals: AbortSignal[] = []
  const checks = heldChecks()
  const checkCredentials = (fields: Record<string, string>, _: object, signal: AbortSignal) => {
    checked++
    signals.push(signal)
    return checks.checkCredentials(fields)
  }
  const tokens = { issue: () => `token-${++issued}`, verify: () => null }
  const warnings = emitted(t, 'warning')
  const log = collectLog()
  const app = await host(t, { checkCredentials, tokens }, log)
  const { send, hangUp } = await clientsOf(app)
  const socket = await send(loginOf('ada').repeat(20), 20)
  await until(() => checked === 3)
  await hangUp(socket)
  const aborted = signals.filter(({ aborted }) => aborted)
  t.equal(aborted.length, 3, 'the host is told')
  checks.release()
  await turns()
  t.equal(checked, 3)
  t.equal(issued, 0)
  t.strictSame(warnings, [])
  t.notOk(log.lines.some(({ level }) => Number(level) >= 40))
})

t.test('an attempt whose client disconnects during counting is not checked, and is given back', async t => {
  let [checked, asked, given] = [0, 0, 0]
  let release = () => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  const store = storeWith(memory => ({
    penalty: async (key: string, points: number) => {
      asked++
      await held
      return memory.penalty(key, points)
    },
    reward: (key: string, points: number) => {
      given++
      return memory.reward(key, points)
    }
  }))
  const app = await host(t, { throttle: { store }, checkCredentials: () => ++checked && null })
  const { sendLogin, hangUp } = await clientsOf(app)
  const socket = await sendLogin('gone')
  await until(() => asked > 0)
  await hangUp(socket)
  release()
  await until(() => given === 3)
  await turns()
  t.equal(checked, 0)
  t.equal(given, 3)
})

for (const when of ['while the store of the throttle never responds', 'before the first call to that store'])
  t.test(`a login ends at once if its client disconnects ${when}`, async t => {
    const { logger, lines } = collectLog()
    const overrides = { throttle: { store: silentStore }, checks: { timeout: 300 } }
    if (when.startsWith('before')) {
      const { sendAndLeave } = await hostWithSlowHook(t, 'preHandler', overrides, { logger })
      await sendAndLeave(loginOf('gone'))
    } else {
      const { sendLogin, hangUp } = await clientsOf(await host(t, overrides, { logger }))
      await hangUp(await sendLogin('gone'))
    }
    const end = () => lines.find(({ msg }) => /login (abandoned|failed)/.test(String(msg)))
    await until(() => end() !== undefined)
    t.match(end(), { msg: 'screen-auth: login abandoned', username: 'gone' })
  })

t.test('a login whose client disconnects during a slow hook of the host is not checked', async t => {
  let checked = 0
  const checkCredentials = () => ++checked && null
  const { sendAndLeave, hasFailed } = await hostWithSlowHook(t, 'preHandler', { checkCredentials })
  await sendAndLeave(loginOf('gone'))
  await until(() => hasFailed() || checked > 0)
  t.equal(checked, 0)
})

t.test('a login over HTTP/2 whose client disconnects during a slow hook is not checked', async t => {
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

t.test('the menu factory is not called for a client that disconnects during a slow hook', async t => {
  let made = 0
  // The third parameter matters: only a factory that names it gets a signal that can abort.
  const mainMenu = (_: unknown, __: unknown, _signal: AbortSignal) => ++made && MENU
  const { app, sendAndLeave, hasFailed } = await hostWithSlowHook(t, 'onRequest', { mainMenu })
  await sendAndLeave(menuRequestOf(await app.screenAuth.issueToken(ADA)))
  await until(() => hasFailed() || made > 0)
  t.equal(made, 0)
})

t.test('a waiting login whose client disconnects is not checked, and frees its place at once', async t => {
  const checked: unknown[] = []
  const { checkCredentials, open, release } = heldChecks(({ username }) => checked.push(username) > 0)
  const checks = { concurrency: 1, waiting: 1, timeout: 300 }
  const app = await host(t, { checkCredentials, checks })
  const { sendLogin, hangUp } = await clientsOf(app)
  // Different addresses, because one network gets at most half of the places.
  const logInFrom = (address: string) => attempt(app, { ...RIGHT, username: address, address })
  const first = logInFrom('192.0.2.1')
  await until(() => open.length === 1)
  const socket = await sendLogin('gone')
  t.equal((await logInFrom('192.0.2.2')).statusCode, 503, 'it has the last place')

  await hangUp(socket)
  const second = logInFrom('192.0.2.3')
  await turns()
  open.shift()?.()
  t.equal((await first).success, true)
  await until(() => open.length === 1)
  release()
  t.equal((await second).success, true)
  t.strictSame(checked, ['192.0.2.1', '192.0.2.3'])
})

type Note = (_: object, __: object, signal: AbortSignal) => Promise<unknown>

const cases: [string, (note: Note) => object, (token: string) => string][] = [
  ['the checker', note => ({ checkCredentials: note }), () => loginOf('ada')],
  ['the menu factory at the login', note => ({ checkCredentials: () => ADA, mainMenu: note }), () => loginOf('ada')],
  ['the menu factory after the login', note => ({ mainMenu: note }), menuRequestOf]
]
for (const [name, overridesOf, requestOf] of cases)
  t.test(`the signal of ${name} aborts when the client disconnects`, async t => {
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

t.test('each HTTP/2 stream has its own signal for the menu factory', async t => {
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

t.test('each request of a connection has its own signal, which does not abort after the response', async t => {
  const signals = new Set<AbortSignal>()
  const mainMenu = (_: unknown, __: unknown, signal: AbortSignal) => {
    signals.add(signal)
    return MENU
  }
  const app = await host(t, { mainMenu })
  const { send, hangUp } = await clientsOf(app)
  const request = menuRequestOf(await app.screenAuth.issueToken(ADA))
  const socket = await send(request)
  // Data that has already arrived is buffered until a listener is added.
  await once(socket, 'data')
  socket.write(request)
  await once(socket, 'data')
  await hangUp(socket)
  const aborted = [...signals].map(({ aborted }) => aborted)
  t.strictSame(aborted, [false, false])
})
