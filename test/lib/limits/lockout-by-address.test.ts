import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { collectLog } from '../../helpers.ts'
import { attempt, countingHost, RIGHT, repeat } from './attempts.ts'
import { stopClock } from './clock.ts'

const throttle = { address: { failures: 1, seconds: 60 } }

t.test('a hundred failures from one address block it for an hour, whatever the usernames', async t => {
  stopClock(t)
  const { app, checks } = await countingHost(t)
  await repeat(100, i => attempt(app, { username: `user-${i}` }))
  const another = { ...RIGHT, username: 'somebody-else' }
  t.match(await attempt(app, another), { isBlocked: true, retryAfter: 3600 })
  t.equal(checks(), 100)
  t.equal((await attempt(app, { ...RIGHT, address: '192.0.2.2' })).success, true)
})

for (const [one, other, isSame] of [
  ['2001:db8:0:1::1', '2001:db8:0:ff:ffff::2', true],
  ['2001:db8:0:1::1', '2001:db8:0:100::1', false],
  ['2001:db8:1::1', '2001:db8:2::1', false],
  ['fe80::1%eth0', 'fe80::2', true],
  ['192.0.2.1', '::ffff:192.0.2.1', true],
  ['192.0.2.1', '192.0.2.1:4711', true],
  ['192.0.2.1:80', '192.0.2.2:80', false],
  ['2001:db8::1', '[2001:db8::1]', true],
  ['[2001:db8::1]:443', '[2001:db9::1]:443', false],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
  ['2001:db8:0:100::1', '200:1db8:0:100::1', false],
  // Not quite an address with a port, and an address if one took the port for granted.
  ['2001:[db8::1]', 'unknown', true],
  ['[2001:db8::1]:0:0', 'unknown', true],
  ['::ffff:192.0.2.1:80', 'unknown', true],
  ['192.0.2:80.1', 'unknown', true],
  ['unknown', 'what a proxy may write', true]
] as const)
  t.test(`${one} and ${other} count as ${isSame ? 'one address' : 'two addresses'}`, async t => {
    const { app } = await countingHost(t, { throttle })
    await attempt(app, { username: 'x', address: one })
    t.equal((await attempt(app, { username: 'y', address: other })).isBlocked, isSame)
  })

for (const trustProxy of [true, false])
  t.test(`behind a proxy the address is the one that trustProxy believes: ${trustProxy}`, async t => {
    const { app } = await countingHost(t, { throttle }, { trustProxy })
    const from = (address: string) =>
      app.inject({
        method: 'POST',
        url: '/auth/login',
        headers: { 'x-forwarded-for': address },
        payload: { fields: { username: address, password: 'wrong' } }
      })
    await from('192.0.2.1')
    t.equal('retry-after' in (await from('192.0.2.1')).headers, true)
    t.equal('retry-after' in (await from('192.0.2.2')).headers, !trustProxy)
  })

t.test('over a Unix socket, which has no addresses, all clients count as one', async t => {
  const { app } = await countingHost(t, { throttle })
  const folder = mkdtempSync(join(tmpdir(), 'screen-auth-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  await app.listen({ path: join(folder, 'socket') })
  const tryOnce = async () => {
    const post = request({
      socketPath: join(folder, 'socket'),
      method: 'POST',
      path: '/auth/login',
      headers: { 'content-type': 'application/json' }
    })
    post.end('{"fields":{"username":"x","password":"y"}}')
    const [answer] = (await once(post, 'response')) as [IncomingMessage]
    answer.resume()
    return [answer.statusCode, 'retry-after' in answer.headers]
  }
  t.strictSame(await tryOnce(), [200, false])
  t.strictSame(await tryOnce(), [200, true])
})

const forwarded = { 'x-forwarded-for': '192.0.2.1' }
const proxies: [string, object, object, string[]][] = [
  ['is warned of once', forwarded, {}, ['127.0.0.1']],
  ['is warned of once where another is trusted', forwarded, { trustProxy: '10.0.0.1' }, ['127.0.0.1']],
  ['is not warned of where it is trusted', forwarded, { trustProxy: true }, []],
  ['is not warned of where there is none', {}, {}, []]
]
for (const [outcome, headers, serverOptions, expected] of proxies)
  t.test(`a login that is blocked for the address of a proxy ${outcome}`, async t => {
    const log = collectLog()
    const { app } = await countingHost(t, { throttle }, { ...log, ...serverOptions })
    const payload = { fields: { username: 'x', password: 'y' } }
    await repeat(3, () =>
      app.inject({ method: 'POST', url: '/auth/login', headers: { ...headers }, payload })
    )
    const warnings = log.lines.filter(({ level }) => level === 40)
    t.strictSame(
      warnings.map(({ msg, address }) => (/set `trustProxy`/.test(String(msg)) ? address : msg)),
      expected
    )
  })
