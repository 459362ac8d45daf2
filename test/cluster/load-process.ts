// Opens menus until its parent says that it is enough; a process of its own, so that it delays no measurement.
import { setTimeout as sleep } from 'node:timers/promises'
import { bearer } from '../helpers.ts'
import { Client } from '../soak/client.ts'
import type { LoadCount, LoadOrder } from './load.ts'

/** Requests at the same time. */
const CONCURRENCY = 16

process.once('message', async (order: LoadOrder) => {
  const { ports, tokens, perSecond } = order
  const clients = ports.map(port => new Client(port))
  const count: LoadCount = { seconds: 0, requests: 0, statuses: {}, slowest: 0 }
  const start = performance.now()
  let isOver = false
  let turn = 0
  process.once('message', () => {
    isOver = true
  })

  const work = async () => {
    while (!isOver) {
      const index = turn++
      const early = perSecond === undefined ? 0 : (index / perSecond) * 1000 - (performance.now() - start)
      if (early > 1) await sleep(early)
      const sent = performance.now()
      const client = clients[index % clients.length] as Client
      const headers = bearer(tokens[index % tokens.length] as string)
      const { status } = await client.send('/menu/main', { headers })
      count.requests++
      count.statuses[status] = (count.statuses[status] ?? 0) + 1
      count.slowest = Math.max(count.slowest, performance.now() - sent)
    }
  }
  process.send?.('started')
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  count.seconds = (performance.now() - start) / 1000
  process.send?.(count, () => process.disconnect())
  for (const client of clients) client.close()
})
