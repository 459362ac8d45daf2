/** The server of the soak test, in a process of its own: the reference server's app, and a report when asked for one. */
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { LogController } from 'fastify'
import { buildApp } from '../../examples/server/app.ts'
import { UserStore } from '../../examples/server/user-store.ts'
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
  /** Lines of the log: how many of each message. */
  log: Record<string, number>
  /** Unhandled errors, warnings of Node, and what was logged as a warning or worse. */
  faults: { count: number; first: string[] }
}

const log: Sample['log'] = {}
const faults: Sample['faults'] = { count: 0, first: [] }
const fault = (what: unknown) => {
  if (faults.count++ < 5) faults.first.push(what instanceof Error ? String(what.stack) : String(what))
}
// Only the driver's end is its end, so that its folder is removed after Ctrl-C too.
process.on('SIGINT', () => {})

const folder = mkdtempSync(join(tmpdir(), 'screen-auth-soak-'))
const users = await UserStore.open(`file:${folder}/users.db`)
await users.addDemoUserIfEmpty()
const { verify } = users
users.verify = async (username, password) =>
  username.startsWith(CHEAP) ? null : verify.call(users, username, password)

const write = (line: string) => {
  const { level, msg, err } = JSON.parse(line)
  log[msg] = (log[msg] ?? 0) + 1
  if (level >= 40) fault(`${msg} ${err?.stack ?? ''}`)
}
const auth = { enabled: true, secret: SECRET, appName: 'Soak' }
const app = await buildApp(users, auth, {
  trustProxy: true,
  logger: { stream: { write } },
  logController: new LogController({ disableRequestLogging: true })
})
app.addHook('onClose', async () => {
  users.close()
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
  // Twice: what the first one finalizes is freed by the second.
  globalThis.gc?.()
  await setImmediate()
  globalThis.gc?.()
  const { heapUsed, external, rss } = process.memoryUsage()
  const handles: Sample['handles'] = {}
  for (const kind of process.getActiveResourcesInfo()) handles[kind] = (handles[kind] ?? 0) + 1
  // The collections above are no delay of the server's own making.
  await setTimeout(20)
  histogram.reset()
  process.send?.({ heapUsed, external, rss, handles, delay, log, faults } satisfies Sample)
})
process.send?.((app.server.address() as AddressInfo).port)

function inMs(nanoseconds: number): number {
  return Math.round(nanoseconds / 1e6)
}
