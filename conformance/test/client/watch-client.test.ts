// watchClient: the order of the scenarios, their end, and the options.
import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { urlsOf, watchWithClock } from '../../client/watch-client.ts'
import { type Report, type Scenario, type WatchClientOptions, watchClient } from '../../index.ts'
import { clientWith, faultsIn, MinimalClient, reportOn, SlowClock, withHeaders } from './minimal-client.ts'

/** Starts a watch, with the names of the scenarios so far, and a function that waits for them. */
async function watch(options: WatchClientOptions, clock = new SlowClock()) {
  const begun: string[] = []
  const onScenario = (scenario: string) => begun.push(scenario)
  /** Resolves when `count` scenarios have begun. */
  const begin = async (count: number) => {
    while (begun.length < count) await sleep(5)
  }
  return { ...(await watchWithClock({ ...options, onScenario }, clock)), begun, begin }
}

const failed = (report: Report) => faultsIn(report).filter(fault => fault.startsWith('failed'))

t.test('the scenarios follow one another at one address', async t => {
  const told: string[] = []
  const { url, report, next, begun, begin } = await watch({
    onResult: ({ id }, total) => told.push(`${id} of ${total}`)
  })
  for (const count of [1, 2, 3, 4]) {
    await begin(count)
    await new MinimalClient(url).use()
    t.equal(begun.length, count)
    next()
  }
  const { conforms, target, side, results, hints } = await report
  t.strictSame(begun, ['reject-then-login', 'login-then-expire', 'start-again', 'no-auth'])
  t.match({ conforms, target, side }, { conforms: true, target: url, side: 'client' })
  t.match(hints, [/^start-again: the client started without a stored token/])
  t.strictSame(
    told,
    results.map(({ id }) => `${id} of ${results.length}`)
  )
})

t.test('a complete scenario ends when it settles, and an incomplete one at the timeout', async t => {
  const clock = new SlowClock()
  const { url, report, begin } = await watch({ expect: ['login', 'no-auth'], settle: 2, timeout: 15 }, clock)
  await begin(1)
  await new MinimalClient(url).use()
  clock.advance(2001)
  await begin(2)
  clock.advance(15_001)
  const { results, conforms } = await report
  t.equal(conforms, false)
  const wrong = results.filter(({ status }) => status === 'failed')
  t.match(wrong, [{ id: 'asks-for-menu-first', failures: [{ sent: 'nothing', came: 'sent no request' }] }])
})

const SCENARIOS = ['reject-then-login', 'login-then-expire', 'start-again', 'no-auth'] as const

t.test('a client that takes five seconds for each request conforms', async t => {
  const clock = new SlowClock()
  const slow = clientWith({
    async send(...args) {
      clock.advance(5000)
      // The watch reads the time in between.
      await sleep(50)
      return super.send(...args)
    }
  })
  const { url, report, begin } = await watch({ settle: 2, timeout: 15 }, clock)
  for (const count of SCENARIOS.keys()) {
    await begin(count + 1)
    const client = new slow(url)
    await client.use()
    clock.advance(2001)
    if (count + 1 === SCENARIOS.length) break
    await begin(count + 2)
    await client.send('GET', '/screen/second')
  }
  t.equal((await report).conforms, true)
  t.strictSame(faultsIn(await report), [])
})

/** Plays scenarios with a client that starts each of them with a token chosen from its earlier logins. */
async function playWithStored(
  stored: (tokens: string[]) => string | undefined,
  expect: readonly Scenario[] = SCENARIOS
) {
  const clock = new SlowClock()
  const tokens: string[] = []
  const storing = clientWith({
    start() {
      this.token = stored(tokens)
      return super.start()
    },
    logIn() {
      this.token = undefined
      return super.logIn()
    },
    async welcome(screen) {
      tokens.push(this.token as string)
      return screen
    }
  })
  const { url, report, begin } = await watch({ expect, settle: 2, timeout: 600 }, clock)
  for (const count of expect.keys()) {
    await begin(count + 1)
    await new storing(url).use()
    clock.advance(2001)
  }
  return report
}

t.test('a client may store its token, and start with it in every scenario', async t => {
  const report = await playWithStored(tokens => tokens.at(-1))
  t.equal(report.conforms, true)
  t.strictSame(report.hints, [])
  t.match(report.notJudged, [{ give: '--username and --password' }])
  t.strictSame(faultsIn(report), [])
})

