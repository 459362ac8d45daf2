import type { Readable, Writable } from 'node:stream'
import { version } from '../cases.ts'
import type { Report, Result } from '../report/report.ts'
import { CannotRunError, inert, makeReport, OptionError, profileOf } from '../report/report.ts'
import { resultLine, summary } from '../report/text.ts'
import { serverCases } from '../server/cases/index.ts'
import { checkServer } from '../server/check-server.ts'
import { scenarios } from '../watch/scenarios.ts'
import { watchClient } from '../watch/watch-client.ts'
import { split, validate, valuesOf } from './arguments.ts'
import type { ClientValues, Command, ServerValues, Shared } from './commands.ts'
import { clientCommand, help, PROGRAM, serverCommand } from './commands.ts'
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

/**
 * Runs the command line. Until the run ends, the files of the reports say that it did not end, so that they never have
 * the report of an earlier run. After a signal, the run may still use the network: the caller must exit.
 *
 * @param args the arguments after the name of the program
 * @returns the exit status. 0: conforms, or all failures are known. 1: does not conform. 2: could not be run or judged
 */
export function main(args: string[], host: Host): Promise<number> {
  const [side, ...rest] = args
  return side === 'client' ? run(clientCommand, checkAClient, rest, host) : run(serverCommand, checkAServer, args, host)
}

async function run<Values extends Shared>(
  command: Command<Values>,
  check: (values: Values, host: Host, url?: string) => Promise<Report>,
  args: string[],
  host: Host
): Promise<number> {
  const given = split(command, args)
  const side = command.name === PROGRAM ? 'server' : 'client'
  const about = { side, target: targetOf(given.positionals), version, duration: 0 } as const
  const without = (obstacle: string) => makeReport({ ...about, hints: [], obstacle }, [], { only: [] })
  try {
    requireNode(host.version)
    validate(command, given)
    if (given.values.help) return print(host, help(command))
    if (given.values.version) return print(host, version)
    if (given.values.list) return print(host, caseList())
    save(given.values, without('the run did not end'), false)
    const values = await valuesOf(command, given.values, host.env)
    const report = await Promise.race([check(values, host, given.positionals[0]), stopped(host)])
    print(host, `\n${summary(report, Boolean(values.verbose))}`)
    save(given.values, report)
    if (report.asExpected) return 0
    return report.obstacle === undefined || report.counts.failed > 0 ? 1 : 2
  } catch (error) {
    const { why, more } = explain(error, command.name)
    print(host, `${PROGRAM}: ${why}${more}`, host.stderr)
    try {
      save(given.values, without(why))
    } catch {
      // Standard error has the reason.
    }
    return 2
  }
}

/** Returns the base URL of the server, but not a part of it that may be a secret. */
function targetOf([url = '']: string[]): string {
  const { origin, pathname } = URL.canParse(url) ? new URL(url) : { origin: '', pathname: '' }
  return origin + pathname
}

/** Rejects at a signal to end. The kernel sends such a signal to process 1, as in a container, only if it listens. */
function stopped(host: Host): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      host.once(signal, () => reject(new CannotRunError(`the run did not end: ${signal} stopped it`)))
  })
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

async function checkAServer(values: ServerValues, host: Host, url?: string): Promise<Report> {
  if (url === undefined)
    throw new OptionError('the base URL of the service is missing, for example http://127.0.0.1:3000')
  return checkServer(url, {
    ...values,
    onPause: seconds =>
      print(host, `${PROGRAM}: waiting ${Math.ceil(seconds)} s, as the server asks with Retry-After`, host.stderr),
    onResult: progress(values, host)
  })
}

async function checkAClient(values: ClientValues, host: Host): Promise<Report> {
  const isAttended = Boolean(host.stdin.isTTY && host.stdout.isTTY)
  const then = isAttended ? '\nThen close the client, and press Enter here.' : ''
  const watch = await watchClient({
    ...(isAttended && { timeout: 300, settle: Number.POSITIVE_INFINITY }),
    ...values,
    onScenario: scenario => print(host, `\n${scenario}: ${scenarios[scenario].steps}${then}`),
    onResult: progress(values, host)
  })
  print(host, [`listening on ${watch.url}`, ...watch.urls.slice(1).map(url => `and on ${url}`)].join('\n'))
  if (isAttended) host.stdin.on('data', watch.next)
  return watch.report
}

/** Returns a function that prints each result or, without `--verbose`, at a terminal only their number. */
function progress({ verbose }: Shared, host: Host): (result: Result, total: number) => void {
  let count = 0
  return (result, total) => {
    count++
    if (verbose) print(host, resultLine(result, count, total))
    else if (host.stdout.isTTY) host.stdout.write(`\r${count}/${total} `)
  }
}

function caseList(): string {
  return serverCases
    .map(test => [test.id.padEnd(30), test.level.padEnd(8), profileOf(test).padEnd(9), `${test.clause}: ${test.title}`])
    .map(columns => columns.join(' '))
    .join('\n')
}

/** Prints a line, which replaces the progress at a terminal, and returns the exit status 0. */
function print({ stdout }: Host, text: string, to = stdout as Writable): 0 {
  if (stdout.isTTY) stdout.write('\r\u001b[K')
  to.write(`${text}\n`)
  return 0
}
