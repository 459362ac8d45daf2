import { writeFile } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { version } from '../cases.ts'
import { scenarios } from '../client/scenarios.ts'
import { watchClient } from '../client/watch-client.ts'
import { junit } from '../report/junit.ts'
import { inert } from '../report/quote.ts'
import { CannotRunError, OptionError, profileOf, type Report } from '../report/report.ts'
import { resultLine, summary } from '../report/text.ts'
import { serverCases } from '../server/cases/index.ts'
import { checkServer } from '../server/check-server.ts'
import { clientCommand, help, PROGRAM, parse, serverCommand } from './commands.ts'

/** The parts of a process that the command line uses. */
export interface Host {
  env: Record<string, string | undefined>
  stdin: Readable & { isTTY?: boolean }
  stdout: Writable & { isTTY?: boolean }
  stderr: Writable
  once(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown
}

/** Clears the rest of the line. */
const END_OF_LINE = '\u001b[K'

/**
 * Runs the command line.
 *
 * @param args the arguments after the name of the program
 * @returns the exit status. 0: conforms, or all failures are known. 1: does not conform. 2: could not be run or judged
 */
export async function main(args: string[], host: Host): Promise<number> {
  const isClient = args[0] === 'client'
  const { name } = isClient ? clientCommand : serverCommand
  try {
    return await (isClient ? checkAClient(args.slice(1), host) : checkAServer(args, host))
  } catch (error) {
    if (!(error instanceof CannotRunError)) throw error
    const hint = error instanceof OptionError ? `; see ${name} --help` : ''
    host.stderr.write(`${PROGRAM}: ${inert(error.message)}${hint}\n`)
    return 2
  }
}

async function checkAServer(args: string[], host: Host): Promise<number> {
  const { values, positionals } = await parse(serverCommand, args, host.env)
  if (values.help) return print(host, help(serverCommand))
  if (values.version) return print(host, version)
  if (values.list) return print(host, caseList())
  const [url] = positionals
  if (url === undefined)
    throw new OptionError('the base URL of the service is missing, for example http://127.0.0.1:3000')

  await assertWritable(values)
  let count = 0
  const report = await checkServer(url, {
    ...values,
    expectFailures: idsIn(values.expectFailures),
    onPause: seconds =>
      host.stderr.write(`${PROGRAM}: waiting ${Math.ceil(seconds)} s, as the server asks with Retry-After\n`),
    onResult(result, total) {
      count++
      if (values.verbose) print(host, resultLine(result, count, total))
      else if (host.stdout.isTTY) host.stdout.write(`\r${count}/${total} ${END_OF_LINE}`)
    }
  }).finally(() => host.stdout.isTTY && host.stdout.write(`\r${END_OF_LINE}`))
  return publish(report, values, host)
}

/** Returns the ids in the text of `--expect-failures`, one per line. `#` begins a comment. */
function idsIn(text: unknown = ''): string[] {
  const lines = String(text).split('\n')
  return lines.map(line => line.replace(/#.*/, '').trim()).filter(line => line !== '')
}

async function checkAClient(args: string[], host: Host): Promise<number> {
  const { values } = await parse(clientCommand, args, host.env)
  if (values.help) return print(host, help(clientCommand))

  const isAttended = Boolean(host.stdin.isTTY && host.stdout.isTTY)
  const then = isAttended ? '\nThen close the client, and press Enter here.' : ''
  await assertWritable(values)
  let count = 0
  const watch = await watchClient({
    ...(isAttended && { timeout: 300, settle: Number.POSITIVE_INFINITY }),
    ...values,
    expectFailures: idsIn(values.expectFailures),
    onScenario: scenario => print(host, `\n${scenario}: ${scenarios[scenario].steps}${then}`),
    onResult(result, total) {
      count++
      if (values.verbose) print(host, resultLine(result, count, total))
    }
  })
  print(host, [`listening on ${watch.url}`, ...watch.urls.slice(1).map(url => `and on ${url}`)].join('\n'))
  if (isAttended) host.stdin.on('data', watch.next)
  host.once('SIGTERM', watch.stop)
  host.once('SIGINT', watch.stop)
  const report = await watch.report.finally(() => host.stdin.pause())
  return publish(report, values, host)
}

function caseList(): string {
  return serverCases
    .map(test => [test.id.padEnd(30), test.level.padEnd(8), profileOf(test).padEnd(9), `${test.clause}: ${test.title}`])
    .map(columns => columns.join(' '))
    .join('\n')
}

/** Prints a line, and returns the exit status 0. */
function print({ stdout }: Host, text: string): 0 {
  stdout.write(`${text}\n`)
  return 0
}

async function publish(
  report: Report,
  files: { json?: string; junit?: string; verbose?: boolean },
  host: Host
): Promise<number> {
  print(host, `\n${summary(report, files.verbose)}`)
  await write(files.json, `${JSON.stringify(report, null, 2)}\n`)
  await write(files.junit, junit(report))
  if (report.asExpected) return 0
  return report.obstacle === undefined || report.counts.failed > 0 ? 1 : 2
}

/** Runs before the check. Throws if the report cannot be written. */
async function assertWritable({ json, junit }: { json?: string; junit?: string }): Promise<void> {
  await write(json, '', 'a')
  await write(junit, '', 'a')
}

async function write(file: string | undefined, text: string, flag: 'w' | 'a' = 'w'): Promise<void> {
  if (file === undefined) return
  await writeFile(file, text, { flag }).catch(({ message }) => {
    throw new CannotRunError(`the report cannot be written: ${message}`)
  })
}
