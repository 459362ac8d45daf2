// The scripted server: its scenarios, its end and its options.
import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { watchWithClock } from '../../../conformance/client/watch-client.ts'
import { type WatchClientOptions, watchClient } from '../../../conformance/index.ts'
import { MinimalClient } from './minimal-client.ts'
import { SlowClock } from './report-on.ts'

/** Starts a watch, and calls `begin` when a scenario begins. */
async function watch(options: WatchClientOptions, clock = new SlowClock()) {
  const begun: string[] = []
  let wake = () => {}
  const onScenario = (scenario: string) => {
    begun.push(scenario)
    wake()
  }
  /** Resolves when so many scenarios have begun. */
  const begin = async (count: number) => {
    while (begun.length < count) {
      await new Promise<void>(resolve => {
        wake = resolve
      })
    }
  }
  return { ...(await watchWithClock({ ...options, onScenario }, clock)), begun, begin }
}

t.test('the scenarios follow one another at one address', async t => {
  const told: string[] = []
  const { url, report, next, begun, begin } = await watch({
    onResult: ({ id }, total) => told.push(`${id} of ${total}`)
  })
  for (const count of [1, 2, 3]) {
    await begin(count)
    await new MinimalClient(url).use()
    t.equal(begun.length, count)
    next()
  }
  const { conforms, target, side, results } = await report
  t.strictSame(begun, ['reject-then-login', 'login-then-expire', 'no-auth'])
  t.match({ conforms, target, side }, { conforms: true, target: url, side: 'client' })
  t.strictSame(
    told,
    results.map(({ id }) => `${id} of ${results.length}`)
  )
})

t.test('a complete scenario ends when it settles, and another at the timeout', async t => {
  const clock = new SlowClock()
  const { url, report, begin } = await watch({ expect: ['login', 'no-auth'], settle: 2, timeout: 15 }, clock)
  await begin(1)
  await new MinimalClient(url).use()
  clock.advance(2001)
  await begin(2)
  clock.advance(15_001)
  const { results, conforms } = await report
  t.equal(conforms, false)
  const failed = results.filter(({ status }) => status === 'failed')
  t.match(failed, [{ id: 'asks-for-menu-first', failures: [{ sent: 'nothing', came: 'sent no request' }] }])
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

t.test('it cannot be run when no client comes', async t => {
  const { report } = await watchClient({ expect: ['login'], timeout: 0.1 })
  await t.rejects(report, { name: 'CannotRunError', message: 'no client came within 0.1 s' })
})

t.test('it can be stopped, and grades the requests so far', async t => {
  const { url, report, stop, next } = await watch({})
  next()
  await fetch(`${url}/menu/main`)
  stop()
  const { results, conforms } = await report
  t.equal(conforms, false)
  t.ok(results.every(({ title }) => title.endsWith('(reject-then-login)')))
})

t.test('it cannot be run with wrong options', async t => {
  const { url, stop, report } = await watchClient({ expect: ['login'], timeout: 600 })
  const wrong: [object, RegExp][] = [
    [{ expect: ['logout'] }, /no scenario logout for --expect, only .*login-then-expire/],
    [{ expect: [] }, /a scenario is needed/],
    [{ timeout: 0 }, /timeout/],
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
  await t.rejects(report, { message: 'no client came' })
})
