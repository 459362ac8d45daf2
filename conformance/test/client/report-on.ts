import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Clock, watchWithClock } from '../../client/watch-client.ts'
import type { Report, Scenario, WatchClientOptions } from '../../index.ts'
import { ENTERED, type MinimalClient } from './minimal-client.ts'

/**
 * A clock a thousand times slower than the machine's, so that no request is late however busy that is. Only `advance`
 * lets a second pass.
 */
export class SlowClock implements Clock {
  #offset = 0

  readonly now = () => performance.now() / 1000 + this.#offset

  sleep(_milliseconds: number): Promise<unknown> {
    return nextTurn()
  }

  advance(milliseconds: number): void {
    this.#offset += milliseconds
  }
}

/** Returns the kit's report on a client that a person uses in one scenario. */
export async function reportOn(
  client: typeof MinimalClient,
  scenario: Scenario,
  options: WatchClientOptions = {},
  clock = new SlowClock()
): Promise<Report> {
  const { url, report, next } = await watchWithClock({ expect: [scenario], ...ENTERED, ...options }, clock)
  // A broken client may end in an error of its own.
  await Promise.allSettled([new client(url).use()])
  next()
  return report
}
