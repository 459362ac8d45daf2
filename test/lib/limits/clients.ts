import { once } from 'node:events'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { type AddressInfo, connect, type Socket } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import screenAuth from '../../../lib/index.ts'
import { options, until } from '../../helpers.ts'
import { turns } from './clock.ts'

/** Lets a host listen for clients that send over sockets of their own, and may hang up. */
export async function clientsOf(app: FastifyInstance) {
  let [arrived, gone] = [0, 0]
  app.addHook('preHandler', async () => {
    arrived++
  })
  app.server.on('connection', (socket: Socket) => socket.on('close', () => gone++))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo

  /** Sends bytes, and waits until so many requests have come to their handlers. */
  async function send(text: string, requests = 1): Promise<Socket> {
    const before = arrived
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    await until(() => arrived === before + requests)
    await turns()
    return socket
  }

  return {
    send,
    sendLogin: (username: string) => send(loginOf(username)),
    /** Hangs up, and waits until the server knows. */
    async hangUp(socket: Socket) {
      const before = gone
      socket.destroy()
      await until(() => gone > before)
      await turns()
    }
  }
}

/** A login in HTTP/1.1. */
export function loginOf(username: string, password = 'x'): string {
  const body = JSON.stringify({ fields: { username, password } })
  const head = `Host: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  return `POST /auth/login HTTP/1.1\r\n${head}\r\n\r\n${body}`
}

/** A request for the main menu in HTTP/1.1. */
export function menuRequestOf(token: string): string {
  return `GET /menu/main HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
}

/** A host whose hook takes so long that the client is gone before it has ended. */
export async function hostWithSlowHook(
  t: Test,
  hook: 'onRequest' | 'preHandler',
  overrides: object,
  serverOptions: object = {}
) {
  const app = Fastify(serverOptions) as unknown as FastifyInstance
  t.teardown(() => app.close())
  let [begun, failed] = [0, 0]
  app.addHook(hook, async ({ raw }) => {
    const connection = (raw as { stream?: Socket }).stream ?? raw.socket
    const close = once(connection, 'close')
    begun++
    await close
  })
  app.addHook('onError', async () => {
    failed++
  })
  await app.register(screenAuth, options(overrides))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  return {
    app,
    port,
    hasBegun: () => begun > 0,
    /** Sends a request over a socket, and hangs up when the hook has begun. */
    async sendAndLeave(text: string) {
      const socket = connect(port, '127.0.0.1', () => socket.write(text))
      await until(() => begun > 0)
      socket.destroy()
    },
    /** Whether the handler has given the client up. */
    hasFailed: () => failed > 0
  }
}

/** A client of HTTP/2. */
export function http2Client(t: Test, port: number): ClientHttp2Session {
  const session = connectHttp2(`http://127.0.0.1:${port}`)
  session.on('error', () => {})
  t.teardown(() => session.destroy())
  return session
}
