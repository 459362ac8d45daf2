// How round trips to Redis are counted, with a server in its place that sends back what it gets.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { RoundTripCounter } from '../../bench/round-trips.ts'
import { until } from '../helpers.ts'

async function startCounter(t: Test) {
  let received = ''
  const redis = createServer({ noDelay: true }, socket => {
    socket
      .on('error', () => {})
      .on('data', sent => {
        received += sent
        socket.write(sent)
      })
  }).listen(0, '127.0.0.1')
  await once(redis, 'listening')
  const { port } = redis.address() as AddressInfo
  const counter = await RoundTripCounter.start(`redis://127.0.0.1:${port}`, HOLD)
  const client = connect({ port: Number(new URL(counter.url).port), host: '127.0.0.1', noDelay: true })
  t.teardown(() => {
    counter.stop()
    redis.close()
  })
  return { counter, client, received: () => received }
}

/** Milliseconds that an answer is held back. */
const HOLD = 5

async function answers(client: Socket, count: number): Promise<void> {
  let text = ''
  while (text.length < count) text += (await once(client, 'data'))[0]
}

t.test('each request that waits for the previous answer is one more round trip', async t => {
  const { counter, client } = await startCounter(t)
  for (let i = 0; i < 3; i++) {
    client.write('a')
    await answers(client, 1)
  }
  t.equal(counter.count, 3)
})

for (const packets of [['ab'], ['a', 'b']]) {
  t.test(`what is sent at once in ${packets.length} packets is one round trip`, async t => {
    mock.timers.enable({ apis: ['setTimeout'] })
    t.teardown(() => mock.timers.reset())
    const { counter, client, received } = await startCounter(t)
    let answered = ''
    client.on('data', data => (answered += data))
    let sent = ''
    for (const packet of packets) {
      client.write(packet)
      sent += packet
      await until(() => received() === sent)
    }
    t.equal(answered, '', 'the answers are held back')
    await until(() => {
      mock.timers.tick(HOLD)
      return answered === sent
    })
    t.equal(counter.count, 1)
  })
}

t.test('stop disconnects every client', async t => {
  const { counter, client } = await startCounter(t)
  client.write('a')
  await answers(client, 1)
  counter.stop()
  await once(client, 'close')
})
