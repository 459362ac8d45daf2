// All servers count failed logins together in Redis, and each server counts on its own during an outage.

import t from 'tap'
import { needs } from '../../needs.ts'
import type { RedisServer } from '../../redis-server.ts'
import { DEMO, menu, post, type Server } from '../process.ts'
import { ask, fleet, logIn, WRONG } from './fleet.ts'

/** Behind a proxy, the server creates the demo user only if SVC_DEMO_USER is true. */
const PROXY = { SVC_TRUST_PROXY: '127.0.0.1', SVC_DEMO_USER: 'true' }

/** Logs in through a proxy that names the address of the client. */
const logInFrom = (address: string, server: Server, fields: object = DEMO) =>
  post(server, '/auth/login', fields, { 'x-forwarded-for': address })

/** Outages that keep Redis from counting. They last until the test ends, so no response can wait for their end. */
const OUTAGES: Record<string, (redis: RedisServer) => unknown> = {
  'is down': redis => redis.stop(),
  'is full': redis => ask(redis, ['CONFIG', 'SET', 'maxmemory', '1']),
  'is a replica': redis => ask(redis, ['REPLICAOF', '127.0.0.1', '1']),
  'cannot save': redis => ask(redis, ['CONFIG', 'SET', 'min-replicas-to-write', '1']),
  'is silent': redis => redis.freeze()
}

if (needs(t, 'redis-server')) {
  t.test('parallel guesses over four servers get no more checks than sequential ones', async t => {
    const { servers } = await fleet(t, 4)
    const guesses = await Promise.all(Array.from({ length: 100 }, (_, i) => logIn(servers[i % 4] as Server, WRONG)))
    const count = (error: RegExp) => guesses.filter(guess => error.test(guess.error)).length
    t.equal(count(/^Wrong/), 10)
    t.equal(count(/^Too many attempts/), 90)
  })

  for (const [name, outage] of Object.entries(OUTAGES)) {
    t.test(`each server counts failed logins in its memory while Redis ${name}`, async t => {
      const { servers, redis } = await fleet(t, 1)
      const [server] = servers
      const { token } = await logIn(server)
      for (let i = 0; i < 4; i++) await logIn(server, WRONG)
      await outage(redis)
      for (let i = 0; i < 10; i++) t.match(await logIn(server, WRONG), { status: 200, success: false })
      t.match(await logIn(server, WRONG), { status: 200, error: /Too many attempts/ })
      t.match(await logIn(server), { status: 200, error: /Too many attempts/ })
      t.not(await menu(server, token), 401)
    })
  }

  t.test('npm run users unlocks a user on every server and for every address', async t => {
    const { servers, users } = await fleet(t, 2, PROXY)
    const addresses = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '2001:db8::5']
    for (let i = 0; i < 50; i++) await logInFrom(addresses[i % 5] as string, servers[i % 2] as Server, WRONG)
    for (const server of servers)
      for (const address of [...addresses, '192.0.2.6'])
        t.match(await logInFrom(address, server), { success: false, error: /Too many attempts/ }, address)

    const unlocked = await users(['unlock', 'demo'])
    t.strictSame(unlocked, { code: 0, stdout: 'Deleted the failed logins of demo.\n', stderr: '' })
    for (const server of servers)
      for (const address of [...addresses, '192.0.2.6'])
        t.match(await logInFrom(address, server), { success: true }, address)
  })

  t.test('npm run users unlocks an address only if it is given', async t => {
    const { servers, users } = await fleet(t, 1, PROXY)
    const [server] = servers
    for (let i = 0; i < 100; i++) await logInFrom('2001:db8::1', server, { username: `user-${i}`, password: 'wrong' })
    t.match(await users(['unlock', 'demo']), { code: 0 })
    t.match(await logInFrom('2001:db8::1', server), { success: false, error: /Too many attempts/ })
    t.match(await users(['unlock', 'demo', '--address', '2001:db8:0:77::2']), { code: 0 })
    t.match(await logInFrom('2001:db8::1', server), { success: true })
  })

  for (const [command, next, password] of [
    ['sign-out', null, DEMO.password],
    ['passwd', null, 'another-password'],
    ['remove', ['add', 'demo'], 'another-password']
  ] as const) {
    t.test(`npm run users -- ${command} removes the known networks of the user on every server`, async t => {
      const { servers, users } = await fleet(t, 2, PROXY)
      const [one, two] = servers
      await logInFrom('192.0.2.9', one)
      for (let i = 0; i < 50; i++) await logInFrom(`192.0.2.${i % 5}`, two, WRONG)
      t.match(await logInFrom('192.0.2.9', one), { success: true }, 'strangers do not block a known network')
      t.match(await users([command, 'demo'], password), { code: 0, stdout: /demo is signed out everywhere/ })
      if (next !== null) t.match(await users(next, password), { code: 0 })
      for (const server of servers)
        t.match(await logInFrom('192.0.2.9', server, { ...DEMO, password }), {
          success: false,
          error: /Too many attempts/
        })
    })
  }

  for (const name of ['is down', 'is full', 'is silent'] as const) {
    t.test(`npm run users reports that it cannot unlock or sign out a user while Redis ${name}`, async t => {
      const { users, redis } = await fleet(t, 1)
      await OUTAGES[name]?.(redis)
      t.match(await users(['unlock', 'demo', '--address', '192.0.2.1']), {
        code: 1,
        stdout: '',
        stderr: /^Redis is down, so the failed logins of demo still count; repeat this command when Redis is back\n$/
      })
      t.match(await users(['sign-out', 'demo']), {
        code: 1,
        stdout: '',
        stderr: /^Redis is down, so the sessions of demo stay valid; .* npm run users -- sign-out demo\n$/
      })
    })
  }
}
