import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server as NetServer, type Socket } from 'node:net'

/** Milliseconds that each answer is held back: much longer than a server takes between two things it sends at once. */
const HOLD = 5

/**
 * A way to Redis that counts round trips: how often somebody sends after the last answer has come. What is sent before
 * has not waited for it and belongs to the same round trip, in one packet or in several; so that it does come before,
 * all answers are held back a little. Only one request at a time tells how many it makes.
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

  /** @param hold milliseconds that an answer is held back */
  static async start(redisUrl: string, hold = HOLD): Promise<RoundTripCounter> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const counter = new RoundTripCounter(server)
    server.on('connection', socket => counter.#lead(socket, new URL(redisUrl), hold))
    return counter
  }

  /** Round trips so far, those of the connection's beginning included. */
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
    redis.on('data', answer => {
      setTimeout(() => {
        isWaiting = false
        client.write(answer)
      }, hold)
    })
    for (const [socket, other] of [[client, redis] as const, [redis, client] as const]) {
      this.#sockets.add(socket)
      // Whoever stops first takes the other along; how it came about is of no interest.
      socket.on('error', () => {}).on('close', () => other.destroy())
    }
  }
}
