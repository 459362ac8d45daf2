import { once } from 'node:events'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { type AddressInfo, connect, type Socket } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import screenAuth from '../../../lib/index.ts'
import { options, until } from '../../helpers.ts'
import { turns } from './clock.ts'

/** Starts a host, and returns functions that connect to it, send requests and disconnect. */
export async function clientsOf(app: FastifyInstance) {
  let [arrived, gone] = [0, 0]
  app.addHook('preHandler', async () => {
    arrived++
  })
  app.server.on('connection', (socket: Socket) => socket.on('close', () => gone++))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo

  /** Sends text over a new socket, and waits until the given number of requests have reached `preHandler`. */
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
    /** Closes a socket, and waits until the server has noticed. */
    async hangUp(socket: Socket) {
      const before = gone
      socket.destroy()
      await until(() => gone > before)
      await turns()
    }
  }
}

/** Returns the text of a login in HTTP/1.1. */
export function loginOf(username: string, password = 'x'): string {
  const body = JSON.stringify({ fields: { username, password } })
  const head = `Host: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  return `POST /auth/login HTTP/1.1\r\n${head}\r\n\r\n${body}`
}

/** Returns the text of a request for the main menu in HTTP/1.1. */
export function menuRequestOf(token: string): string {
  return `GET /menu/main HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
}

/** Starts a host whose hook waits until the client has disconnected. */
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
    /** Sends a request over a socket, and closes the socket when the hook has begun. */
    async sendAndLeave(text: string) {
      const socket = connect(port, '127.0.0.1', () => socket.write(text))
      await until(() => begun > 0)
      socket.destroy()
    },
    /** Whether a request has ended with an error. */
    hasFailed: () => failed > 0
  }
}

/** Connects over HTTP/2 until the test ends. */
export function http2Client(t: Test, port: number): ClientHttp2Session {
  const session = connectHttp2(`http://127.0.0.1:${port}`)
  session.on('error', () => {})
  t.teardown(() => session.destroy())
  return session
}
