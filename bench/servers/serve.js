/**
 * Starts one server: `node serve.js NAME SETTINGS`. NAME is a file of this folder, SETTINGS is JSON. Sends the port and
 * the usage so far to the parent process, and later sends the current usage on request.
 */
const [name, settings] = process.argv.slice(2)

/** Microseconds of CPU time since the start of the process, and bytes of memory. */
function usage() {
  const { user, system } = process.cpuUsage()
  return { cpu: user + system, memory: process.memoryUsage().rss }
}

process.on('message', message => {
  // Twice, because only the second collection frees objects that have a finaliser.
  if (message === 'collect garbage') for (let i = 0; i < 2; i++) globalThis.gc()
  process.send(usage())
})
process.on('disconnect', () => process.exit())

const { start } = await import(`./${name}.js`)
const { app, token } = await start(JSON.parse(settings))
await app.listen({ port: 0, host: '127.0.0.1' })
process.send({ port: app.server.address().port, token, ...usage() })
