// Sessions in Redis: good on every server, until they are ended on one.

import { createClient } from 'redis'
import t from 'tap'
import { checkServer } from '../../../conformance/index.ts'
import { bearer } from '../../helpers.ts'
import { needs } from '../../needs.ts'
import { RedisServer } from '../../redis-server.ts'
import { DEMO, end, type Json, post, save, start } from '../process.ts'
import { ask, fleet, get, logIn, logOut, menu, NEW_PASSWORD } from './fleet.ts'

if (needs(t, 'redis-server')) {
  t.test('the conformance kit finds no fault', async t => {
    const { servers } = await fleet(t, 1, await RedisServer.start(t))
    const report = await checkServer(servers[0].url, {
      ...DEMO,
      protected: ['/auth/logout', '/screen/users'],
      timeout: 120
    })
    t.strictSame(
      report.results.filter(({ status }) => !['ok', 'skipped'].includes(status)),
      []
    )
    t.ok(report.conforms)
  })

  t.test('a logout ends the session on every server, and no other session', async t => {
    const { servers } = await fleet(t, 2, await RedisServer.start(t))
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

  t.test('the list of users leads to the own Card, which signs the person out on every server', async t => {
    const redis = await RedisServer.start(t)
    const { environment, servers } = await fleet(t, 2, redis)
    await end(start('users', environment, ['add', 'Ada & Søn']), 'a-password')
    const [one, two] = servers
    const ada = { username: 'Ada & Søn', password: 'a-password' }
    const adas = [(await logIn(one, ada)).token, (await logIn(two, ada)).token]
    const { token } = await logIn(one)

    const { lines } = (await (await get(one, '/screen/users', adas[0])).json()) as Json
    const url = lines.on_select.replace('{0}', encodeURIComponent(ada.username))
    const card = (await (await get(one, url, adas[0])).json()) as Json
    const done = await post(one, card.screen_actions[0].endpoint, {}, bearer(adas[0]))
    t.strictSame(done, { status: 200, success: true, message: 'Signed out everywhere.' })
    for (const server of servers) {
      for (const ended of adas) t.equal(await menu(server, ended), 401)
      t.equal(await menu(server, token), 200)
    }
    t.equal(await menu(two, (await logIn(one, ada)).token), 200)
  })

  t.test('a changed password ends the sessions of the user on every server', async t => {
    const { servers } = await fleet(t, 2, await RedisServer.start(t))
    const [one, two] = servers
    const tokens = [(await logIn(one)).token, (await logIn(two)).token]
    const wrong = { ...NEW_PASSWORD, current_password: 'wrong' }
    t.match(await save(one, '/screen/password', wrong, bearer(tokens[0])), { status: /^Error: / })
    t.equal(await menu(two, tokens[1]), 200)
    t.match(await save(one, '/screen/password', NEW_PASSWORD, bearer(tokens[0])), {
      status: /^Changed.*log in again/
    })
    for (const server of servers) for (const token of tokens) t.equal(await menu(server, token), 401)
  })

  t.test('a changed password whose sessions could not be ended says so', async t => {
    const redis = await RedisServer.start(t)
    const { servers } = await fleet(t, 1, redis)
    const { token } = await logIn(servers[0])
    await ask(redis, ['CONFIG', 'SET', 'maxmemory', '1'])
    t.match(await save(servers[0], '/screen/password', NEW_PASSWORD, bearer(token)), {
      status: 'Changed, but please sign out everywhere.'
    })
    t.equal(await menu(servers[0], token), 200)
  })

  t.test('npm run users ends the sessions of a user', async t => {
    const redis = await RedisServer.start(t)
    const { environment, servers } = await fleet(t, 1, redis)
    const users = (args: string[], input = '') => end(start('users', environment, args), input)
    const [server] = servers
    let { token } = await logIn(server)
    t.match(await users(['sign-out', 'demo']), {
      code: 0,
      stdout: 'demo is signed out everywhere.\n',
      stderr: ''
    })
    t.equal(await menu(server, token), 401)

    token = (await logIn(server)).token
    t.match(await users(['passwd', 'demo'], 'another-password'), {
      code: 0,
      stdout: /demo is signed out everywhere/
    })
    t.equal(await menu(server, token), 401)

    token = (await logIn(server, { ...DEMO, password: 'another-password' })).token
    t.match(await users(['remove', 'demo']), {
      code: 0,
      stdout: 'Removed demo.\ndemo is signed out everywhere.\n'
    })
    t.equal(await menu(server, token), 401)

    await users(['add', 'ada'], 'a-password')
    await redis.stop()
    t.match(await users(['passwd', 'ada'], 'another-password'), {
      code: 1,
      stdout: 'Set the password of ada.\n',
      stderr: /^Redis is down, so the sessions of ada go on; .* npm run users -- sign-out ada\n$/
    })
    const { SVC_REDIS_URL: _, ...without } = environment
    t.match(await end(start('users', without, ['sign-out', 'ada'])), { code: 1, stderr: /SVC_REDIS_URL/ })
  })

  t.test(
    'neither tokens nor usernames are in the keys, and no password and no token is in Redis',
    async t => {
      const redis = await RedisServer.start(t)
      const { servers } = await fleet(t, 1, redis)
      const { token } = await logIn(servers[0])
      await logIn(servers[0], { username: 'demo', password: 'a wrong password' })
      const client = await createClient({ url: redis.url }).connect()
      const keys = await client.keys('*')
      t.equal(keys.filter(key => !key.includes('heartbeat')).length, 6)
      t.notMatch(keys.join(), /demo/)
      const everything = JSON.stringify([keys, await client.mGet(keys)])
      for (const secret of [token, DEMO.password, 'a wrong password']) t.notOk(everything.includes(secret))
      client.destroy()
      t.notOk(servers[0].output.stdout.includes(token))
    }
  )
}