t.test('a token that was refused in one scenario is not sent in another', async t => {
  const faults = async (stored: (tokens: string[]) => string | undefined) =>
    faultsIn(await playWithStored(stored, ['login', 'reject-then-login', 'start-again']))
  t.strictSame(await faults(tokens => tokens.at(-1)), [])
  t.strictSame(
    await faults(tokens => tokens[0]),
    ['failed drops-token-on-401 (start-again)'],
    'a client that clears its token in memory only'
  )
  t.strictSame(
    await faults(() => 'guest'),
    ['warning sends-no-made-up-token (reject-then-login)', 'warning sends-no-made-up-token (start-again)'],
    'a client with a token of its own'
  )
})

t.test('a late request belongs to the previous scenario and not to the next', async t => {
  const { url, report, next, begin } = await watch({ expect: ['no-auth', 'reject-then-login', 'login'] })
  await begin(1)
  const free = new MinimalClient(url)
  await free.use()
  next()
  await begin(2)
  t.equal((await free.send('GET', '/screen/first')).status, 200)
  const interrupted = clientWith({
    async rejected(form, attempts) {
      next()
      await begin(3)
      await this.send('GET', '/auth/login')
      return super.rejected(form, attempts)
    }
  })
  const client = new interrupted(url)
  await client.use()
  t.type(client.token, 'string')
  t.equal((await client.send('POST', '/screen/second')).status, 200)
  await new MinimalClient(url).use()
  t.equal((await client.send('GET', '/screen/first')).status, 200, 'also after the next scenario has begun')
  next()
  t.strictSame(failed(await report), ['failed keeps-form-on-rejection (reject-then-login)'])
})

t.test('a client that starts again when the scenario is complete begins the next', async t => {
  const { url, report, begun, stop } = await watch({
    expect: ['login', 'no-auth'],
    settle: 600,
    timeout: 600
  })
  // A client in its own process closes its connections when it ends.
  const process = withHeaders({ connection: 'close' })
  await new process(url).use()
  t.strictSame(begun, ['login'])
  await new process(url).start()
  t.strictSame(begun, ['login', 'no-auth'])
  stop()
  const { conforms, obstacle } = await report
  t.equal(conforms, true, String(obstacle))
})

t.test('a complete scenario ends even if the client never stops polling', async t => {
  const clock = new SlowClock()
  const { url, report, begin, begun, next } = await watch({ expect: ['login', 'no-auth'] }, clock)
  await begin(1)
  const client = new MinimalClient(url)
  await client.use()
  while (begun.length < 2) {
    clock.advance(1000)
    await client.send('GET', '/screen/first')
    await sleep(25)
  }
  await new MinimalClient(url).use()
  next()
  t.equal((await report).conforms, true)
})

t.test('a scenario ends even if the client never stops submitting the form', async t => {
  const clock = new SlowClock()
  const { url, report } = await watch({ expect: ['login'], timeout: 15 }, clock)
  const client = new MinimalClient(url)
  await client.send('GET', '/menu/main')
  let isEnded = false
  report.finally(() => {
    isEnded = true
  })
  while (!isEnded) {
    clock.advance(10_000)
    await client.send('POST', '/auth/login', { body: { username: 'ada' } }).catch(() => {})
    await sleep(25)
  }
  t.ok(failed(await report).includes('failed submits-to-auth-action (login)'))
  t.ok(clock.now() < 120_000)
})

