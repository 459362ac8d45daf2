// Sessions in Redis, which are valid on every server until one server ends them, and the values of SVC_REDIS_URL.
// server/settings.test.ts has the values that are not a Redis URL at all.

import { createClient } from 'redis'
import t, { type Test } from 'tap'
import { checkServer } from '../../../conformance/index.ts'
import { bearer } from '../../helpers.ts'
import { needs } from '../../needs.ts'
import { RedisServer } from '../../redis-server.ts'
import { DEMO, end, freshDatabase, menu, save, start, startServer } from '../process.ts'
import { ask, fleet, logIn, logOut, until, untilMenu } from './fleet.ts'

t.test('an invalid SVC_REDIS_URL ends the server with exit code 1 and one line', async t => {
  for (const url of [
    'redis',
    'redis://127.0.0.1/x',
    'redis://:%@127.0.0.1',
    'redis://me:12/hunter2@127.0.0.1',
    'redis://:p@hunter2/2@127.0.0.1'
  ])
    t.match(await refusal(t, url), /^SVC_REDIS_URL.*redis:\/\//)
})

/** Starts a server that must exit with code 1 and one line without the password. Returns the line. */
async function refusal(t: Test, SVC_REDIS_URL: string): Promise<string> {
  const { code, stdout, stderr } = await end(start('main', { ...freshDatabase(t), SVC_REDIS_URL }))
  t.equal(code, 1, SVC_REDIS_URL)
  t.match(stderr, /^[^\n]+\n$/)
  t.notMatch(stdout + stderr, /hunter2|right|listening/)
  return stderr
}

if (needs(t, 'redis-server')) {
  t.test('the conformance kit finds no fault in a server with Redis', async t => {
    const { servers } = await fleet(t, 1)
    const report = await checkServer(servers[0].url, {
      ...DEMO,
      protected: ['/auth/logout', '/screen/users'],
      hardening: true,
      advice: true,
      timeout: 120,
      limit: 600
    })
    const faults = report.results.filter(({ status }) => !['ok', 'skipped'].includes(status))
    t.strictSame(faults, [])
    t.ok(report.conforms)
  })

  t.test('a logout ends the session on every server at once, and no other session', async t => {
    const { servers } = await fleet(t, 4)
    const [one, two] = servers
    const tokens = [(await logIn(one)).token, (await logIn(two)).token]
    for (const token of tokens) for (const server of servers) t.equal(await menu(server, token), 200)
    const response = await logOut(two, tokens[0])
    t.equal(response.status, 204)
    t.equal(await response.text(), '')
    for (const server of servers) {
      t.equal(await menu(server, tokens[0]), 401)
      t.equal((await logOut(server, tokens[0])).status, 401)
      t.equal(await menu(server, tokens[1]), 200)
    }
  })

  t.test('a changed password ends the sessions of the user on every server', async t => {
    const { servers } = await fleet(t, 2)
    const [one, two] = servers
    const tokens = [(await logIn(one)).token, (await logIn(two)).token]
    const password = 'another-password'
    const changes = { current_password: DEMO.password, new_password: password, repeat_password: password }
    const changed = await save(one, '/screen/password', changes, bearer(tokens[0]))
    t.match(changed, { status: /^Changed.*log in again/ })
    for (const server of servers) for (const token of tokens) t.equal(await menu(server, token), 401)
  })

  t.test('npm run users ends the sessions of a user', async t => {
    const { servers, users } = await fleet(t, 1)
    const password = 'another-password'
    for (const [args, before, stdout] of [
      [['sign-out', 'demo'], DEMO.password, 'demo is signed out everywhere.\n'],
      [['passwd', 'demo'], DEMO.password, 'Set the password of demo.\ndemo is signed out everywhere.\n'],
      [['remove', 'demo'], password, 'Removed demo.\ndemo is signed out everywhere.\n']
    ] as const) {
      const { token } = await logIn(servers[0], { ...DEMO, password: before })
      t.equal(await menu(servers[0], token), 200)
      t.strictSame(await users(args, password), { code: 0, stdout, stderr: '' })
      t.equal(await menu(servers[0], token), 401)
    }
  })

  t.test('npm run users sets a password while Redis is down, and reports that the sessions stay valid', async t => {
    const { users, redis } = await fleet(t, 1)
    await redis.stop()
    t.match(await users(['passwd', 'demo'], 'another-password'), {
      code: 1,
      stdout: 'Set the password of demo.\n',
      stderr: /^Redis is down, so the sessions of demo stay valid; .* npm run users -- sign-out demo\n$/
    })
  })

  t.test('Redis contains no token and no password, and its keys contain no username', async t => {
    const { servers, redis } = await fleet(t, 1)
    const { token } = await logIn(servers[0])
    await logIn(servers[0], { username: 'demo', password: 'a wrong password' })
    const client = await createClient({ url: redis.url }).connect()
    const keys = await client.keys('*')
    // The session, two counts of failures, and two records of the known network.
    t.equal(keys.length, 5)
    t.notMatch(keys.join(), /demo/)
    const read = async (key: string) => ((await client.type(key)) === 'set' ? client.sMembers(key) : client.get(key))
    const everything = JSON.stringify([keys, await Promise.all(keys.map(read))])
    for (const secret of [token, DEMO.password, 'a wrong password']) t.notOk(everything.includes(secret))
    client.destroy()
    t.notOk(servers[0].output.stdout.includes(token))
  })

  t.test('an SVC_REDIS_URL that Redis rejects ends the start with one line without the password', async t => {
    const redis = await RedisServer.start(t, '--requirepass', 'the right password')
    const { port } = redis
    const right = `redis://:${encodeURIComponent('the right password')}@127.0.0.1:${port}`
    for (const [url, reason] of [
      [`redis://127.0.0.1:${port}`, 'NOAUTH'],
      [`redis://:hunter2@127.0.0.1:${port}`, 'WRONGPASS'],
      [`redis://eve:hunter2@127.0.0.1:${port}/0`, 'WRONGPASS'],
      [`${right}/99`, 'ERR']
    ] as const) {
      const message = `SVC_REDIS_URL: cannot use 127.0.0.1:${port} (${reason}); set it to `
      t.ok((await refusal(t, url)).startsWith(message), message)
    }
    const server = await startServer(t, { SVC_REDIS_URL: `${right}/3` })
    t.equal(await menu(server, (await logIn(server)).token), 200)
    t.notMatch(server.output.stdout, /right/)
  })

  t.test('SVC_TOKEN_LIFETIME limits a session, and Redis then deletes it', async t => {
    const { servers, redis } = await fleet(t, 1, { SVC_TOKEN_LIFETIME: '900' })
    const [lasting] = servers
    const sessions = async () => (await ask(redis, ['KEYS', 'screen_auth_opaque:*'])) as string[]
    t.equal(await menu(lasting, (await logIn(lasting)).token), 200)
    const [key = '', ...others] = await sessions()
    t.strictSame(others, [])
    const left = Number(await ask(redis, ['PTTL', key]))
    t.ok(left > 0 && left <= 900_000, `${left} ms are left`)

    const [brief] = (await fleet(t, 1, { SVC_TOKEN_LIFETIME: '1' }, redis)).servers
    const { success, token } = await logIn(brief)
    t.equal(success, true)
    await untilMenu(401, brief, token)
    await until(async () => (await sessions()).length === 1)
    t.equal(await menu(brief, token), 401)
  })
}
