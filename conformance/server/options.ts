import { serverCases } from '../cases.ts'
import { OptionError, type Result } from '../report/report.ts'
import { type Selection, unknownCase } from '../report/selection.ts'

/** How to check a server. */
export interface CheckServerOptions extends Selection {
  /** Credentials that the server accepts. Required unless `noAuth`. */
  username?: string | undefined
  password?: string | undefined
  /** The signing key of the server's JWTs, for the cases that need tokens which only the server could have made. */
  secret?: string | undefined
  /** The server runs in the no-auth mode (contract 5.7). Default: false. */
  noAuth?: boolean | undefined
  /** Paths below the base URL of routes that must be protected; they get requests with GET and HEAD. */
  protected?: readonly string[] | undefined
  /** Longest time to wait for a response, in seconds. Default: 10. */
  timeout?: number | undefined
  /** Called with each result when it is known, and with their expected number. */
  onResult?: ((result: Result, total: number) => void) | undefined
}

/** The validated options, with every default filled in. */
export interface ServerOptions extends Selection {
  url: URL
  username: string
  password: string
  secret: string | undefined
  noAuth: boolean
  protected: readonly string[]
  timeout: number
  onResult: (result: Result, total: number) => void
}

/**
 * Validates the options.
 *
 * @returns the options with every default filled in
 * @throws OptionError naming the first option that is wrong
 */
export function checkServerOptions(url: string | URL, options: CheckServerOptions): ServerOptions {
  const {
    username = '',
    password = '',
    secret,
    noAuth = false,
    protected: paths = [],
    only,
    exclude,
    expectFailures,
    timeout = 10,
    onResult = () => {}
  } = options

  demand(
    URL.canParse(String(url)) && /^https?:$/.test(new URL(url).protocol),
    'the base URL must be an http: or https: URL, for example http://127.0.0.1:3000/api'
  )
  const base = new URL(url)
  demand(
    base.username + base.password + base.search + base.hash === '',
    'the base URL must be without credentials, query and fragment'
  )
  demand(
    noAuth || (username !== '' && password !== ''),
    '--username and --password are needed (or SCREEN_AUTH_USERNAME and SCREEN_AUTH_PASSWORD), of a user that the server accepts; for a server in the no-auth mode, --no-auth'
  )
  demand(
    Array.isArray(paths) && paths.every(path => /^\/[!-~]*$/.test(path)),
    'a path of --protected must start with / and be percent-encoded; it is below the base URL, for example /screen/profile'
  )
  const selection = { only, exclude, expectFailures }
  const unknown = unknownCase(selection, serverCases.cases)
  demand(unknown === undefined, unknown)
  demand(
    timeout > 0 && timeout <= 3600,
    '--timeout must be a number of seconds greater than 0, and at most 3600'
  )

  return { url: base, username, password, secret, noAuth, protected: paths, ...selection, timeout, onResult }
}

function demand(holds: boolean, rule?: string): asserts holds {
  if (!holds) throw new OptionError(rule)
}
