// `npm start` as a real process on a real port, for behaviour that only the program itself has.

import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { DEMO, end, freshDatabase, post, start, startServer } from '../process.ts'

t.test('by default the server prints its URL and the demo login', async t => {
  const database = freshDatabase(t)
  const { output, says, stop, url } = await startServer(t, database)
  await says(/Log in/)
  t.match(output.stdout, url)
  t.match(output.stdout, /secret is random.*SVC_AUTH_SECRET/)
  t.match(output.stdout, `Log in as demo with the password demo-password at ${url}/`)
  t.ok(output.stdout.split('\n').length <= 6, 'in a few lines')

  const { token, screen } = await post({ url }, '/auth/login', DEMO)
  t.match(screen, { layout: 'Menu', user_display_name: 'Demo User' })
  const { iat, exp } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
  t.equal(exp - iat, 86_400)

  const folder = dirname(database.SVC_DATABASE_URL.replace('file:', ''))
  const files = readdirSync(folder)
  t.ok(files.includes('users.db'))
  for (const name of files) t.equal(statSync(join(folder, name)).mode & 0o077, 0, `only its owner can read ${name}`)

  t.strictSame(await stop('SIGTERM'), { code: 0 })
  t.match(output.stdout, /SIGTERM received, closing/)
  t.equal(output.stderr, '')
})

t.test('SVC_AUTH=false is the no-auth mode, which needs no user, no secret and no Redis', async t => {
  const env = { SVC_AUTH: 'FALSE', SVC_REDIS_URL: 'redis://127.0.0.1:1' }
  const { output, stop, url } = await startServer(t, env)
  const menu = await fetch(`${url}/menu/main`)
  t.equal(menu.status, 200)
  t.notOk('user_display_name' in ((await menu.json()) as object))
  t.strictSame(await stop(), { code: 0 })
  t.match(output.stdout, /every route .* is open/)
  t.notMatch(output.stdout, /Log in as|secret|Redis/)
})

t.test('the server takes the client address of a login from a trusted proxy', async t => {
  const server = await startServer(t, { SVC_TRUST_PROXY: '127.0.0.1' })
  await post(server, '/auth/login', { username: 'x', password: 'x' }, { 'x-forwarded-for': '203.0.113.7' })
  await server.says(/login rejected.*203\.0\.113\.7/)
})

t.test('an invalid setting ends the server with exit code 1 and one line', async t => {
  const env = { ...freshDatabase(t), PORT: '0', SVC_AUTH_SECRET: 'hunter2' }
  const ended = await end(start('main', env))
  const message = /^SVC_AUTH_SECRET must have at least 32 bytes(?!.*hunter2)[^\n]+\n$/
  t.match(ended, { code: 1, stdout: '', stderr: message })
})
