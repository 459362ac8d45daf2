import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { type Host, main } from '../../cli/main.ts'

/** The streams, the environment and the signals of a process, for the command line to run without one. */
export class FakeHost extends EventEmitter implements Host {
  readonly env: Record<string, string>
  readonly stdin: PassThrough & { isTTY: boolean }
  readonly stdout: PassThrough & { isTTY: boolean }
  readonly stderr = new PassThrough()
  readonly output = { stdout: '', stderr: '' }

  constructor(env: Record<string, string> = {}, isTTY = false) {
    super()
    this.env = env
    this.stdin = Object.assign(new PassThrough(), { isTTY })
    this.stdout = Object.assign(new PassThrough(), { isTTY })
    for (const name of ['stdout', 'stderr'] as const) {
      this[name].on('data', data => {
        this.output[name] += data
        this.emit('output')
      })
    }
  }

  /** Waits until the standard output matches, and returns the first group of the pattern. */
  async until(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.output.stdout)
      if (found !== null) return found[1] ?? ''
      await new Promise(resolve => this.once('output', resolve))
    }
  }
}

/** What the command line printed, and its exit status. */
export interface Ended {
  code: number
  stdout: string
  stderr: string
}

/** Runs the command line in this process until its end. */
export async function run(
  args: string[],
  env?: Record<string, string>,
  host = new FakeHost(env)
): Promise<Ended> {
  const code = await main(args, host)
  // The streams deliver what was written last in a later turn.
  await new Promise(setImmediate)
  return { code, ...host.output }
}
