import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { outsideTap } from '../helpers.ts'
import type { Fleet } from './fleet.ts'

/** What the process that makes the load is told. */
export interface LoadOrder {
  ports: number[]
  tokens: string[]
  /** Requests a second; as many as it can if undefined. */
  perSecond?: number | undefined
}

/** What it has seen. */
export interface LoadCount {
  seconds: number
  requests: number
  /** Requests by the status of their response. */
  statuses: Record<string, number>
  /** Milliseconds of the slowest request. */
  slowest: number
}

const PROGRAM = fileURLToPath(new URL('load-process.ts', import.meta.url))

/** Guarded requests to all processes in turn, from a process of their own. */
export class Load {
  readonly #process: ChildProcess

  private constructor(process: ChildProcess) {
    this.#process = process
  }

  /** @param perSecond requests a second; as many as it can if undefined */
  static async start(fleet: Fleet, tokens: string[], perSecond?: number): Promise<Load> {
    const program = spawn(...outsideTap(process.execPath, ['--import', 'tsx', PROGRAM]), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc']
    })
    const ports = fleet.members.map(({ port }) => port)
    program.send({ ports, tokens, perSecond } satisfies LoadOrder)
    await once(program, 'message')
    return new Load(program)
  }

  async stop(): Promise<LoadCount> {
    this.#process.send('enough')
    const [count] = await once(this.#process, 'message')
    return count
  }
}

/** Resolves to how many requests a second the processes respond to. */
export async function capacityOf(fleet: Fleet, tokens: string[]): Promise<number> {
  const load = await Load.start(fleet, tokens)
  await sleep(5_000)
  const { requests, seconds } = await load.stop()
  return requests / seconds
}
