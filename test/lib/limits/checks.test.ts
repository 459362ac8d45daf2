import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect as connectHttp2 } from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { hash, verify } from '@node-rs/argon2'
import Fastify, { type FastifyInstance } from 'fastify'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import t, { type Test } from 'tap'
import screenAuth, { type CheckLimits, type FailureStoreOptions } from '../../../lib/index.ts'
import { ADA, bearer, collectLog, host, logIn, MENU, options } from '../../helpers.ts'

const never = () => new Promise<never>(() => {})

/** A checker whose checks stay open until they are let go. */
function heldChecks() {
  const open: (() => void)[] = []
  let isHeld = true
  return {
    checkCredentials: async ({ username }: Record<string, string>) => {
      if (isHeld) await new Promise<void>(resolve => open.push(resolve))
      return { username, displayName: '' }
    },
    open,
    letGo() {
      isHeld = false
      for (const resolve of open.splice(0)) resolve()
    }
  }
}

const logInAs = (app: FastifyInstance, username: string) => logIn(app, { username, password: 'x' })
const logInAll = (app: FastifyInstance, count: number) =>
  Array.from({ length: count }, (_, i) => logInAs(app, `user-${i}`))

t.test('no more than three checks run at a time, and the others wait for their turn', async t => {
  let [running, most] = [0, 0]
  const checkCredentials = async () => {
    most = Math.max(most, ++running)
    await sleep(10)
    running--
    return ADA
  }
  const app = await host(t, { checkCredentials })
  for (const login of logInAll(app, 10)) t.equal((await login).json().success, true)
  t.equal(most, 3)
})

t.test('one login more than may wait is answered 503 with Retry-After, an AuthResponse', async t => {
  const checks = heldChecks()
  const log = collectLog()
  const app = await host(t, { ...checks, checks: { concurrency: 1, waiting: 2, timeout: 3 } }, log)
  const logins = logInAll(app, 3)
  await sleep(50)
  const answer = await logInAs(app, 'one-too-many')
  t.equal(answer.statusCode, 503)
  t.equal(answer.headers['retry-after'], '5')
  t.match(answer.json(), { success: false, token: null, error: /try again later/, screen: null })
  t.match(
    log.lines.find(({ level }) => level === 40),
    { msg: 'screen-auth: too many logins at a time' }
  )
  checks.letGo()
  for (const login of logins) t.equal((await login).json().success, true)
  t.equal((await logInAs(app, 'next')).json().success, true)
})

t.test(
  'while many passwords are hashed, a guarded route that reads a file does not wait for them',
  async t => {
    const passwordHash = await hash('right')
    const checkCredentials = async ({ username = '', password = '' }: Record<string, string>) =>
      (await verify(passwordHash, password)) ? { username, displayName: '' } : null
    const app = await host(t, { checkCredentials })
    app.get('/file', () => readFile(new URL(import.meta.url)))
    const token = await app.screenAuth.issueToken(ADA)

    let finished = 0
    const logins = Array.from({ length: 60 }, async (_, i) => {
      const answer = await logIn(app, { username: `user-${i}`, password: 'right' })
      finished++
      return answer
    })
    while (finished === 0) await sleep(1)
    t.equal((await app.inject({ url: '/file', headers: bearer(token) })).statusCode, 200)
    // With all of them in the row of Node's threads it would come last.
    t.ok(finished < 45, `${finished} of 60 logins were finished`)
    for (const login of logins) t.equal((await login).json().success, true)
  }
)

t.test('a checker, a menu factory or a token service that never answers is a 503 after the time', async t => {
  const tokens = { issue: never, verify: () => null }
  const checkFault = async (fault: object) => {
    const log = collectLog()
    const app = await host(t, { checkCredentials: () => ADA, ...fault, checks: { timeout: 1 } }, log)
    const answer = await logIn(app)
    t.equal(answer.statusCode, 503, Object.keys(fault).join())
    t.ok(answer.headers['retry-after'])
    t.match(answer.json(), { success: false, token: null, error: /try again later/, screen: null })
    t.match(
      log.lines.find(({ level }) => level === 50),
      {
        err: {
          message:
            /took too long; see what checkCredentials, mainMenu, tokens.issue or throttle.store waits for/
        }
      }
    )
  }
  await Promise.all([{ checkCredentials: never }, { mainMenu: never }, { tokens }].map(checkFault))
})

t.test('checks that never answer do not keep their places', async t => {
  let stuck = 3
  const app = await host(t, { checkCredentials: () => (stuck-- > 0 ? never() : ADA), checks: { timeout: 1 } })
  for (const { statusCode } of await Promise.all(logInAll(app, 3))) t.equal(statusCode, 503)
  t.equal((await logIn(app)).json().success, true)
})

