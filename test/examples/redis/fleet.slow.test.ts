// Example servers that share sessions and failed logins in Redis, also while Redis is down.

import t, { type Test } from 'tap'
import { bearer, until } from '../../helpers.ts'
import { needs } from '../../needs.ts'
import { ask, RedisServer } from '../../redis-server.ts'
import { DEMO, end, freshDatabase, get, menu, post, type Server, save, start, startServer } from '../process.ts'

const WRONG = { ...DEMO, password: 'wrong' }

/** Starts servers with a common database and a new Redis. `users` runs `npm run users` there. */
async function fleet(t: Test, size: number, env: Record<string, string> = {}) {
  const redis = await RedisServer.start(t)
  const environment = { ...freshDatabase(t), SVC_REDIS_URL: redis.url, ...env }
  const servers = []
  for (let i = 0; i < size; i++) servers.push(await startServer(t, environment))
  const users = (args: string[], password = '') => end(start('users', environment, args), password)
  return { redis, environment, servers: servers as [Server, Server], users }
}

/** Logs in, behind a proxy from an address. */
const logIn = (server: Server, fields: object = DEMO, address = '192.0.2.9') =>
  post(server, '/auth/login', fields, { 'x-forwarded-for': address })

const logOut = (server: Server, token: string) =>
  fetch(`${server.url}/auth/logout`, { method: 'POST', headers: bearer(token) })

