/**
 * Starts one server: `node serve.js NAME [SETTINGS]`, where NAME is a file of this folder and SETTINGS is JSON. Sends the
 * port and the usage of the start to the parent process, and then the current usage on request.
 */
import { once } from 'node:events'

const [name, settings = '{}'] = process.argv.slice(2)

/** Microseconds of CPU time since the start of the process, and bytes of memory. */
function usage() {
  const { user, system } = process.cpuUsage()
  return { cpu: user + system, memory: process.memoryUsage().rss }
}

/** Twice, because objects with a finaliser are only freed by the second collection. */
function collectGarbage() {
  globalThis.gc()
  globalThis.gc()
}

process.on('message', message => {
  if (message === 'collect garbage') collectGarbage()
  process.send(usage())
})
process.on('disconnect', () => process.exit())

const { start } = await import(`./${name}.js`)
const { server, token } = await start(JSON.parse(settings))
if (!server.listening) await once(server, 'listening')
process.send({ port: server.address().port, token, ...usage() })
