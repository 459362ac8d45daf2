import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import t from 'tap'
import screenAuth from '../../../lib/index.ts'
import { ADA, host, MENU, options, until } from '../../helpers.ts'
import { never } from './attempts.ts'
import { clientsOf, http2Client, loginOf, menuRequestOf } from './clients.ts'
import { turns } from './clock.ts'

type Note = (_: object, __: object, signal: AbortSignal) => Promise<unknown>

const cases: [string, (note: Note) => object, (token: string) => string][] = [
  ['the checker', note => ({ checkCredentials: note }), () => loginOf('ada')],
  [
    'the menu factory, at the login,',
    note => ({
      checkCredentials: () => ADA,
      mainMenu: note
    }),
    () => loginOf('ada')
  ],
  ['the menu factory, later,', note => ({ mainMenu: note }), menuRequestOf]
]
for (const [name, overridesOf, requestOf] of cases)
  t.test(`${name} is told by its signal when the client has gone`, async t => {
    let given: AbortSignal | undefined
    const note: Note = async (_, __, signal) => {
      given = signal
      return once(signal, 'abort')
    }
    const app = await host(t, overridesOf(note))
    const { send, hangUp } = await clientsOf(app)
    const socket = await send(requestOf(await app.screenAuth.issueToken(ADA)))
    await until(() => given !== undefined)
    await hangUp(socket)
    t.equal(given?.aborted, true)
    t.equal(given?.reason.code, 'FST_SCREEN_AUTH_CLIENT_GONE')
  })

t.test('the signal of a menu over HTTP/2 is that of its own stream', async t => {
  const signals = new Map<string, AbortSignal>()
  const app = Fastify({ http2: true } as object) as unknown as FastifyInstance
  t.teardown(() => app.close())
  const mainMenu = (_: unknown, request: { headers: Record<string, string> }, signal: AbortSignal) => {
    signals.set(request.headers['x-name'] as string, signal)
    return never()
  }
  await app.register(screenAuth, options({ mainMenu }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const session = http2Client(t, (app.server.address() as AddressInfo).port)
  const authorization = `Bearer ${await app.screenAuth.issueToken(ADA)}`
  const [gone, stays] = ['gone', 'stays'].map(name =>
    session.request({ ':path': '/menu/main', authorization, 'x-name': name }).on('error', () => {})
  )
  await until(() => signals.size === 2)
  gone?.close(8)
  await until(() => signals.get('gone')?.aborted === true)
  await turns()
  t.equal(signals.get('stays')?.aborted, false)
  stays?.destroy()
})

t.test('every request of a connection has a signal of its own, which is not aborted afterwards', async t => {
  const signals = new Set<AbortSignal>()
  const mainMenu = (_: unknown, __: unknown, signal: AbortSignal) => {
    signals.add(signal)
    return MENU
  }
  const app = await host(t, { mainMenu })
  const { send, hangUp } = await clientsOf(app)
  const request = menuRequestOf(await app.screenAuth.issueToken(ADA))
  const socket = await send(request)
  // What has come already is kept until somebody listens.
  await once(socket, 'data')
  socket.write(request)
  await once(socket, 'data')
  await hangUp(socket)
  t.strictSame(
    [...signals].map(({ aborted }) => aborted),
    [false, false]
  )
})
