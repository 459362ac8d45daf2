import { serverCases } from '../cases.ts'
import { OptionError, type Result } from '../report/report.ts'

/** How a server is to be checked. */
export interface CheckServerOptions {
  /** Credentials that the server accepts. Required unless `noAuth`. */
  username?: string | undefined
  password?: string | undefined
  /** The signing key of the server's JWTs, for the cases that need tokens which only the server could have made. */
  secret?: string | undefined
  /** The server runs in the no-auth mode (contract 5.7). Default: false. */
  noAuth?: boolean | undefined
  /** Paths below the base URL, of routes that must be protected; they are asked for with GET and HEAD. */
  protected?: readonly string[] | undefined
  /** Ids of the only cases to judge. Default: all. */
  only?: readonly string[] | undefined
  /** Longest time for one answer, in seconds. Default: 10. */
  timeout?: number | undefined
  /** Is told each result as it comes, and how many there will be. */
  onResult?: ((result: Result, total: number) => void) | undefined
}

/** The options after checking, with every default filled in. */
export interface ServerOptions {
  url: URL
  username: string
  password: string
  secret: string | undefined
  noAuth: boolean
  protected: readonly string[]
  only: readonly string[] | undefined
  timeout: number
  onResult: (result: Result, total: number) => void
}

/** @throws CannotRunError naming the first option that is wrong */
export function checkServerOptions(url: string | URL, options: CheckServerOptions): ServerOptions {
  const {
    username = '',
    password = '',
    secret,
    noAuth = false,
    protected: paths = [],
    only,
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
  const unknown = only?.find(id => !serverCases.cases.some(one => one.id === id))
  demand(unknown === undefined, `there is no case ${unknown} for --only`)
  demand(
    timeout > 0 && timeout <= 3600,
    '--timeout must be a number of seconds greater than 0, and at most 3600'
  )

  return { url: base, username, password, secret, noAuth, protected: paths, only, timeout, onResult }
}

function demand(holds: boolean, rule: string): asserts holds {
  if (!holds) throw new OptionError(rule)
}
