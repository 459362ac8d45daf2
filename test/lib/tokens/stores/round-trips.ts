import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server as NetServer, type Socket } from 'node:net'

/** Milliseconds by which each reply is delayed: much longer than between two commands that are sent together. */
const HOLD = 5

/**
 * A proxy for Redis that counts round trips: how often a client sends after a reply. Commands that are sent before the
 * reply belong to the same round trip, in one packet or in several. The delay of the replies makes sure that they come
 * before. Send one request at a time to count its round trips.
 */
export class RoundTripCounter {
  readonly url: string
  readonly #server: NetServer
  readonly #sockets = new Set<Socket>()
  #count = 0

  private constructor(server: NetServer) {
    this.#server = server
    this.url = `redis://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  /** @param hold milliseconds by which a reply is delayed */
  static async start(redisUrl: string, hold = HOLD): Promise<RoundTripCounter> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const counter = new RoundTripCounter(server)
    server.on('connection', socket => counter.#lead(socket, new URL(redisUrl), hold))
    return counter
  }

  /** Round trips so far, including those that open the connection. */
  get count(): number {
    return this.#count
  }

  stop(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #lead(client: Socket, { hostname, port }: URL, hold: number): void {
    const redis = connect({ host: hostname, port: Number(port), noDelay: true })
    let isWaiting = false
    client.on('data', sent => {
      if (!isWaiting) this.#count++
      isWaiting = true
      redis.write(sent)
    })
    redis.on('data', reply => {
      setTimeout(() => {
        isWaiting = false
        client.write(reply)
      }, hold)
    })
    for (const [socket, other] of [[client, redis] as const, [redis, client] as const]) {
      this.#sockets.add(socket)
      // When one side closes, the other is closed too. The reason does not matter.
      socket.on('error', () => {}).on('close', () => other.destroy())
    }
  }
}
