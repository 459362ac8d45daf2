// How the server ends. That it ends cleanly when nothing is open is in start-up.test.ts.

import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { startServer } from '../process.ts'

t.test('SIGTERM and SIGINT close the server cleanly', async t => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const server = await startServer(t, {})
    t.strictSame(await server.stop(signal), { code: 0 }, signal)
    t.match(server.output.stdout, new RegExp(`${signal} received, closing`))
  }
})

t.test('a connection without a request does not keep the server from closing cleanly', async t => {
  const server = await startServer(t, {})
  const { port, hostname } = new URL(server.url)
  const silent = connect(Number(port), hostname)
  silent.on('error', () => {})
  await once(silent, 'connect')
  t.strictSame(await server.stop(), { code: 0 })
  t.notMatch(server.output.stdout, /timeout/)
})
