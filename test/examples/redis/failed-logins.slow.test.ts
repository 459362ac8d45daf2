// Failed logins, which all servers count together, and each for itself while Redis does not count.

import t from 'tap'
import { needs } from '../../needs.ts'
import { RedisServer } from '../../redis-server.ts'
import type { Server } from '../process.ts'
import { ask, fleet, logIn, menu, WRONG } from './fleet.ts'

if (needs(t, 'redis-server')) {
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

  for (const [name, outage] of Object.entries<(redis: RedisServer) => unknown>({
    'is down': redis => redis.stop(),
    'is full': redis => ask(redis, ['CONFIG', 'SET', 'maxmemory', '1']),
    'is a replica': redis => ask(redis, ['REPLICAOF', '127.0.0.1', '1']),
    'cannot save': redis => ask(redis, ['CONFIG', 'SET', 'min-replicas-to-write', '1'])
  })) {
    t.test(`while Redis ${name}, failed logins are counted in the memory of each server`, async t => {
      const redis = await RedisServer.start(t)
      const { servers } = await fleet(t, 1, redis)
      const [server] = servers
      const { token } = await logIn(server)
      for (let i = 0; i < 4; i++) await logIn(server, WRONG)
      await outage(redis)
      for (let i = 0; i < 10; i++) t.match(await logIn(server, WRONG), { status: 200, success: false })
      t.match(await logIn(server, WRONG), { status: 200, error: /Too many tries/ })
      t.match(await logIn(server), { status: 200, error: /Too many tries/ })
      t.not(await menu(server, token), 401)
    })
  }

  // That Redis stays silent until the end of the test shows that no response waits for it.
  t.test('while Redis is silent, a failed login gets its response and is counted all the same', async t => {
    const redis = await RedisServer.start(t)
    const { servers } = await fleet(t, 1, redis)
    redis.freeze()
    for (let i = 0; i < 10; i++)
      t.match(await logIn(servers[0], WRONG), { status: 200, error: /Wrong username/ })
    t.match(await logIn(servers[0]), { status: 200, error: /Too many tries/ })
  })
}
