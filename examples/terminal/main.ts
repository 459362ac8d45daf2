/** `npm run terminal -- URL`: a client for any screen service, in full-screen mode. */
import { readArguments, USAGE, UsageError } from './arguments.ts'
import { Program } from './program.ts'

const url = readUrl()
const { stdin, stdout, env } = process
if (!stdin.isTTY || !stdout.isTTY || env.TERM === 'dumb') {
  stop(
    'This program draws on a whole terminal: start it in one, without a pipe, and with TERM set to its type.',
    1
  )
}

// Before the rest is loaded, so that keys typed meanwhile are not echoed.
const program = new Program()
program.begin()

const { run } = await import('./run.ts')
run(program, url)

function readUrl(): string {
  try {
    const url = readArguments(process.argv.slice(2))
    if (url !== null) return url
    console.log(USAGE)
    process.exit(0)
  } catch (error) {
    if (error instanceof UsageError) stop(error.message, 2)
    throw error
  }
}

function stop(message: string, code: number): never {
  console.error(message)
  process.exit(code)
}
