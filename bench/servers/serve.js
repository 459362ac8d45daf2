/**
 * Starts one server: `node serve.js NAME [redis]`. NAME is a function of guards.js. Sends the port to the parent process,
 * and later, on request, the CPU time since the start of the process, in microseconds.
 */
const [name, hasRedis] = process.argv.slice(2)

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send(user + system)
})
process.on('disconnect', () => process.exit())

const { [name]: start } = await import('./guards.js')
const { app, token } = await start(hasRedis !== undefined)
await app.listen({ port: 0, host: '127.0.0.1' })
process.send({ port: app.server.address().port, token })
