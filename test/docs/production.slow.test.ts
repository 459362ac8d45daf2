import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from 'redis'
import t, { type Test } from 'tap'
import { until } from '../helpers.ts'
import { needs } from '../needs.ts'
import { freePort, RedisServer } from '../redis-server.ts'
import { inline, nginx, PROGRAM, startProgram } from './nginx.ts'
import { readPage } from './page.ts'
import { Program, temporaryFolder } from './program.ts'
import { BLOCKED, each, gets, login, REJECTED, times, Visitor } from './table.ts'

const { samples, code: inlineCode } = readPage('docs/operations.md')

/** Starts two servers on one Redis, behind one nginx. */
async function startFleet(t: Test, redis: RedisServer, env = {}, code = PROGRAM) {
  const ports = [await freePort(), await freePort()] as const
  const start = async (port: number, env: object) => {
    const server = startProgram(t, redis, { code, env: { PORT: `${port}`, ...env } })
    const { take } = await Visitor.visit(t, await server.listening(port))
    await take(['GET /healthz', { eventually: true }, 200, { status: 'ok' }])
    return server
  }
  const servers = [await start(ports[0], env), await start(ports[1], env)] as const
  const upstream = inline('upstream screens')
    .replace('10.0.0.1:3000', `127.0.0.1:${ports[0]}`)
    .replace('10.0.0.2:3000', `127.0.0.1:${ports[1]}`)
  const { url } = await nginx(t, 'http://screens', code => upstream + code)
  /** Replaces one server after the other. */
  const restart = async (env = {}) => {
    for (const [i, server] of servers.entries()) {
      t.equal(await server.stop('SIGTERM'), 0)
      await start(ports[i] as number, env)
    }
  }
  return { servers, restart, visitor: await Visitor.visit(t, url) }
}

