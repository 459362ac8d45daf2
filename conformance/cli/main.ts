import type { Readable, Writable } from 'node:stream'
import { version } from '../cases.ts'
import { CannotRunError, inert, makeReport, OptionError, profileOf, type Report } from '../report/report.ts'
import { resultLine, summary } from '../report/text.ts'
import { serverCases } from '../server/cases/index.ts'
import { checkServer } from '../server/check-server.ts'
import { scenarios } from '../watch/scenarios.ts'
import { watchClient } from '../watch/watch-client.ts'
import {
  type ClientValues,
  type Command,
  clientCommand,
  help,
  PROGRAM,
  parse,
  type ServerValues,
  type Shared,
  serverCommand,
  split
} from './commands.ts'
import { save } from './report-files.ts'

/** The parts of a process that the command line uses. */
export interface Host {
  version: string
  env: Record<string, string | undefined>
  stdin: Readable & { isTTY?: boolean }
  stdout: Writable & { isTTY?: boolean }
  stderr: Writable
  once(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown
}

/** Clears the rest of the line. */
const END_OF_LINE = '\u001b[K'

/**
 * Runs the command line. Until the run ends, the files of the reports say that it did not end, so that they never have
 * the report of an earlier run.
 *
 * @param args the arguments after the name of the program
 * @returns the exit status. 0: conforms, or all failures are known. 1: does not conform. 2: could not be run or judged
 */
export function main(args: string[], host: Host): Promise<number> {
  const [side, ...rest] = args
  return side === 'client' ? run(clientCommand, checkAClient, rest, host) : run(serverCommand, checkAServer, args, host)
}

interface Parsed<Values> {
  values: Values
  positionals: string[]
}

/** @param check returns the report, or a text to print if no check was demanded */
async function run<Values extends Shared>(
  command: Command<Values>,
  check: (parsed: Parsed<Values>, host: Host) => Promise<Report | string>,
  args: string[],
  host: Host
): Promise<number> {
  const given = split(command, args)
  const side = command.name === PROGRAM ? 'server' : 'client'
  const about = { side, target: '', version, duration: 0 } as const
  const without = (obstacle: string) => makeReport({ ...about, hints: [], obstacle }, [], { only: [] })
  try {
    save(given.values, without('the run did not end'), false)
    requireNode(host.version)
    const parsed = await parse(command, given, host.env)
    const report = parsed.values.help ? help(command) : await check(parsed, host)
    if (typeof report === 'string') return print(host, report)
    print(host, `\n${summary(report, parsed.values.verbose)}`)
    save(given.values, report)
    if (report.asExpected) return 0
    return report.obstacle === undefined || report.counts.failed > 0 ? 1 : 2
  } catch (error) {
    const { why, more } = explain(error, command.name)
    host.stderr.write(`${PROGRAM}: ${why}${more}\n`)
    try {
      save(given.values, without(why))
    } catch {
      // Standard error has the reason.
    }
    return 2
  }
}

function requireNode(version: string): void {
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19))
    throw new CannotRunError(`Node 20.19 or later is needed, this is ${version}`)
}

/** Explains a crash with the name and the stack of the error, but not its message, which could contain a secret. */
function explain(error: unknown, command: string): { why: string; more: string } {
  if (error instanceof OptionError) return { why: inert(error.message), more: `; see ${command} --help` }
  if (error instanceof CannotRunError) return { why: inert(error.message), more: '' }
  const { name, stack = '' } = Object(error) as Partial<Error>
  const frames = stack.split('\n').filter(line => /^ {4}at /.test(line))
  return { why: `an error in the kit, please report it: ${name}`, more: ['', ...frames].join('\n') }
}

async function checkAServer(
  { values, positionals: [url] }: Parsed<ServerValues>,
  host: Host
): Promise<Report | string> {
  if (values.version) return version
  if (values.list) return caseList()
  if (url === undefined)
    throw new OptionError('the base URL of the service is missing, for example http://127.0.0.1:3000')

  let count = 0
  return checkServer(url, {
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
}

/** Returns the ids in the text of `--expect-failures`, one per line. `#` begins a comment. */
function idsIn(text: unknown = ''): string[] {
  const lines = String(text).split('\n')
  return lines.map(line => line.replace(/#.*/, '').trim()).filter(line => line !== '')
}

async function checkAClient({ values }: Parsed<ClientValues>, host: Host): Promise<Report> {
  const isAttended = Boolean(host.stdin.isTTY && host.stdout.isTTY)
  const then = isAttended ? '\nThen close the client, and press Enter here.' : ''
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
  return watch.report.finally(() => host.stdin.pause())
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
