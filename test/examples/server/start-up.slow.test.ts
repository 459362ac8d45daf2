// What `npm start` makes of its settings and of the users in its database, in one real process after the other.

import t from 'tap'
import { SECRET } from '../../helpers.ts'
import { DEMO, freshDatabase, post, startServer } from '../process.ts'

t.test('what is configured holds: the name, the secret, how long a token lives', async t => {
  const env = { SVC_APP_NAME: 'Probe', SVC_AUTH_SECRET: SECRET, SVC_TOKEN_LIFETIME: '77' }
  const { output, says, stop, url } = await startServer(t, { ...env, HOST: 'localhost' })
  await says(/Log in/)
  t.notMatch(output.stdout, /secret is random/)
  t.match(await (await fetch(`${url}/auth/login`)).json(), { title: 'Probe' })
  const { token } = await post({ url }, '/auth/login', DEMO)
  const { iat, exp } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
  t.equal(exp - iat, 77)
  t.strictSame(await stop('SIGINT'), { code: 0 })
  t.match(output.stdout, /SIGINT received, closing/)
})

t.test('the demo user is not made where others can log in, unless SVC_DEMO_USER says so', async t => {
  const cases: [Record<string, string>, boolean][] = [
    [{ HOST: '0.0.0.0' }, false],
    [{ HOST: '0.0.0.0', SVC_DEMO_USER: 'True' }, true],
    [{ SVC_DEMO_USER: 'false' }, false]
  ]
  for (const [env, isMade] of cases) {
    const server = await startServer(t, env)
    await server.says(isMade ? /Log in as demo/ : /there is no user; add one: npm run users/)
    t.equal((await post(server, '/auth/login', DEMO)).success, isMade, JSON.stringify(env))
    await server.stop()
  }
})

t.test('where others can log in, the server warns of a demo user that is there already', async t => {
  const database = freshDatabase(t)
  await (await startServer(t, database)).stop()
  const { output, says, stop } = await startServer(t, { ...database, HOST: '0.0.0.0' })
  await says(/everybody knows the password of demo/)
  await stop()
  t.notMatch(output.stdout, /Log in as/)
})
