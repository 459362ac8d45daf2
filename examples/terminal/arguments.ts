import { parseArgs } from 'node:util'

export const USAGE = `Usage: npm run terminal -- [URL]

  URL   the base URL of a screen service, by default http://127.0.0.1:3000

  F1 lists the keys. Ctrl-C quits.`

const DEFAULT_URL = 'http://127.0.0.1:3000'

/** Wrong arguments. The message says what to do instead. It never contains the URL, which may have a password in it. */
export class UsageError extends Error {}

/**
 * The base URL, or null for `--help`.
 *
 * @throws UsageError
 */
export function readArguments(args: string[]): string | null {
  const { values, positionals } = parse(args)
  if (values.help) return null
  const [url = DEFAULT_URL, ...others] = positionals
  if (others.length > 0)
    throw new UsageError(`One URL is enough, but there were ${positionals.length}; see --help.`)
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new UsageError('The URL must begin with http:// or https://, for example http://127.0.0.1:3000')
  }
  const { username, password } = new URL(url)
  if (username || password)
    throw new UsageError('The URL must have no username and no password: log in on the screen.')
  return url
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, allowPositionals: true, options: { help: { type: 'boolean', short: 'h' } } })
  } catch {
    throw new UsageError('There is no such option; the only one is --help.')
  }
}