t.test('the time counts from the arrival, the waiting included', async t => {
  let checked = 0
  const checkCredentials = async () => {
    checked++
    await sleep(700)
    return ADA
  }
  const app = await host(t, { checkCredentials, checks: { concurrency: 1, timeout: 1 } })
  const answers = await Promise.all(logInAll(app, 3))
  t.strictSame(
    answers.map(({ statusCode }) => statusCode),
    [200, 503, 503]
  )
  await sleep(500)
  t.equal(checked, 2)
})

t.test('a token that was issued too late is not in the log as a login', async t => {
  const log = collectLog()
  const tokens = { issue: () => sleep(1200, 'token'), verify: () => null }
  const app = await host(t, { checkCredentials: () => ADA, tokens, checks: { timeout: 1 } }, log)
  t.equal((await logIn(app)).statusCode, 503)
  await sleep(400)
  t.notOk(log.lines.some(({ msg }) => msg === 'screen-auth: login accepted'))
})

t.test('a login leaves no timer behind', async t => {
  const app = await host(t)
  const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
  await app.ready()
  const before = timers()
  await logIn(app)
  await sleep(10)
  t.equal(timers(), before)
})

t.test('a login that took too long leaves no token behind', async t => {
  let issued = 0
  const checkCredentials = () => sleep(1200, ADA)
  const tokens = { issue: () => `token-${++issued}`, verify: () => null }
  const app = await host(t, { checkCredentials, tokens, checks: { timeout: 1 } })
  t.equal((await logIn(app)).statusCode, 503)
  await sleep(400)
  t.equal(issued, 0)
})

t.test('a late failure of the checker is not an unhandled one', async t => {
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', note)
  t.teardown(() => process.off('unhandledRejection', note))
  const checkCredentials = async () => {
    await sleep(1200)
    throw new Error('late')
  }
  const app = await host(t, { checkCredentials, checks: { timeout: 1 } })
  t.equal((await logIn(app)).statusCode, 503)
  await sleep(400)
  t.strictSame(unhandled, [])
})

/** Sends a login over a socket of its own. */
function sendLogin(app: FastifyInstance, username: string) {
  const body = JSON.stringify({ fields: { username, password: 'x' } })
  const head = `Host: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  const { port } = app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1', () =>
    socket.write(`POST /auth/login HTTP/1.1\r\n${head}\r\n\r\n${body}`)
  )
  return socket
}

async function hangUp(socket: ReturnType<typeof connect>) {
  socket.destroy()
  await once(socket, 'close')
  await sleep(50)
}

/** A host where one login is being checked and another, over a socket, waits for its turn. */
async function oneWaits(t: Test, limits: CheckLimits) {
  const checks = heldChecks()
  const app = await host(t, { ...checks, checks: limits })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const first = logInAs(app, 'first')
  await sleep(50)
  const socket = sendLogin(app, 'gone')
  await sleep(50)
  return { app, checks, first, socket }
}

t.test('a client that hangs up while it waits is not checked', async t => {
  const { checks, first, socket } = await oneWaits(t, { concurrency: 1 })
  await hangUp(socket)
  checks.open.shift()?.()
  t.equal((await first).json().success, true)
  await sleep(50)
  t.equal(checks.open.length, 0)
})

t.test('clients that hang up while they wait give their places back', async t => {
  const { app, checks, first, socket } = await oneWaits(t, { concurrency: 1, waiting: 1 })
  t.equal((await logInAs(app, 'one-too-many')).statusCode, 503)
  await hangUp(socket)
  checks.letGo()
  await first
  for (const answer of await Promise.all(logInAll(app, 2))) t.equal(answer.statusCode, 200)
})

t.test('a client that hangs up during a slow hook over HTTP/2 is not checked', async t => {
  let checked = 0
  const app = Fastify({ http2: true } as object) as unknown as FastifyInstance
  t.teardown(() => app.close())
  app.addHook('preHandler', () => sleep(100))
  await app.register(screenAuth, options({ checkCredentials: () => ++checked && null }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const session = connectHttp2(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`)
  const head = { ':method': 'POST', ':path': '/auth/login', 'content-type': 'application/json' }
  const stream = session.request(head)
  stream.on('error', () => {})
  stream.end('{"fields":{"username":"gone","password":"x"}}')
  await sleep(50)
  session.destroy()
  await sleep(150)
  t.equal(checked, 0)
})

