// watchClient: the order of the scenarios, their end, and the options.
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { type WatchClientOptions, watchClient } from '../../index.ts'
import { summary } from '../../report/text.ts'
import { urlsOf } from '../../watch/http.ts'
import { watchWithClock } from '../../watch/watch-client.ts'
import { clientWith, faultsIn, type Methods, MinimalClient, reportOn, SlowClock } from './minimal-client.ts'

async function watch(options: WatchClientOptions) {
  const clock = new SlowClock()
  const begun: string[] = []
  const onScenario = (scenario: string) => begun.push(scenario)
  const begin = async (count: number) => {
    while (begun.length < count) await sleep(5)
  }
  const watching = await watchWithClock({ ...options, onScenario }, clock)
  const playAll = async (client = MinimalClient) => {
    for (const count of [1, 2, 3, 4]) {
      await begin(count)
      await new client(watching.url).use().catch(() => {})
      t.equal(begun.length, count)
      watching.next()
    }
  }
  return { ...watching, clock, begun, begin, playAll }
}

const socketTo = (url: string) => connect(Number(new URL(url).port), new URL(url).hostname)

t.test('the scenarios follow one another at one address', async t => {
  const told: string[] = []
  const onResult: WatchClientOptions['onResult'] = ({ id }, total) => told.push(`${id} of ${total}`)
  const { url, report, begun, playAll } = await watch({ onResult })
  await playAll()
  const { conforms, target, side, results, hints } = await report
  t.strictSame(begun, ['reject-then-login', 'login-then-expire', 'start-again', 'no-auth'])
  t.match({ conforms, target, side }, { conforms: true, target: url, side: 'client' })
  t.match(hints, [/^start-again: the client started without a stored token/])
  const expected = results.map(({ id }) => `${id} of ${results.length}`)
  t.strictSame(told, expected)
})

t.test('one mistake of a client is one paragraph, whatever cases and scenarios it fails', async t => {
  const mistakes: [methods: Methods, paragraph: RegExp][] = [
    [
      {
        submit(form) {
          return super.submit({ ...form, auth_action: '/auth/login' })
        }
      },
      /6 failed cases have one cause: sent POST \/auth\/login instead of POST \/\w+\/Auth\/Step-1\.do\.\n {2}The client submits the form only with POST to its auth_action\.\n {2}cases: +submits-to-auth-action, sends-credentials-nowhere-else\n/
    ],
    [{ authorization: () => ({}) }, /7 failed cases have one cause: the token is missing\.\n/]
  ]
  for (const [methods, paragraph] of mistakes) {
    const { report, playAll } = await watch({})
    await playAll(clientWith(methods))
    const page = summary(await report)
    t.match(page, paragraph)
    t.notMatch(page, /FAILED|one cause.*one cause/s)
  }
})

t.test('a complete scenario ends when it settles, and an incomplete one at the timeout', async t => {
  const { url, report, begin, clock } = await watch({ expect: ['login', 'no-auth'], settle: 2, timeout: 15 })
  await begin(1)
  await new MinimalClient(url).use()
  clock.advance(2001)
  await begin(2)
  clock.advance(15_001)
  const { results, conforms, duration } = await report
  t.equal(conforms, false)
  const sum = results.reduce((total, { duration = 0 }) => total + duration, 0)
  t.ok(duration > 17_000 && Math.abs(sum - duration) < results.length, 'the cases share the duration')
  const wrong = results.filter(({ status }) => status === 'failed')
  t.match(wrong, [{ id: 'asks-for-menu-first', failures: [{ sent: 'nothing', came: 'sent no request' }] }])
})

t.test('a scenario ends even if the client never stops sending requests', async t => {
  const { url, report, begin, begun, clock } = await watch({ expect: ['login', 'login'], timeout: 15 })
  const client = new MinimalClient(url)
  await client.use()
  const poll = async (method: string, path: string, until: () => boolean) => {
    while (!until()) {
      clock.advance(1000)
      await client.send(method, path).catch(() => {})
      await sleep(25)
    }
  }
  await poll('GET', '/screen/first', () => begun.length > 1)
  await begin(2)
  await client.send('GET', '/menu/main')
  let isEnded = false
  report.finally(() => {
    isEnded = true
  })
  await poll('POST', '/auth/login', () => isEnded)
  t.ok(clock.now() < 120_000)
  t.ok(faultsIn(await report).includes('failed submits-to-auth-action (login)'))
})

t.test('a token that was refused in one scenario is not sent in another', async t => {
  const expect = ['login', 'reject-then-login', 'start-again'] as const
  const madeUp = ['reject-then-login', 'start-again'].map(scenario => `warning sends-no-made-up-token (${scenario})`)
  for (const [stored, faults] of [
    [(tokens: string[]) => tokens.at(-1), []],
    [(tokens: string[]) => tokens[0], ['failed drops-token-on-401 (start-again)']],
    [() => 'guest', madeUp]
  ] as const) {
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
    const { url, report, begin, next } = await watch({ expect })
    for (const count of [1, 2, 3]) {
      await begin(count)
      await new storing(url).use()
      next()
    }
    t.strictSame(faultsIn(await report), faults)
  }
})

