import { connect } from 'node:net'
import t from 'tap'
import { ADA, collectLog, MENU, until } from '../../helpers.ts'
import { never } from './attempts.ts'
import { hostWithSlowHook, http2Client, loginOf, menuRequestOf } from './clients.ts'

t.test('a client that hangs up during a slow hook of the host is not checked', async t => {
  let checked = 0
  const checkCredentials = () => ++checked && null
  const host = await hostWithSlowHook(t, 'preHandler', { checkCredentials })
  const socket = connect(host.port, '127.0.0.1', () => socket.write(loginOf('gone')))
  await until(host.hasBegun)
  socket.destroy()
  await until(() => host.hasFailed() || checked > 0)
  t.equal(checked, 0)
})

t.test('a client that hangs up during a slow hook over HTTP/2 is not checked', async t => {
  let checked = 0
  const checkCredentials = () => ++checked && null
  const host = await hostWithSlowHook(t, 'preHandler', { checkCredentials }, { http2: true })
  const session = http2Client(t, host.port)
  const head = { ':method': 'POST', ':path': '/auth/login', 'content-type': 'application/json' }
  const stream = session.request(head)
  stream.on('error', () => {})
  stream.end('{"fields":{"username":"gone","password":"x"}}')
  await until(host.hasBegun)
  session.destroy()
  await until(() => host.hasFailed() || checked > 0)
  t.equal(checked, 0)
})

t.test('a client that has hung up before the store is asked is not waited for', async t => {
  const { logger, lines } = collectLog()
  const store = () => ({ get: never, penalty: never, reward: never, block: never, delete: never })
  const host = await hostWithSlowHook(t, 'preHandler', { throttle: { store } }, { logger })
  const socket = connect(host.port, '127.0.0.1', () => socket.write(loginOf('gone')))
  await until(host.hasBegun)
  socket.destroy()
  const isEnd = ({ msg }: Record<string, unknown>) => /login (abandoned|failed)/.test(String(msg))
  await until(() => lines.some(isEnd))
  t.match(lines.find(isEnd), { msg: 'screen-auth: login abandoned', username: 'gone' })
})

t.test('no menu is made for a client that hangs up during a slow hook', async t => {
  let made = 0
  const mainMenu = (_: unknown, __: unknown, _signal: AbortSignal) => {
    made++
    return MENU
  }
  const host = await hostWithSlowHook(t, 'onRequest', { mainMenu })
  const token = await host.app.screenAuth.issueToken(ADA)
  const socket = connect(host.port, '127.0.0.1', () => socket.write(menuRequestOf(token)))
  await until(host.hasBegun)
  socket.destroy()
  await until(() => host.hasFailed() || made > 0)
  t.equal(made, 0)
})
