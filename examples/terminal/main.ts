/** `npm run terminal -- URL`: a line-based client for any screen service. */
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
if (!process.stdin.isTTY || !process.stdout.isTTY) stop('This program is interactive: start it in a terminal.', 1)

const problems = new Set<string>()
const tokens = tokenFile(dataFolder(), baseUrl, problem => problems.add(problem))
try {
  await new Client({ baseUrl, tokens, fetch: fetchInLanguage() }).run()
} catch (error) {
  // Prints only the message: the rest of the error could contain a person's input.
  stop(printable(`The program failed: ${error instanceof Error ? error.message : error}`), 1)
}
for (const problem of problems) console.error(printable(problem))

/** Reads the base URL. No message contains the URL, because it may contain a password. */
function readUrl(): string {
  const [url = 'http://127.0.0.1:3000', ...others] = readArguments()
  if (others.length > 0) stop('Too many arguments: give one URL only; see --help.', 2)
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    stop('The URL must start with http:// or https://, for example http://127.0.0.1:3000', 2)
  const { username, password } = new URL(url)
  if (username || password) stop('The URL must not contain a username or a password: log in on the login screen.', 2)
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
    stop('Unknown option; the only option is --help.', 2)
  }
  console.log(USAGE)
  process.exit(0)
}

function stop(message: string, code: number): never {
  console.error(message)
  process.exit(code)
}

/** Requests the language of the environment (for example of LANG), as a browser requests that of its settings. */
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
