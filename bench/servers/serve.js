/**
 * Starts one server: `node serve.js NAME SETTINGS`, where NAME is a file of this folder and SETTINGS is JSON. Sends the
 * port and the usage of the start to the parent process, and then the current usage on request.
 */
const [name, settings] = process.argv.slice(2)

/** Microseconds of CPU time since the start of the process, and bytes of memory. */
function usage() {
  const { user, system } = process.cpuUsage()
  return { cpu: user + system, memory: process.memoryUsage().rss }
}

process.on('message', message => {
  // Twice, because objects with a finaliser are only freed by the second collection.
  if (message === 'collect garbage') for (let i = 0; i < 2; i++) globalThis.gc()
  process.send(usage())
})
process.on('disconnect', () => process.exit())

const { start } = await import(`./${name}.js`)
const { app, token } = await start(JSON.parse(settings))
await app.listen({ port: 0, host: '127.0.0.1' })
process.send({ port: app.server.address().port, token, ...usage() })
