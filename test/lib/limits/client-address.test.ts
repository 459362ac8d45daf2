import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { turns } from '../../clock.ts'
import { collectLog, listen, portOf } from '../../helpers.ts'
import { talk } from '../../hosts/closed.ts'
import { attempt, countingHost, loginOf, repeat, together } from './attempts.ts'

const throttle = { address: { failures: 1, seconds: 60 } }

for (const [one, other, isSame] of [
  ['2001:db8:0:1::1', '2001:db8:0:ff:ffff::2', true],
  ['2001:db8:0:1::1', '2001:db8:0:100::1', false],
  ['2001:db8:1::1', '2001:db8:2::1', false],
  ['fe80::1%eth0', 'fe80::2%eth0', false],
  ['[febf::1%eth0]:80', 'febf::1', true],
  ['192.0.2.1', '::ffff:192.0.2.1', true],
  ['192.0.2.1', '192.0.2.1:4711', true],
  ['192.0.2.1:80', '192.0.2.2:80', false],
  ['2001:db8::1', '[2001:db8::1]', true],
  ['[2001:db8::1]:443', '[2001:db9::1]:443', false],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
  ['2001:db8:0:100::1', '200:1db8:0:100::1', false],
  ['192.0.2.1', '64:ff9b::192.0.2.1', true],
  ['64:ff9b::192.0.2.1', '64:ff9b::192.0.2.2', false],
  ['64:ff9b:1::192.0.2.1', '64:ff9b:1::192.0.2.2', true],
  // Invalid, but a parser that only cuts a port off would accept the rest as an address.
  ['2001:[db8::1]', 'unknown', true],
  ['[2001:db8::1]:0:0', 'unknown', true],
  ['::ffff:192.0.2.1:80', 'unknown', true],
  ['192.0.2:80.1', 'unknown', true],
  ['unknown', 'no address', true]
] as const)
  t.test(`${one} and ${other} count as ${isSame ? 'one address' : 'two addresses'}`, async t => {
    const { app } = await countingHost(t, { throttle })
    await attempt(app, { username: 'x', address: one })
    t.equal((await attempt(app, { username: 'y', address: other })).isBlocked, isSame)
  })

const payload = { fields: { username: 'x', password: 'wrong' } }

/** Posts a login that a proxy has forwarded. */
const forward = (app: Parameters<typeof attempt>[0], headers: object) =>
  app.inject({ method: 'POST', url: '/auth/login', headers: { ...headers }, payload })

const via = (addresses: string) => ({ 'x-forwarded-for': addresses })
const forwarded = via('192.0.2.1')
for (const [outcome, headers, serverOptions, expected] of [
  ['logs one warning', forwarded, {}, ['127.0.0.1']],
  ['logs one warning if another proxy is trusted', forwarded, { trustProxy: '10.0.0.1' }, ['127.0.0.1']],
  ['logs no warning if the proxy is trusted', forwarded, { trustProxy: true }, []],
  ["logs no warning if the client runs on the proxy's machine", via('127.0.0.1'), { trustProxy: '127.0.0.1' }, []],
  ['logs no warning if an adapter passes the address of the client', via('6.6.6.6, 127.0.0.1'), {}, []],
  ['logs no warning without a forwarded address', {}, {}, []]
] as const)
  t.test(`a login that the address of a proxy blocks ${outcome}`, async t => {
    const log = collectLog()
    const { app } = await countingHost(t, { throttle }, { ...log, ...serverOptions })
    const warnings = () => log.lines.filter(({ level }) => level === 40)
    await forward(app, headers)
    t.strictSame(warnings(), [])
    await repeat(2, () => forward(app, headers))
    t.strictSame(
      warnings().map(({ msg, address }) => (/set `trustProxy`/.test(String(msg)) ? address : msg)),
      expected
    )
  })

t.test('all clients of a Unix socket count as one address, and the warning names a setting that exists', async t => {
  const log = collectLog()
  const { app } = await countingHost(t, { throttle }, log)
  // A folder of tap can have a path that is too long for a socket.
  const path = join(tmpdir(), `screen-auth-${randomUUID()}`)
  await app.listen({ path })
  const postLogin = async () => {
    const headers = { 'content-type': 'application/json', ...forwarded }
    const post = request({ socketPath: path, method: 'POST', path: '/auth/login', headers })
    post.end(JSON.stringify(payload))
    const [response] = (await once(post, 'response')) as [IncomingMessage]
    response.resume()
    return [response.statusCode, 'retry-after' in response.headers]
  }
  t.strictSame(await postLogin(), [200, false])
  t.strictSame(await postLogin(), [200, true])
  t.match(log.text(), /set `trustProxy: address => address === undefined`, or all clients/)
})

for (const trustProxy of [false, true])
  t.test(`a login whose connection was reset is not checked, with trustProxy ${trustProxy}`, async t => {
    const { app } = await countingHost(t, {}, { trustProxy })
    const outcomes = listen(t, 'login', ({ outcome, request }) => {
      return request.raw.socket.remoteAddress === undefined ? outcome : 'with its address'
    })
    const port = await portOf(app)
    await together(30, async () => {
      const socket = connect(port, '127.0.0.1')
      socket.on('connect', () => socket.write(loginOf('ada'), () => socket.resetAndDestroy()))
      await once(socket, 'close')
    })
    // The server reads connections in their order, so this login comes last.
    await talk(app, 'POST /auth/login HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
    await turns()
    t.notOk(
      outcomes.some(outcome => outcome !== 'with its address' && outcome !== 'abandoned'),
      String(outcomes)
    )
  })
