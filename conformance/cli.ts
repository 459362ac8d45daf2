#!/usr/bin/env node
import { writeFile } from 'node:fs/promises'
import { Command, CommanderError, Option } from 'commander'
import { type Scenario, serverCases } from './cases.ts'
import { watchClient } from './client/watch-client.ts'
import { junit } from './report/junit.ts'
import { markdown } from './report/markdown.ts'
import { CannotRunError, type Report } from './report/report.ts'
import { resultLine, summary } from './report/text.ts'
import { checkServer } from './server/check-server.ts'
import { version } from './version.ts'

const STEPS: Record<Scenario, string> = {
  login: 'Start the client and log in, with any username and password.',
  'reject-then-login':
    'Start the client and log in, with any username and password. The first try is rejected: try again.',
  'login-then-expire':
    'Start the client and log in, wait two seconds, then open an entry of the menu. The session ends: log in again.',
  'no-auth': 'Start the client. It must show the menu, and no login. Open an entry of the menu.'
}

/** Whether a person is there, to read and to press Enter. */
const isAttended = process.stdin.isTTY && process.stdout.isTTY

const collect = (value: string, values: string[] = []) => [...values, value]

const program = withCommon(new Command('screen-auth-conformance'))
  .description('Checks whether a server keeps the authentication contract of a screen service.')
  .argument('[url]', 'base URL of the service, for example http://127.0.0.1:3000/api')
  .version(version)
  .enablePositionalOptions()
  .addOption(
    new Option('--secret <key>', 'signing key of the JWTs, to judge forged and expired ones').env(
      'SCREEN_AUTH_SECRET'
    )
  )
  .option('--no-auth', 'the server runs in the no-auth mode')
  .option(
    '--protected <path>',
    'a further route that must be protected, below the URL; may be repeated',
    collect
  )
  .option('--only <id>', 'judge this case only; may be repeated', collect)
  .option('--list', 'list the cases, and judge nothing')
  .option('--timeout <seconds>', 'longest time for one answer', Number, 10)
  .addHelpText('after', '\nExit status: 0 conforms, 1 does not, 2 could not be run.')
  .action(async (url: string | undefined, { auth, list, ...options }) => {
    if (list) return listCases()
    if (url === undefined) {
      throw new CannotRunError('the base URL of the service is missing, for example http://127.0.0.1:3000')
    }
    let count = 0
    const report = await checkServer(url, {
      ...options,
      noAuth: !auth,
      onResult: (result, total) => console.log(resultLine(result, ++count, total))
    })
    await publish(report, options)
  })

withCommon(program.command('client'))
  .description('check a client instead: a scripted server says what to do, and watches')
  .option('--expect <scenario>', `what to play: ${Object.keys(STEPS).join(', ')}; may be repeated`, collect)
  .option('--port <port>', 'port on 127.0.0.1, or 0 for a free one', Number, 0)
  .addOption(
    new Option('--timeout <seconds>', 'longest time to wait for the next request')
      .argParser(Number)
      .default(isAttended ? 300 : 15, '15, at a terminal 300')
  )
  .action(async options => {
    let count = 0
    const watch = await watchClient({
      ...options,
      settle: isAttended ? Number.POSITIVE_INFINITY : 2,
      onScenario: scenario =>
        console.log(
          `\n${scenario}: ${STEPS[scenario]}${isAttended ? '\nThen close it, and press Enter here.' : ''}`
        ),
      onResult: (result, total) => console.log(resultLine(result, ++count, total))
    })
    console.log(`listening on ${watch.url}`)
    if (isAttended) process.stdin.on('data', watch.next)
    process.once('SIGTERM', watch.stop).once('SIGINT', watch.stop)
    await publish(await watch.report.finally(() => process.stdin.pause()), options)
  })

/** The options of both commands. */
function withCommon(command: Command): Command {
  return command
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error/, 'screen-auth-conformance'))
    })
    .addOption(
      new Option('--username <name>', 'a user; for a client, what will be entered').env(
        'SCREEN_AUTH_USERNAME'
      )
    )
    .addOption(
      new Option('--password <password>', 'the password, better in the environment').env(
        'SCREEN_AUTH_PASSWORD'
      )
    )
    .option('--json <file>', 'write the report as JSON')
    .option('--junit <file>', 'write the report as JUnit XML')
    .option('--markdown <file>', 'write the report as Markdown')
}

function listCases(): void {
  for (const { id, level, clause, mode = 'auth', title } of serverCases.cases) {
    console.log([id.padEnd(28), level.padEnd(8), mode.padEnd(7), `${clause}: ${title}`].join(' '))
  }
}

interface Files {
  json?: string
  junit?: string
  markdown?: string
}

async function publish(report: Report, files: Files): Promise<void> {
  console.log(`\n${summary(report)}`)
  const conformity = report.counts.failed > 0 || report.obstacle === undefined ? 1 : 2
  process.exitCode = report.conforms ? 0 : conformity
  const written = await Promise.allSettled([
    write(files.json, `${JSON.stringify(report, null, 2)}\n`),
    write(files.junit, junit(report)),
    write(files.markdown, markdown(report))
  ])
  const failure = written.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined
  if (failure) throw new CannotRunError(`the report cannot be written: ${failure.reason.message}`)
}

async function write(file: string | undefined, text: string): Promise<void> {
  if (file !== undefined) await writeFile(file, text)
}

// Whoever reads only the first lines still wants the reports and the exit status.
process.stdout.on('error', () => {})

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
  else if (error instanceof CannotRunError) {
    console.error(`screen-auth-conformance: ${error.message}`)
    process.exitCode = 2
  } else throw error
}
