// What SVC_REDIS_URL may say, in real processes. What is no Redis URL at all is in server/settings.test.ts.

import t from 'tap'
import { needs } from '../../needs.ts'
import { RedisServer } from '../../redis-server.ts'
import { end, freshDatabase, start, startServer } from '../process.ts'
import { ask, fleet, logIn, menu, until, untilMenu } from './fleet.ts'

t.test('a wrong SVC_REDIS_URL ends the server with exit code 1 and one line', async t => {
  for (const SVC_REDIS_URL of [
    'redis',
    'redis://127.0.0.1/x',
    'redis://:%@127.0.0.1',
    'redis://me:12/hunter2@127.0.0.1',
    'redis://:p@hunter2/2@127.0.0.1'
  ]) {
    const { code, stdout, stderr } = await end(start('main', { ...freshDatabase(t), SVC_REDIS_URL }))
    t.equal(code, 1, SVC_REDIS_URL)
    t.match(stderr, /^SVC_REDIS_URL(?!.*hunter2).*redis:\/\/.*\n$/)
    t.notMatch(stdout, /listening/)
  }
})

if (needs(t, 'redis-server')) {
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

  t.test('a Redis that cannot report changes ends the start with exit code 1 and one line', async t => {
    const acl = ['--user', 'eve', 'on', '>hunter2', '~*', '+@all']
    const old = await RedisServer.start(t, '--rename-command', 'HELLO', '')
    const strict = await RedisServer.start(t, ...acl, '-client|tracking')
    for (const url of [old.url, `redis://eve:hunter2@127.0.0.1:${strict.port}`]) {
      const { code, stdout, stderr } = await end(start('main', { ...freshDatabase(t), SVC_REDIS_URL: url }))
      t.equal(code, 1)
      t.match(
        stderr,
        /^SVC_REDIS_URL: 127\.0\.0\.1:\d+ does not report changes .*Redis 6.*client\|tracking\n$/
      )
      t.notMatch(stdout + stderr, /hunter2|listening/)
    }
  })

  t.test('SVC_TOKEN_LIFETIME is how long a session lasts', async t => {
    const redis = await RedisServer.start(t)
    const env = { SVC_TOKEN_LIFETIME: '900' }
    const { servers } = await fleet(t, 1, redis, env)
    const { token } = await logIn(servers[0])
    t.equal(await menu(servers[0], token), 200)
    const keys = (await ask(redis, ['KEYS', '*session*'])) as string[]
    t.equal(keys.length, 1)
    const left = await ask(redis, ['PTTL', keys[0] as string])
    t.ok(Number(left) > 0 && Number(left) <= 900_000, `${left} ms are left`)
  })

  t.test('when a session has expired, its token is refused and Redis forgets it', async t => {
    const redis = await RedisServer.start(t)
    const { servers } = await fleet(t, 1, redis, { SVC_TOKEN_LIFETIME: '1' })
    const { success, token } = await logIn(servers[0])
    t.equal(success, true)
    await untilMenu(401, servers[0], token)
    await until(async () => ((await ask(redis, ['KEYS', '*session*'])) as string[]).length === 0)
    t.equal(await menu(servers[0], token), 401)
  })
}
