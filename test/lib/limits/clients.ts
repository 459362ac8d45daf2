import { type AddressInfo, connect, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { until } from '../../helpers.ts'
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
