/**
 * Starts a server with 300 routes that send a screen, and requests each of them once: `node start.js NAME PHASE`. NAME is
 * `fastify` or `screenAuth`. Prints the microseconds of CPU time of a phase: `start`, from the loaded modules to the ready
 * server, or `first`, the requests.
 */
import Fastify from 'fastify'
import plugin from '../../dist/lib/index.mjs'
import { ScreenContract } from '../../dist/schemas/index.mjs'
import { DISPLAY_NAME, menu, SECRET } from './data.js'

const [name, phase] = process.argv.slice(2)
const isGuarded = name === 'screenAuth'
const urls = Array.from({ length: 300 }, (_, i) => `/screen/${i}`)

const started = process.cpuUsage()
const app = Fastify()
if (isGuarded) await app.register(plugin, { secret: SECRET, checkCredentials: () => null, mainMenu: () => menu })
for (const url of urls)
  app.get(url, isGuarded ? { schema: { response: { 200: ScreenContract } } } : {}, async () => menu)
await app.ready()
const start = process.cpuUsage(started)

const token = isGuarded && (await app.screenAuth.issueToken({ username: 'ada', displayName: DISPLAY_NAME }))
const ready = process.cpuUsage()
for (const url of urls) {
  const { statusCode } = await app.inject({ url, headers: { authorization: `Bearer ${token}` } })
  if (statusCode !== 200) throw new Error(`${url} responded ${statusCode}`)
}
const first = process.cpuUsage(ready)

const { user, system } = { start, first }[phase]
console.log(user + system)
