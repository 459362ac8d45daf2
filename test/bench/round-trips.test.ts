// How round trips to Redis are counted, with a server in its place that sends back what it gets.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { RoundTripCounter } from '../../bench/round-trips.ts'

async function startCounter(t: Test, hold?: number) {
  const redis = createServer({ noDelay: true }, socket => {
    socket.on('data', sent => socket.write(sent)).on('error', () => {})
  }).listen(0, '127.0.0.1')
  await once(redis, 'listening')
  const { port } = redis.address() as AddressInfo
  const counter = await RoundTripCounter.start(`redis://127.0.0.1:${port}`, hold)
  const client = connect({ port: Number(new URL(counter.url).port), host: '127.0.0.1', noDelay: true })
  t.teardown(() => {
    counter.stop()
    redis.close()
  })
  return { counter, client }
}

async function answers(client: Socket, count: number): Promise<void> {
  let text = ''
  while (text.length < count) text += (await once(client, 'data'))[0]
}

t.test('what waits for the answer before is a round trip more', async t => {
  const { counter, client } = await startCounter(t)
  for (let i = 0; i < 3; i++) {
    client.write('a')
    await answers(client, 1)
  }
  t.equal(counter.count, 3)
})

t.test('what is sent at once is one round trip, in one packet or in two', async t => {
  const { counter, client } = await startCounter(t, 500)
  client.write('ab')
  await answers(client, 2)
  t.equal(counter.count, 1)

  client.write('a')
  await sleep(1)
  client.write('b')
  await answers(client, 2)
  t.equal(counter.count, 2)
})

t.test('when it stops, whoever is connected is disconnected', async t => {
  const { counter, client } = await startCounter(t)
  client.write('a')
  await answers(client, 1)
  counter.stop()
  await once(client, 'close')
})
