// The reference server with SVC_REDIS_URL: real processes on a real Redis. What a whole cluster does is in test/cluster.

import { createServer, connect as dial, type Server as NetServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@keyv/redis'
import t, { type Test } from 'tap'
import { checkServer } from '../../conformance/index.ts'
import { bearer } from '../helpers.ts'
import { needs } from '../needs.ts'
import { freePort, RedisServer } from '../redis-server.ts'
import { end, freshDatabase, type Json, post, type Server, start, startServer } from './process.ts'

const DEMO = { username: 'demo', password: 'demo-password' }
const WRONG = { ...DEMO, password: 'wrong' }

/** What the Card posts that changes the password. */
const NEW_PASSWORD = {
  current_password: DEMO.password,
  new_password: 'another-password',
  repeat_password: 'another-password'
}

/** Milliseconds that a guarded request may take (README), and what a busy machine adds. */
const LIMIT = 2_000 + 1_500

const logIn = (server: Server, fields: object = DEMO) => post(server, '/auth/login', fields)

const get = (server: Server, path: string, token = '') =>
  fetch(server.url + path, token === '' ? {} : { headers: bearer(token) })

const menu = async (server: Server, token: string) => (await get(server, '/menu/main', token)).status

async function logOut(server: Server, token = '', init: RequestInit = {}) {
  const headers = { ...(token !== '' && bearer(token)), ...(init.headers as object) }
  return fetch(`${server.url}/auth/logout`, { method: 'POST', ...init, headers })
}

/** Waits until a guarded request has this status. */
async function waitFor(status: number, server: Server, token: string) {
  for (let i = 0; i < 100; i++) {
    if ((await menu(server, token)) === status) return true
    await sleep(100)
  }
  return false
}

/** Sends one command to Redis. */
async function ask(redis: RedisServer, command: string[]) {
  const client = await createClient({ url: redis.url }).connect()
  await client.sendCommand(command)
  client.destroy()
}

/** Servers on one Redis and one database. */
async function fleet(t: Test, size: number, redis: RedisServer, env: Record<string, string> = {}) {
  const environment = { ...freshDatabase(t), SVC_REDIS_URL: redis.url, ...env }
  const servers = []
  for (let i = 0; i < size; i++) servers.push(await startServer(t, environment))
  return { environment, servers: servers as [Server, Server] }
}

t.test('without SVC_REDIS_URL a logout is a 404, since a JWT cannot be taken back', async t => {
  const server = await startServer(t, {})
  const { token } = await logIn(server)
  t.equal((await logOut(server)).status, 401)
  t.equal((await logOut(server, token)).status, 404)
  t.equal(await menu(server, token), 200)
  const { rows } = (await (await get(server, '/screen/users', token)).json()) as Json
  t.strictSame(rows, [{ username: 'demo', display_name: 'Demo User' }])
  t.equal((await get(server, '/screen/users/sign-out?username=demo', token)).status, 404)
})

t.test('in the no-auth mode SVC_REDIS_URL is not used', async t => {
  const server = await startServer(t, { SVC_AUTH: 'false', SVC_REDIS_URL: 'redis://127.0.0.1:1' })
  t.equal(await menu(server, ''), 200)
  t.notMatch(server.output.stdout, /Redis/)
})

t.test('a SVC_REDIS_URL that is none ends it with exit code 1 and one line', async t => {
  const nonsense = [
    '',
    'redis',
    'http://127.0.0.1:6379',
    'redis://',
    'redis://127.0.0.1/x',
    'redis://:%@127.0.0.1',
    'redis://me:12/hunter2@127.0.0.1',
    'redis://:p@hunter2/2@127.0.0.1'
  ]
  for (const SVC_REDIS_URL of nonsense) {
    const { code, stdout, stderr } = await end(start('main', { ...freshDatabase(t), SVC_REDIS_URL }))
    t.equal(code, 1, SVC_REDIS_URL)
    t.match(stderr, /^SVC_REDIS_URL(?!.*hunter2).*redis:\/\/.*\n$/)
    t.notMatch(stdout, /listening/)
  }
})

if (needs(t, 'redis-server')) {
  t.test('the conformance kit has nothing but OK to say', async t => {
    const { servers } = await fleet(t, 1, await RedisServer.start(t))
    const report = await checkServer(servers[0].url, {
      ...DEMO,
      protected: ['/auth/logout', '/screen/users']
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
    const answer = await logOut(two, tokens[0])
    t.equal(answer.status, 204)
    t.equal(await answer.text(), '')
    for (const server of servers) {
      t.equal(await menu(server, tokens[0]), 401)
      t.equal((await logOut(server, tokens[0])).status, 401)
      t.equal(await menu(server, tokens[1]), 200)
    }
  })

  t.test('a logout takes whatever body a client sends', async t => {
    const { servers } = await fleet(t, 1, await RedisServer.start(t))
    for (const [type, body] of [
      ['application/json', ''],
      ['application/json', '{'],
      ['application/json', '{"fields":{}}'],
      ['text/plain', 'x'],
      ['application/x-www-form-urlencoded', 'a=b'],
      [';;;', 'x']
    ] as const) {
      const { token } = await logIn(servers[0])
      const answer = await logOut(servers[0], token, { body, headers: { 'content-type': type } })
      t.equal(answer.status, 204, `${type} ${body}`)
      t.equal(await menu(servers[0], token), 401)
    }
  })

  t.test('the list of users leads to a Card that signs a user out everywhere', async t => {
    const redis = await RedisServer.start(t)
    const { environment, servers } = await fleet(t, 2, redis)
    await end(start('users', environment, ['add', 'Ada & Søn']), 'a-password')
    const [one, two] = servers
    const ada = { username: 'Ada & Søn', password: 'a-password' }
    const adas = [(await logIn(one, ada)).token, (await logIn(two, ada)).token]
    const { token } = await logIn(one)

    const { rows } = (await (await get(one, '/screen/users', token)).json()) as Json
    const { url } = rows.find(({ username }: Json) => username === ada.username).action
    const card = (await (await get(one, url, token)).json()) as Json
    t.match(card, { layout: 'Card', save_label: 'Sign out everywhere' })
    t.equal(card.sections[0].fields[0].value, ada.username)
    const saved = await post(one, card.save_action, {}, bearer(token))
    t.strictSame(saved, { status: 200, success: true, message: 'Ada & Søn is signed out everywhere.' })
    for (const server of servers) {
      for (const ended of adas) t.equal(await menu(server, ended), 401)
      t.equal(await menu(server, token), 200)
    }
    t.equal(await menu(two, (await logIn(one, ada)).token), 200)

    const nobody = '/screen/users/sign-out?username=nobody'
    t.equal((await get(one, nobody, token)).status, 404)
    t.equal((await post(one, nobody, {}, bearer(token))).status, 404)
    t.equal((await get(one, '/screen/users/sign-out', token)).status, 400)
    t.equal((await get(one, url)).status, 401)
  })

  t.test('whoever changes the password is signed out everywhere', async t => {
    const { servers } = await fleet(t, 1, await RedisServer.start(t))
    const [server] = servers
    const tokens = [(await logIn(server)).token, (await logIn(server)).token]
    const wrong = { ...NEW_PASSWORD, current_password: 'wrong' }
    t.match(await post(server, '/screen/password', wrong, bearer(tokens[0])), { success: false })
    t.equal(await menu(server, tokens[1]), 200)
    t.match(await post(server, '/screen/password', NEW_PASSWORD, bearer(tokens[0])), {
      success: true,
      message: /log in again/
    })
    for (const token of tokens) t.equal(await menu(server, token), 401)
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

  t.test('SVC_TOKEN_LIFETIME is how long a session lasts, and Redis forgets it then', async t => {
    const redis = await RedisServer.start(t)
    const { servers } = await fleet(t, 1, redis, { SVC_TOKEN_LIFETIME: '1' })
    const { token } = await logIn(servers[0])
    t.equal(await menu(servers[0], token), 200)
    await sleep(1_100)
    t.equal(await menu(servers[0], token), 401)
    const client = await createClient({ url: redis.url }).connect()
    t.strictSame(await client.keys('*session*'), [])
    client.destroy()
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
      t.equal(keys.length, 7)
      t.notMatch(keys.join(), /demo/)
      const everything = JSON.stringify([keys, await client.mGet(keys)])
      for (const secret of [token, DEMO.password, 'a wrong password']) t.notOk(everything.includes(secret))
      client.destroy()
      t.notOk(servers[0].output.stdout.includes(token))
    }
  )

  t.test('failed logins on one server block on all', async t => {
    const { servers } = await fleet(t, 2, await RedisServer.start(t))
    for (let i = 0; i < 10; i++) await logIn(servers[i % 2] as Server, WRONG)
    for (const server of servers)
      t.match(await logIn(server), { status: 200, success: false, error: /Too many tries/ })
  })

  t.test('guesses at once over four servers are looked at as often as one after the other', async t => {
    const { servers } = await fleet(t, 4, await RedisServer.start(t))
    const guesses = await Promise.all(
      Array.from({ length: 100 }, (_, i) => logIn(servers[i % 4] as Server, WRONG))
    )
    const count = (error: RegExp) => guesses.filter(guess => error.test(guess.error)).length
    t.equal(count(/^Wrong/), 10)
    t.equal(count(/^Too many tries/), 90)
  })

  t.test(
    'while Redis is down guarded requests are 503, logins answer, and all is well when it is back',
    async t => {
      const redis = await RedisServer.start(t)
      const { servers } = await fleet(t, 1, redis)
      const [server] = servers
      const { token } = await logIn(server)
      const outages = {
        'it crashed': [() => redis.stop('SIGKILL'), () => redis.start()],
        'it was stopped': [() => redis.stop('SIGTERM'), () => redis.start()],
        'it does not answer': [() => redis.freeze(), () => redis.thaw()]
      } as const
      for (const [name, [leave, comeBack]] of Object.entries(outages)) {
        await leave()
        for (const sent of [token, 'A'.repeat(43)]) {
          const begin = performance.now()
          const answer = await get(server, '/menu/main', sent)
          t.equal(answer.status, 503, name)
          t.match(answer.headers.get('retry-after'), /^\d+$/)
          t.ok(performance.now() - begin < LIMIT)
        }
        t.equal((await logOut(server, token)).status, 503)
        t.equal((await get(server, '/menu/main')).status, 401, 'no token is no token')
        t.equal((await get(server, '/auth/login')).status, 200)
        t.match(await logIn(server), { success: false, token: null, error: /try again later/, screen: null })
        await comeBack()
        t.ok(await waitFor(200, server, token), name)
        t.ok((await logIn(server)).success)
      }
      const said = [...server.output.stdout.matchAll(/Redis is (down|back)/g)].map(([, what]) => what)
      t.strictSame(said, ['down', 'back', 'down', 'back', 'down', 'back'])
    }
  )

  t.test('while Redis does not count failed logins, the memory of each server does', async t => {
    for (const [name, outage] of Object.entries<(redis: RedisServer) => unknown>({
      'it is down': redis => redis.stop(),
      'it is full': redis => ask(redis, ['CONFIG', 'SET', 'maxmemory', '1']),
      'it is a replica': redis => ask(redis, ['REPLICAOF', '127.0.0.1', '1']),
      'it cannot save': redis => ask(redis, ['CONFIG', 'SET', 'min-replicas-to-write', '1'])
    })) {
      const redis = await RedisServer.start(t)
      const { servers } = await fleet(t, 1, redis)
      const [server] = servers
      const { token } = await logIn(server)
      for (let i = 0; i < 4; i++) await logIn(server, WRONG)
      await outage(redis)
      for (let i = 0; i < 10; i++) t.match(await logIn(server, WRONG), { status: 200, success: false })
      t.match(await logIn(server, WRONG), { status: 200, error: /Too many tries/ }, name)
      t.match(await logIn(server), { status: 200, error: /Too many tries/ }, name)
      t.not(await menu(server, token), 401, name)
    }
  })

  t.test('while Redis does not answer, a failed login is answered and counted all the same', async t => {
    const redis = await RedisServer.start(t)
    const { servers } = await fleet(t, 1, redis)
    redis.freeze()
    const begin = performance.now()
    t.match(await logIn(servers[0], WRONG), { status: 200, error: /Wrong username/ })
    t.ok(performance.now() - begin < 10_000)
    for (let i = 0; i < 9; i++) await logIn(servers[0], WRONG)
    t.match(await logIn(servers[0]), { status: 200, error: /Too many tries/ })
  })

  t.test('a password that was changed while sessions could not be ended says so', async t => {
    const redis = await RedisServer.start(t)
    const { servers } = await fleet(t, 1, redis)
    const { token } = await logIn(servers[0])
    await ask(redis, ['CONFIG', 'SET', 'maxmemory', '1'])
    t.match(await post(servers[0], '/screen/password', NEW_PASSWORD, bearer(token)), {
      status: 200,
      success: true,
      message: 'Your password was changed. But elsewhere you may still be logged in: please'
    })
    t.equal(await menu(servers[0], token), 200)
  })

  t.test('the server starts while Redis is down, and works as soon as it is there', async t => {
    const redis = await RedisServer.start(t)
    const { environment, servers } = await fleet(t, 1, redis)
    const { token } = await logIn(servers[0])
    await redis.stop()
    const late = await startServer(t, environment)
    t.match(late.output.stdout, /Redis is down \(ECONNREFUSED\)/)
    t.equal(await menu(late, token), 503)
    await redis.start()
    t.ok(await waitFor(200, late, token))
    t.match(late.output.stdout, /Redis is back/)

    redis.freeze()
    const later = await startServer(t, environment)
    t.equal(await menu(later, token), 503)
    redis.thaw()
    t.ok(await waitFor(200, later, token))
  })

  t.test('what Redis refuses after the start is waited for', async t => {
    const redis = await RedisServer.start(t)
    const { environment, servers } = await fleet(t, 1, redis)
    const { token } = await logIn(servers[0])
    await redis.stop()
    const late = await startServer(t, environment)
    await redis.start('--requirepass', 'secret')
    await sleep(1_500)
    for (const server of [servers[0], late]) t.equal(await menu(server, token), 503)
    t.notMatch(late.output.stdout, /Redis is back/)
    await redis.stop()
    await redis.start()
    for (const server of [servers[0], late]) t.ok(await waitFor(200, server, token))
  })

  t.test('a connection that died without a word is given up for a new one', async t => {
    const redis = await RedisServer.start(t)
    const wire = await Wire.lay(t, redis.port)
    const { servers } = await fleet(t, 1, redis, { SVC_REDIS_URL: `redis://127.0.0.1:${wire.port}` })
    const { token } = await logIn(servers[0])
    t.equal(await menu(servers[0], token), 200)
    wire.goSilent()
    t.equal(await menu(servers[0], token), 503)
    t.ok(await waitFor(200, servers[0], token), 'over a new connection')
    t.equal(wire.silenced, 1)
  })

  t.test('what Redis refuses ends the start with exit code 1 and one line, without the password', async t => {
    const redis = await RedisServer.start(t, '--requirepass', 'the right password')
    const { port } = redis
    const right = `redis://:${encodeURIComponent('the right password')}@127.0.0.1:${port}`
    for (const [url, reason] of [
      [`redis://127.0.0.1:${port}`, 'NOAUTH'],
      [`redis://:hunter2@127.0.0.1:${port}`, 'WRONGPASS'],
      [`redis://eve:hunter2@127.0.0.1:${port}/0`, 'WRONGPASS'],
      [`${right}/99`, 'ERR']
    ] as const) {
      const { code, stdout, stderr } = await end(start('main', { ...freshDatabase(t), SVC_REDIS_URL: url }))
      t.equal(code, 1, reason)
      t.match(
        stderr,
        new RegExp(`^SVC_REDIS_URL: cannot use 127.0.0.1:${port} \\(${reason}\\); set it to .*\\n$`)
      )
      t.notMatch(stdout + stderr, /hunter2|right|listening/)
    }
    const server = await startServer(t, { SVC_REDIS_URL: `${right}/3` })
    t.equal(await menu(server, (await logIn(server)).token), 200)
    t.notMatch(server.output.stdout, /right/)
  })

  t.test('it closes cleanly, with Redis and without', async t => {
    const redis = await RedisServer.start(t)
    const { servers } = await fleet(t, 2, redis)
    t.strictSame(await servers[0].stop('SIGTERM'), { code: 0 })
    await redis.stop()
    t.strictSame(await servers[1].stop('SIGTERM'), { code: 0 })
  })
}

/** A wire to Redis of which the present connections can be made silent: nothing comes through, and nobody hangs up. */
class Wire {
  readonly port: number
  silenced = 0
  readonly #server: NetServer
  readonly #ends: Socket[] = []

  private constructor(port: number, target: number) {
    this.port = port
    this.#server = createServer(near => {
      const far = dial(target, '127.0.0.1')
      near.pipe(far).on('error', () => {})
      far.pipe(near).on('error', () => {})
      this.#ends.push(near, far)
    }).listen(port, '127.0.0.1')
  }

  static async lay(t: Test, target: number): Promise<Wire> {
    const wire = new Wire(await freePort(), target)
    t.teardown(() => {
      wire.#server.close()
      for (const end of wire.#ends) end.destroy()
    })
    return wire
  }

  goSilent(): void {
    this.silenced = this.#ends.length / 2
    for (const end of this.#ends) end.unpipe().pause()
  }
}
