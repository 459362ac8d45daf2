/** `npm run terminal -- URL`: a client for any screen service, line by line. */
import { isAbsolute } from 'node:path'
import { parseArgs } from 'node:util'
import envPaths from 'env-paths'
import { baseUrlOf, type Fetch } from 'screen-auth-client'
import { Client } from './client.ts'
import { printable } from './prompts.ts'
import { tokenFile } from './token-file.ts'

const USAGE = `Usage: npm run terminal -- [URL]

  URL   the base URL of a screen service, by default http://127.0.0.1:3000

  Ctrl-C quits.`

const baseUrl = baseUrlOf(readUrl())
if (!process.stdin.isTTY || !process.stdout.isTTY) stop('This program asks questions: start it in a terminal.', 1)

const problems = new Set<string>()
const tokens = tokenFile(dataFolder(), baseUrl, problem => problems.add(problem))
try {
  await new Client({ baseUrl, tokens, fetch: fetchInLanguage() }).run()
} catch (error) {
  // Only the message: the rest of the error could contain the input.
  stop(printable(`The program failed: ${error instanceof Error ? error.message : error}`), 1)
}
for (const problem of problems) console.error(printable(problem))

/** The URL never stands in a message: it may have a password in it. */
function readUrl(): string {
  const [url = 'http://127.0.0.1:3000', ...others] = readArguments()
  if (others.length > 0) stop('One URL is enough; see --help.', 2)
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    stop('The URL must begin with http:// or https://, for example http://127.0.0.1:3000', 2)
  const { username, password } = new URL(url)
  if (username || password) stop('The URL must have no username and no password: log in on the screen.', 2)
  return url
}

function readArguments(): string[] {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' } }
    })
    if (!values.help) return positionals
  } catch {
    stop('There is no such option; the only one is --help.', 2)
  }
  console.log(USAGE)
  process.exit(0)
}

function stop(message: string, code: number): never {
  console.error(message)
  process.exit(code)
}

/** Asks for the language of the environment, of LANG for example, as a browser asks for that of its settings. */
function fetchInLanguage(): Fetch {
  const language = Intl.DateTimeFormat().resolvedOptions().locale
  return (url, init) => {
    const headers = new Headers(init.headers)
    headers.set('accept-language', language)
    return fetch(url, { ...init, headers })
  }
}

/** Ignores a relative XDG_DATA_HOME, as the XDG Base Directory Specification requires. */
function dataFolder(): string {
  const { env } = process
  if (!isAbsolute(env.XDG_DATA_HOME ?? '')) delete env.XDG_DATA_HOME
  return envPaths('fastify-screen-auth', { suffix: '' }).data
}