t.test('a request that the client aborts before the response does not count', async t => {
  const clock = new SlowClock()
  const impatient = clientWith({
    async submit(form) {
      const { hostname, port } = new URL(this.base)
      const body = JSON.stringify({ fields: this.fields(form) })
      const socket = connect(Number(port), hostname)
      const arrival = new Promise<void>(resolve => {
        clock.sleep = () => {
          resolve()
          return once(socket, 'close').then(() => sleep(50))
        }
      })
      socket.write(`POST ${form.auth_action} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
      await arrival
      socket.destroy()
      clock.sleep = SlowClock.prototype.sleep
      return super.submit(form)
    }
  })
  t.strictSame(failed(await reportOn(impatient, 'login', {}, clock)), [])
})

t.test('the server listens on another address of the machine', async t => {
  const { url, urls, stop, report } = await watchClient({ expect: ['no-auth'], host: '127.0.0.2' })
  t.match(url, /^http:\/\/127\.0\.0\.2:\d+$/)
  t.strictSame(urls, [url])
  await new MinimalClient(url).use()
  stop()
  t.equal((await report).conforms, true)
})

t.test('addresses that other machines can reach come first', async t => {
  const info = (address: string, family: 'IPv4' | 'IPv6', internal: boolean) => ({ address, family, internal }) as never
  const interfaces = {
    lo: [info('127.0.0.1', 'IPv4', true), info('::1', 'IPv6', true)],
    eth0: [info('192.0.2.7', 'IPv4', false)]
  }
  const all = ['http://192.0.2.7:80', 'http://127.0.0.1:80']
  t.strictSame(urlsOf('0.0.0.0', 80, interfaces), all)
  t.strictSame(urlsOf('::', 80, interfaces), all)
  t.strictSame(urlsOf('::1', 80, interfaces), ['http://[::1]:80'])
})

t.test('a client that disconnects in the middle of a request does no harm', async t => {
  const { url, report, next } = await watch({ expect: ['login'] })
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  // The interim response shows that the server reads the request.
  socket.write('POST /auth/login HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n{')
  await once(socket, 'data')
  socket.destroy()
  await new MinimalClient(url).use()
  next()
  t.equal((await report).conforms, true)
})

t.test('a client that sends too much is judged by its first requests', async t => {
  const { url, report, next, begin } = await watch({ expect: ['login', 'no-auth'], timeout: 600 })
  const { hostname, port } = new URL(url)
  const chunks = function* () {
    yield 'POST /auth/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'
    for (let count = 0; count < 2000; count++) yield `10000\r\n${'x'.repeat(65_536)}\r\n`
  }
  await t.rejects(
    pipeline(Readable.from(chunks()), connect(Number(port), hostname)),
    'the server closes the connection'
  )
  const client = new MinimalClient(url)
  const large = { body: 'x'.repeat(100_000), headers: { 'content-type': 'text/plain' } }
  const { length } = await Promise.all(Array.from({ length: 70 }, () => client.send('POST', '/log', large)))
  t.equal(length, 70)
  await begin(2)
  await new MinimalClient(url).use()
  next()
  const { results, hints } = await report
  t.match(hints, [/^login: only the first \d+ requests were judged\.$/])
  t.match(results[0]?.failures?.[0]?.sent, / <65536 bytes that are not JSON>$/)
})

t.test('a client that does not use HTTP gets a message', async t => {
  const { url, report, stop } = await watch({ expect: ['login'], timeout: 600 })
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write('\u0016\u0003\u0001')
  await once(socket.resume(), 'close')
  stop()
  await t.rejects(report, {
    message: 'a client connected, but sent no complete request (its URL must begin with http:)'
  })
})

t.test('after a stop, a client does not conform if a scenario is missing', async t => {
  const { url, report, stop, next } = await watch({})
  // Has no effect before the first request.
  next()
  await new MinimalClient(url).use()
  stop()
  const { results, conforms, asExpected, obstacle, notJudged } = await report
  t.ok(results.every(({ status, title }) => status !== 'failed' && title.endsWith('(reject-then-login)')))
  t.match(
    { conforms, asExpected, obstacle },
    { conforms: false, asExpected: false, obstacle: 'it was stopped before login-then-expire' }
  )
  t.match(notJudged.at(-1), { give: 'a client that does every step of no-auth' })
})

t.test('wrong options are rejected', async t => {
  const { url, stop, report } = await watchClient({ expect: ['login'], timeout: 600 })
  const wrong: [object, RegExp][] = [
    [{ expect: [] }, /at least one scenario/],
    [{ timeout: Number.NaN }, /timeout/],
    [{ port: 70_000 }, /port must be/],
    [{ port: 1.5 }, /port must be/],
    [{ port: -1 }, /port must be/],
    [{ port: Number(new URL(url).port) }, /cannot start: .*EADDRINUSE/]
  ]
  for (const [options, message] of wrong) {
    await t.rejects(watchClient(options as WatchClientOptions), { name: 'CannotRunError', message })
  }
  stop()
  await t.rejects(report, { message: 'no client sent a request' })
})
