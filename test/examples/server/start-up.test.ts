// `npm start` as a real process on a real port. program.slow.test.ts has its settings.

import t from 'tap'
import { DEMO, freshDatabase, post, startServer } from '../process.ts'

t.test('by default the server prints its URL and the demo login, and closes cleanly', async t => {
  const { output, says, stop, url } = await startServer(t, freshDatabase(t))
  await says(/Log in as demo with the password demo-password at http/)
  t.match(output.stdout, /secret is random.*SVC_AUTH_SECRET/)
  const { token, screen } = await post({ url }, '/auth/login', DEMO)
  t.match(screen, { layout: 'Menu', user_display_name: 'Demo User' })
  const { iat, exp } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
  t.equal(exp - iat, 86_400)

  t.strictSame(await stop('SIGTERM'), { code: 0 })
  t.match(output.stdout, /SIGTERM received, closing/)
  t.equal(output.stderr, '')
})