if (needs(t, 'redis-server')) {
  t.test('a logout, a changed password and npm run users end sessions on every server', async t => {
    const { servers, users } = await fleet(t, 2)
    const [one, two] = servers
    const tokens = [(await logIn(one)).token, (await logIn(two)).token]
    t.equal((await logOut(two, tokens[0])).status, 204)
    for (const server of servers) t.strictSame(await Promise.all(tokens.map(token => menu(server, token))), [401, 200])

    const password = 'another-password'
    const changes = { current_password: DEMO.password, new_password: password, repeat_password: password }
    t.match(await save(one, '/screen/password', changes, bearer(tokens[1])), { status: /^Changed.*log in again/ })
    for (const server of servers) t.equal(await menu(server, tokens[1]), 401)

    for (const [command, stdout] of [
      ['sign-out', 'demo is signed out everywhere.\n'],
      ['passwd', 'Set the password of demo.\ndemo is signed out everywhere.\n'],
      ['remove', 'Removed demo.\ndemo is signed out everywhere.\n']
    ] as const) {
      const { token } = await logIn(one, { ...DEMO, password })
      t.equal(await menu(two, token), 200)
      t.strictSame(await users([command, 'demo'], password), { code: 0, stdout, stderr: '' })
      for (const server of servers) t.equal(await menu(server, token), 401)
    }
  })

  t.test('the servers count failed logins together, and npm run users clears the count', async t => {
    const { servers, users } = await fleet(t, 2, { SVC_TRUST_PROXY: '127.0.0.1', SVC_DEMO_USER: 'true' })
    const [one, two] = servers
    await logIn(one)
    const guesses = Array.from({ length: 60 }, (_, i) => logIn(servers[i % 2] as Server, WRONG, `192.0.2.${i % 6}`))
    const wrong = (await Promise.all(guesses)).filter(({ error }) => /^Wrong/.test(error))
    t.equal(wrong.length, 50)
    const blocked = { success: false, error: /Too many attempts/ }
    t.match(await logIn(two, DEMO, '192.0.2.77'), blocked)
    t.match(await logIn(two), { success: true }, 'strangers do not block a known network')
    await users(['sign-out', 'demo'])
    for (const server of servers) t.match(await logIn(server), blocked, 'the network is forgotten')
    t.match(await users(['unlock', 'demo']), { code: 0, stdout: 'Deleted the failed logins of demo.\n', stderr: '' })
    for (const server of servers) t.match(await logIn(server, DEMO, '192.0.2.77'), { success: true })
    t.match(await users(['unlock', 'Demo']), { code: 1, stderr: /^There is no user Demo/ })
  })

  for (const [name, fail, recover] of [
    ['has crashed', redis => redis.stop(), redis => redis.start()],
    ['is silent', redis => redis.freeze(), redis => redis.thaw()]
  ] as [string, (redis: RedisServer) => unknown, (redis: RedisServer) => unknown][])
    t.test(`while Redis ${name}, a token gets a 503, at a new server, too, and npm run users reports it`, async t => {
      const { servers, redis, environment, users } = await fleet(t, 1)
      const { token } = await logIn(servers[0])
      await fail(redis)
      const all = [...servers, await startServer(t, environment)] as Server[]
      for (const server of all) {
        const response = await get(server, '/menu/main', token)
        t.strictSame([response.status, Number(response.headers.get('retry-after')) > 0], [503, true])
        t.equal((await logOut(server, token)).status, 503)
        t.equal((await get(server, '/menu/main')).status, 401, 'a missing token is still a 401')
        t.match(await logIn(server), { success: false, token: null, error: /Try again later/, screen: null })
      }
      t.match(await users(['unlock', 'demo']), { code: 1, stdout: '', stderr: /^Redis is down, so the failed logins/ })
      t.match(await users(['passwd', 'demo'], 'another-password'), {
        code: 1,
        stdout: 'Set the password of demo.\n',
        stderr: /^Redis is down, so the sessions of demo stay valid; .* npm run users -- sign-out demo\n$/
      })
      await recover(redis)
      for (const server of all) await until(async () => (await menu(server, token)) === 200)
      await (all[1] as Server).says(/Redis is down.*Redis is back/s)
    })

  t.test('Redis contains no token and no password, and its keys contain no username', async t => {
    const { servers, redis } = await fleet(t, 1, { SVC_TOKEN_LIFETIME: '900' })
    const { token } = await logIn(servers[0])
    await logIn(servers[0], WRONG)
    const all = (await ask(redis, ['KEYS', '*'])) as string[]
    // The start has tried whether Redis takes writes.
    const keys = all.filter(key => !key.includes('probe'))
    // The session, two counts of failures, and three records of the known network.
    t.equal(keys.length, 6)
    t.notMatch(keys.join(), /demo/)
    const [session = ''] = keys.filter(key => key.startsWith('screens:screen_auth_opaque:'))
    const left = Number(await ask(redis, ['PTTL', session]))
    t.ok(left > 0 && left <= 900_000, `${left} ms are left`)
    const read = async (key: string) =>
      ask(redis, [(await ask(redis, ['TYPE', key])) === 'set' ? 'SMEMBERS' : 'GET', key])
    const everything = JSON.stringify([keys, await Promise.all(keys.map(read))])
    for (const secret of [token, DEMO.password, WRONG.password]) t.notOk(everything.includes(secret))
    t.notOk(servers[0].output.stdout.includes(token))
  })

  t.test('an SVC_REDIS_URL that Redis rejects ends the start with one line without the password', async t => {
    const redis = await RedisServer.start(t, '--requirepass', 'right')
    for (const [url, reason] of [
      [redis.url, 'NOAUTH'],
      [`redis://eve:hunter2@127.0.0.1:${redis.port}/0`, 'WRONGPASS'],
      [`redis://:right@127.0.0.1:${redis.port}/99`, 'ERR']
    ] as const) {
      const ended = await end(start('main', { ...freshDatabase(t), SVC_REDIS_URL: url }))
      t.match(ended, {
        code: 1,
        stderr: RegExp(`^SVC_REDIS_URL: cannot use Redis \\(${reason}\\); set it to [^\\n]+\\n$`)
      })
      t.notMatch(ended.stdout + ended.stderr, /hunter2|right|listening/)
    }
    const server = await startServer(t, { SVC_REDIS_URL: `redis://:right@127.0.0.1:${redis.port}/3` })
    t.equal(await menu(server, (await logIn(server)).token), 200)
  })
}