t.test('a late request with a token belongs to the scenario of that token', async t => {
  const { url, report, next, begin } = await watch({ expect: ['login', 'login'] })
  const client = new MinimalClient(url)
  await client.use()
  next()
  await begin(2)
  t.equal((await client.send('POST', '/screen/second')).status, 200)
  await new MinimalClient(url).use()
  t.equal((await client.send('GET', '/screen/first')).status, 200, 'also after the next scenario has begun')
  next()
  t.strictSame(faultsIn(await report), [])
})

t.test('a request that the client aborts before the response does not count', async t => {
  const clock = new SlowClock()
  const impatient = clientWith({
    async submit(form) {
      const body = JSON.stringify({ fields: this.fields(form) })
      const socket = socketTo(this.base)
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
  t.strictSame(faultsIn(await reportOn(impatient, 'login', {}, clock)), [])
})

t.test('addresses that other machines can reach come first', async t => {
  const info = (address: string, family: 'IPv4' | 'IPv6', internal: boolean) => ({ address, family, internal }) as never
  const interfaces = {
    lo: [info('127.0.0.1', 'IPv4', true), info('::1', 'IPv6', true)],
    eth0: [info('192.0.2.7', 'IPv4', false)]
  }
  for (const host of ['0.0.0.0', '::'])
    t.strictSame(urlsOf(host, 80, interfaces), ['http://192.0.2.7:80', 'http://127.0.0.1:80'])
  t.strictSame(urlsOf('::1', 80, interfaces), ['http://[::1]:80'])
})

t.test('a client in an endless loop is judged by its first requests', async t => {
  const { url, report, stop, begin } = await watch({ expect: ['login', 'no-auth'], timeout: 600 })
  const client = new MinimalClient(url)
  await client.send('POST', '/log', { body: 'x'.repeat(100_000) })
  for (let count = 0; count < 51; count++)
    await Promise.all(Array.from({ length: 100 }, () => client.send('GET', '/screen/first')))
  await begin(2)
  stop()
  const { results, hints } = await report
  t.match(hints, ['login: only the first 5000 requests were judged.'])
  t.match(results[0]?.failures?.[0]?.sent, / <16384 bytes that are not JSON>$/)
})

t.test('a client that does not use HTTP gets a message', async t => {
  const { url, report, stop } = await watch({ expect: ['login'], timeout: 600 })
  const socket = socketTo(url)
  socket.write('\u0016\u0003\u0001')
  await once(socket.resume(), 'close')
  stop()
  await t.rejects(report, {
    message: 'a client connected, but sent no complete request (its URL must begin with http:)'
  })
})

t.test('after a stop, there is a verdict only if each scenario was complete', async t => {
  for (const [expect, step, verdict] of [
    [['login'], 'use', { conforms: true }],
    [['login'], 'start', { conforms: false, obstacle: 'it was stopped before login was complete' }],
    [['login', 'no-auth'], 'use', { conforms: false, obstacle: 'it was stopped before no-auth was complete' }]
  ] as const) {
    const { url, report, stop, next, begin } = await watch({ expect, settle: 600, timeout: 600 })
    // Has no effect before the first request.
    next()
    await new MinimalClient(url)[step]()
    if (expect.length > 1) next()
    await begin(expect.length)
    stop()
    const { results, notJudged, ...rest } = await report
    t.match(rest, { ...verdict, asExpected: verdict.conforms })
    t.ok(results.every(({ status, title }) => status !== 'failed' && title.endsWith('(login)')))
    const isNoAuthOpen = notJudged.some(({ why }) => why === 'no request in no-auth showed it')
    t.equal(isNoAuthOpen, expect.length > 1)
  }
})

t.test('a page of a public site may send requests to the private address of the kit', async t => {
  const { url, report, stop } = await watch({})
  const headers = { 'access-control-request-private-network': 'true' }
  const response = await fetch(url, { method: 'OPTIONS', headers })
  t.equal(response.headers.get('access-control-allow-private-network'), 'true')
  stop()
  await report.catch(() => {})
})

t.test('an excluded case is not judged, but a check without a scenario is an error', async t => {
  await t.rejects(watchClient({ expect: [] }), { name: 'CannotRunError', message: /at least one scenario/ })
  const { results, excluded } = await reportOn(MinimalClient, 'login', { exclude: ['sends-json-type'] })
  t.strictSame(excluded, ['sends-json-type'])
  t.notMatch(JSON.stringify(results), 'sends-json-type')
})