if (['nginx', 'redis-server'].map(name => needs(t, name)).every(path => path !== undefined)) {
  t.test('a logout ends the session on both servers', async t => {
    const { visitor } = await startFleet(t, await RedisServer.start(t))
    await visitor.take(
      ['GET /menu/main', {}, 401],
      ...times(4, ['GET /screen/order/7', { as: 'ada' }, 200, { title: 'Order 7' }]),
      ['POST /auth/logout', { as: 'ada' }, 204],
      ...times(4, ['GET /screen/order/7', { as: 'ada' }, 401])
    )
  })

  t.test('a rolling restart to a new password of Redis fails no request, and ends no session', async t => {
    const redis = await RedisServer.start(t)
    const url = (password: string) => redis.url.replace('//', `//:${password}@`)
    const ask = async (password: string, command: string) => {
      const client = createClient({ url: url(password), socket: { reconnectStrategy: false } })
      await client.on('error', () => {}).connect()
      await client.sendCommand(command.split(' ')).finally(() => client.destroy())
    }
    const step = (start: string) => `${inlineCode.find(code => code.startsWith(start))}`
    await ask('', 'CONFIG SET requirepass OLD')
    const { servers, restart, visitor } = await startFleet(t, redis, { REDIS_URL: url('OLD') })
    const { send, take, tokenOf } = visitor
    await tokenOf('ada')
    const statuses: unknown[] = []
    let isDone = false
    t.teardown(() => {
      isDone = true
    })
    const load = each([1, 2, 3], async () => {
      while (!isDone) statuses.push((await send('GET /menu/main', { as: 'ada' })).status)
    })
    await ask('OLD', step('ACL SETUSER default >'))
    await restart({ REDIS_URL: url('NEW') })
    await ask('NEW', step('ACL SETUSER default <'))
    await ask('NEW', step('CONFIG REWRITE'))
    isDone = true
    await Promise.all(load)
    t.strictSame([...new Set(statuses)], [200])
    await redis.stop()
    await redis.start()
    await take(['GET /menu/main', { as: 'ada', eventually: true }, 200])
    await t.rejects(ask('OLD', 'PING'), /WRONGPASS/)
    for (const { output } of servers) t.notMatch(output, /OLD|NEW/)
  })

  t.test('after SIGTERM, an open request still gets its response', async t => {
    const slow = `app.get('/screen/slow', async request => {
      console.log('the request is open')
      await once(process, 'SIGTERM')
      await sleep(100)
      return { layout: 'Card', title: (await app.screenAuth.verifyToken(bearerToken(request))).username }
    })`
    const server = startProgram(t, await RedisServer.start(t), {
      code: PROGRAM.replace('await metrics.listen', `${slow}\n$&`)
    })
    const { url } = await nginx(t, await server.listening())
    const { send } = await Visitor.visit(t, url)
    const response = send('GET /screen/slow', { as: 'ada' })
    await until(() => /the request is open/.test(server.output))
    t.equal(await server.stop('SIGTERM'), 0)
    t.match(await response, { status: 200, body: { title: 'ada' } })
  })

  t.test('the script unlocks a user on the running servers', async t => {
    const redis = await RedisServer.start(t, '--requirepass', 'right')
    const env = (password: string) => ({ REDIS_URL: redis.url.replace('//', `//:${password}@`), REDIS_PREFIX: 'shop:' })
    const file = join(temporaryFolder(t), 'unlock.mjs')
    writeFileSync(file, `${samples.find(({ language }) => language === 'js')?.code}`)
    const unlock = (password: string) => new Program(t, [process.execPath, file, 'ada'], env(password))
    const { take } = await Visitor.visit(t, startProgram(t, redis, { env: env('right') }))
    await take(...times(10, login({ password: 'wrong' }, REJECTED)), login({}, BLOCKED))
    const refused = unlock('hunter2')
    t.equal(await refused.end(), 1)
    t.match(refused.output, /WRONGPASS/)
    t.notMatch(refused.output, /hunter2/)
    const done = unlock('right')
    t.equal(await done.end(), 0)
    t.equal(done.output, 'Unlocked ada\n')
    await take(login({}, { success: true }))
  })

  t.test('every response under pressure is a 503, so that clients keep their token', async t => {
    const failure = { success: false, token: null, error: String, screen: null }
    await Visitor.visit(
      t,
      startProgram(t, await RedisServer.start(t), { env: { MAX_RSS_BYTES: '1' } }),
      // The plugin first checks the memory after a second, so this login succeeds.
      ['POST /auth/login', { fields: {}, keep: 'ada' }, 200],
      ['GET /healthz', { eventually: true }, 503],
      ...gets('/healthz /menu/main /unknown', { as: 'ada' }, 503, {}, { 'retry-after': '10' }),
      login({}, failure, 503)
    )
  })

  t.test('the metrics count requests, logins and refusals, on a port of their own', async t => {
    const server = startProgram(t, await RedisServer.start(t))
    await Visitor.visit(
      t,
      server,
      ...each([1, 2, 3], id => [`GET /screen/order/${id}`, { as: 'ada' }, 200]),
      ['GET /invented?secret=1', {}, 401],
      ['GET /metrics', { as: 'ada' }, 404],
      ['GET /metrics', { token: 'garbage' }, 401],
      ...times(10, login({ username: 'bob' }, REJECTED)),
      login({ username: 'bob' }, BLOCKED),
      ['POST /auth/login', { text: 'no JSON' }, 415]
    )
    const { send } = await Visitor.visit(t, await server.listening(9464))
    const { body: exported } = await send('GET /metrics')
    for (const line of [
      'http_request_duration_seconds_count{method="GET",route="/screen/order/:id",status="200"} 3',
      'http_request_duration_seconds_count{method="GET",route="unknown",status="401"} 2',
      ...['accepted"} 1', 'rejected"} 10', 'blocked"} 1', 'malformed"} 1', 'failed"} 0'].map(
        value => `logins_total{outcome="${value}`
      ),
      ...['missing"} 1', 'invalid"} 1', 'unavailable"} 0'].map(value => `refusals_total{reason="${value}`)
    ])
      t.match(exported, line)
    t.notMatch(exported, /invented|secret/)

    // The alert rules use only names and labels that are exported.
    const [rules] = samples.filter(({ language }) => language === 'yaml')
    const selectors = [...`${rules?.code}`.matchAll(/\b([a-z_]+)(?:{(.*?)})?(?:\[\d+m\]| ==)/g)]
    t.ok(selectors.length > 4)
    for (const [, name, labels = ''] of selectors) {
      t.match(exported, RegExp(`^${name}[{ ]`, 'm'))
      // The metrics of a working server have no failure statuses, so any status is accepted.
      for (const [, label, , values = ''] of labels.matchAll(/(\w+)(=~?)"(.*?)"/g))
        for (const value of label === 'status' ? ['\\d+'] : values.split('|'))
          t.match(exported, RegExp(`^${name}{.*\\b${label}="${value}"`, 'm'))
    }
  })
}