t.test('a client that hangs up during a slow hook of the host is not checked', async t => {
  let checked = 0
  const app = Fastify()
  t.teardown(() => app.close())
  app.addHook('preHandler', () => sleep(100))
  await app.register(screenAuth, options({ checkCredentials: () => ++checked && null }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = sendLogin(app, 'gone')
  await sleep(50)
  await hangUp(socket)
  await sleep(100)
  t.equal(checked, 0)
})

t.test('a client that hangs up in the middle of its check leaves no token behind', async t => {
  let issued = 0
  const log = collectLog()
  const checks = heldChecks()
  const tokens = { issue: () => `token-${++issued}`, verify: () => null }
  const app = await host(t, { ...checks, tokens, mainMenu: () => MENU }, log)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = sendLogin(app, 'gone')
  await sleep(50)
  await hangUp(socket)
  checks.letGo()
  await sleep(50)
  t.equal(issued, 0)
  t.ok(log.lines.some(({ msg, username }) => msg === 'screen-auth: login abandoned' && username === 'gone'))
  t.notOk(log.lines.some(({ level }) => Number(level) >= 40))
})

t.test('a client that hangs up while the store of the throttle never answers is not waited for', async t => {
  const log = collectLog()
  const store = () => ({ get: never, penalty: never, reward: never, block: never, delete: never })
  const app = await host(t, { throttle: { store } }, log)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = sendLogin(app, 'gone')
  await sleep(50)
  await hangUp(socket)
  t.ok(log.lines.some(({ msg, username }) => msg === 'screen-auth: login abandoned' && username === 'gone'))
})

t.test('a client that has hung up before the store is asked is not waited for', async t => {
  const log = collectLog()
  const app = Fastify({ logger: log.logger })
  t.teardown(() => app.close())
  app.addHook('preHandler', () => sleep(100))
  const store = () => ({ get: never, penalty: never, reward: never, block: never, delete: never })
  await app.register(screenAuth, options({ throttle: { store } }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = sendLogin(app, 'gone')
  await sleep(50)
  await hangUp(socket)
  await sleep(100)
  t.ok(log.lines.some(({ msg, username }) => msg === 'screen-auth: login abandoned' && username === 'gone'))
})

t.test('a wrong password counts, even when the client has hung up before the answer', async t => {
  const checkCredentials = () => sleep(100, null)
  const app = await host(t, { checkCredentials, throttle: { address: { failures: 1, seconds: 60 } } })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = sendLogin(app, 'eve')
  await sleep(50)
  await hangUp(socket)
  await sleep(100)
  t.ok((await logIn(app)).headers['retry-after'])
})

t.test(
  'of logins in the pipeline of a client that has gone none is checked later, and none gets a token',
  async t => {
    let [checked, issued] = [0, 0]
    const signals: AbortSignal[] = []
    const checkCredentials = async (_: object, __: object, signal: AbortSignal) => {
      checked++
      signals.push(signal)
      await sleep(100)
      return ADA
    }
    const tokens = { issue: () => `token-${++issued}`, verify: () => null }
    const warnings: Error[] = []
    const note = (warning: Error) => warnings.push(warning)
    process.on('warning', note)
    t.teardown(() => process.off('warning', note))
    const app = await host(t, { checkCredentials, tokens })
    await app.listen({ host: '127.0.0.1', port: 0 })

    const body = '{"fields":{"username":"ada","password":"x"}}'
    const login = `POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1', () =>
      socket.write(login.repeat(20))
    )
    await sleep(60)
    await hangUp(socket)
    t.ok(
      signals.every(({ aborted }) => aborted),
      'the host is told'
    )
    await sleep(300)
    t.equal(checked, 3)
    t.equal(issued, 0)
    t.strictSame(warnings, [])
  }
)

t.test("the host's functions are told by their signal when the client has gone", async t => {
  const reasons: string[] = []
  const noteEnd = (signal: AbortSignal) =>
    new Promise<never>(() => {
      signal.addEventListener('abort', () => reasons.push(signal.reason.code))
    })
  const hosts: [object, string][] = [
    [{ checkCredentials: (_: object, __: object, signal: AbortSignal) => noteEnd(signal) }, 'POST'],
    [
      {
        checkCredentials: () => ADA,
        mainMenu: (_: object, __: object, signal: AbortSignal) => noteEnd(signal)
      },
      'POST'
    ],
    [{ mainMenu: (_: object, __: object, signal: AbortSignal) => noteEnd(signal) }, 'GET']
  ]
  for (const [overrides, method] of hosts) {
    const app = await host(t, overrides)
    await app.listen({ host: '127.0.0.1', port: 0 })
    const authorization = `Bearer ${await app.screenAuth.issueToken(ADA)}`
    const socket =
      method === 'POST'
        ? sendLogin(app, 'ada')
        : connect((app.server.address() as AddressInfo).port, '127.0.0.1', () =>
            socket.write(`GET /menu/main HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`)
          )
    await sleep(60)
    await hangUp(socket)
  }
  t.strictSame(reasons, Array(3).fill('FST_SCREEN_AUTH_CLIENT_GONE'))
})

t.test('and when the time is over, but not when all went well', async t => {
  const signals: AbortSignal[] = []
  const checkCredentials = ({ password }: { password: string }, _: object, signal: AbortSignal) => {
    signals.push(signal)
    return password === 'slow' ? never() : ADA
  }
  const app = await host(t, { checkCredentials, checks: { timeout: 1 } })
  await logIn(app)
  await logIn(app, { username: 'ada', password: 'slow' })
  t.strictSame(
    signals.map(({ aborted }) => aborted),
    [false, true]
  )
  t.equal(signals[1]?.reason.code, 'FST_SCREEN_AUTH_LOGIN_TIMED_OUT')
})

t.test('the signal of a menu over HTTP/2 is that of its own stream', async t => {
  const signals = new Map<string, AbortSignal>()
  const app = Fastify({ http2: true } as object) as unknown as FastifyInstance
  t.teardown(() => app.close())
  const mainMenu = async (_: unknown, request: { headers: Record<string, string> }, signal: AbortSignal) => {
    signals.set(request.headers['x-name'] as string, signal)
    return sleep(100, MENU)
  }
  await app.register(screenAuth, options({ mainMenu }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const session = connectHttp2(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`)
  t.teardown(() => session.destroy())
  const authorization = `Bearer ${await app.screenAuth.issueToken(ADA)}`
  const [gone, stays] = ['gone', 'stays'].map(name =>
    session.request({ ':path': '/menu/main', authorization, 'x-name': name }).on('error', () => {})
  )
  await sleep(50)
  gone?.close(8)
  await sleep(20)
  t.equal(signals.get('gone')?.aborted, true)
  t.equal(signals.get('stays')?.aborted, false)
  stays?.destroy()
})

t.test('a client that hangs up while it waits gives its place back at once', async t => {
  const { app, checks, first, socket } = await oneWaits(t, { concurrency: 1, waiting: 1 })
  await hangUp(socket)
  const second = logInAs(app, 'second')
  await sleep(50)
  checks.letGo()
  for (const login of [first, second]) t.equal((await login).json().success, true)
})

t.test('a client that hangs up in the middle of its check does not let another check begin', async t => {
  const checks = heldChecks()
  const app = await host(t, { ...checks, checks: { concurrency: 1 } })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = sendLogin(app, 'gone')
  await sleep(50)
  await hangUp(socket)
  const next = logInAs(app, 'next')
  await sleep(50)
  t.equal(checks.open.length, 1)
  checks.letGo()
  t.equal((await next).json().success, true)
})

t.test('no menu is made for a client that a slow hook has let go before', async t => {
  let made = 0
  const app = Fastify()
  t.teardown(() => app.close())
  app.addHook('onRequest', () => sleep(100))
  const mainMenu = (_: unknown, __: unknown, _signal: AbortSignal) => {
    made++
    return MENU
  }
  await app.register(screenAuth, options({ mainMenu }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const authorization = `Bearer ${await app.screenAuth.issueToken(ADA)}`
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1', () =>
    socket.write(`GET /menu/main HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`)
  )
  await sleep(50)
  await hangUp(socket)
  await sleep(100)
  t.equal(made, 0)
})

t.test('every request of a connection has a signal of its own, which is not aborted afterwards', async t => {
  const signals = new Set<AbortSignal>()
  const mainMenu = (_: unknown, __: unknown, signal: AbortSignal) => {
    signals.add(signal)
    return MENU
  }
  const app = await host(t, { mainMenu })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const authorization = `Bearer ${await app.screenAuth.issueToken(ADA)}`
  const ask = `GET /menu/main HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1', () => socket.write(ask))
  await once(socket, 'data')
  socket.write(ask)
  await once(socket, 'data')
  await hangUp(socket)
  t.strictSame(
    [...signals].map(({ aborted }) => aborted),
    [false, false]
  )
})

t.test(
  'a client that goes while its attempt is counted is not checked, and the attempt is given back',
  async t => {
    const given: string[] = []
    let checked = 0
    const store = (options: FailureStoreOptions) => {
      const limiter = new RateLimiterMemory(options)
      const { penalty, reward } = limiter
      return Object.assign(limiter, {
        penalty: async (key: string) => penalty.call(limiter, await sleep(50, key)),
        reward: (key: string) => {
          given.push(key)
          return reward.call(limiter, key)
        }
      })
    }
    const app = await host(t, { throttle: { store }, checkCredentials: () => ++checked && null })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const socket = sendLogin(app, 'gone')
    await sleep(70)
    await hangUp(socket)
    await sleep(200)
    t.equal(checked, 0)
    t.equal(given.length, 3)
  }
)
