/** The server of the soak test, in its own process: the app of the reference server. Reports its state on request. */
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { LogController } from 'fastify'
import { buildApp } from '../../examples/server/app.ts'
import { addDemoData, openStores } from '../../examples/server/stores.ts'
import { SECRET } from '../helpers.ts'
import { CHEAP } from './traffic.ts'

/** The state of the server after a garbage collection; sizes in bytes, times in milliseconds. */
export interface Sample {
  heapUsed: number
  external: number
  rss: number
  /** What keeps the process alive, open sockets included: how many of each kind. */
  handles: Record<string, number>
  /** Event loop delay since the last sample. */
  delay: { p99: number; max: number }
  /** How many log lines there are of each message. */
  log: Record<string, number>
  /** Unhandled errors, warnings of Node, and log lines from the level `warn` on. */
  faults: { count: number; first: string[] }
}

const log: Sample['log'] = {}
const faults: Sample['faults'] = { count: 0, first: [] }
const fault = (what: unknown) => {
  if (faults.count++ < 5) faults.first.push(what instanceof Error ? String(what.stack) : String(what))
}
// Ctrl-C reaches this process too. It ends only when the parent disconnects, so that it can remove its folder.
process.on('SIGINT', () => {})

const folder = mkdtempSync(join(tmpdir(), 'screen-auth-soak-'))
const stores = await openStores(`file:${folder}/users.db`)
await addDemoData(stores)
const { users } = stores
const { verify } = users
users.verify = async (username, password) =>
  username.startsWith(CHEAP) ? null : verify.call(users, username, password)

const write = (line: string) => {
  const { level, msg, err } = JSON.parse(line)
  log[msg] = (log[msg] ?? 0) + 1
  if (level >= 40) fault(`${msg} ${err?.stack ?? ''}`)
}
const auth = { enabled: true, secret: SECRET, appName: 'Soak' }
const app = await buildApp(stores, auth, {
  trustProxy: true,
  logger: { stream: { write } },
  logController: new LogController({ disableRequestLogging: true })
})
app.addHook('onClose', async () => {
  stores.close()
  rmSync(folder, { recursive: true })
})
await app.listen({ host: '127.0.0.1', port: 0 })
process.on('unhandledRejection', fault).on('uncaughtException', fault).on('warning', fault)

const histogram = monitorEventLoopDelay()
histogram.enable()
process.on('disconnect', () => {
  histogram.disable()
  app.close()
})
process.on('message', async () => {
  const delay = { p99: inMs(histogram.percentile(99)), max: inMs(histogram.max) }
  // Twice: the second collection frees what the first one finalizes.
  globalThis.gc?.()
  await setImmediate()
  globalThis.gc?.()
  const { heapUsed, external, rss } = process.memoryUsage()
  const handles: Sample['handles'] = {}
  for (const kind of process.getActiveResourcesInfo()) handles[kind] = (handles[kind] ?? 0) + 1
  // So that the next sample does not count the delay of the collections above.
  await setTimeout(20)
  histogram.reset()
  process.send?.({ heapUsed, external, rss, handles, delay, log, faults } satisfies Sample)
})
process.send?.((app.server.address() as AddressInfo).port)

function inMs(nanoseconds: number): number {
  return Math.round(nanoseconds / 1e6)
}
