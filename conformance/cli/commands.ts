import { parseArgs } from 'node:util'
import { scenarios } from '../client/scenarios.ts'
import { OptionError } from '../report/report.ts'

/** The name of the program. */
export const PROGRAM = 'screen-auth-conformance'

const option = <const More extends Partial<Option>>(value: string, help: string, more?: More) =>
  ({ type: 'string', value, help, ...more }) as { type: 'string'; value: string; help: string } & More

const flag = (help: string, short?: string): Option & { type: 'boolean' } => ({
  type: 'boolean',
  help,
  ...(short && { short })
})

const many = { multiple: true } as const
const username = { env: 'SCREEN_AUTH_USERNAME' } as const
const password = { env: 'SCREEN_AUTH_PASSWORD' } as const

const common = {
  verbose: flag('print each result, and each failure in full'),
  exclude: option('<id>', 'skip this case', many),
  'expect-failures': option('<file>', 'ids of cases with known failures, one per line; each must still fail'),
  json: option('<file>', 'write the report as JSON'),
  junit: option('<file>', 'write the report as JUnit XML'),
  help: flag('show this help', 'h')
}

const EXIT_STATUS =
  'Exit status: 0 conforms, or all its failures are known; 1 does not conform; 2 could not be run or judged.'

/** The command that checks a server. */
export const serverCommand = {
  name: PROGRAM,
  usage: ['[options] <url>', 'client [options]'],
  description: [
    'Checks whether a server conforms to the authentication contract of a screen service. <url> is the base URL of',
    'the service, for example http://127.0.0.1:3000/api.'
  ].join('\n'),
  positionals: 1,
  options: {
    username: option('<name>', 'a user that the server accepts', username),
    password: option('<password>', 'the password of that user; safer in the environment', password),
    secret: option('<key>', 'the secret that signs the JWTs (HS256), to check expired and forged JWTs', {
      env: 'SCREEN_AUTH_SECRET'
    }),
    key: option('<file>', 'the private key that signs the JWTs (RS256, ES256), as PEM or JWK'),
    'public-key': option('<file>', 'the public key, to check tokens that use it as an HMAC secret', {
      otherwise: 'that of --key'
    }),
    'expired-token': option('<file>', 'a token that was valid and has expired'),
    lifetime: option('<seconds>', 'lifetime of a token, at most 3600: the kit waits until a token expires'),
    'second-username': option('<name>', 'another user, to check that each token gets the name and menu of its user', {
      env: 'SCREEN_AUTH_SECOND_USERNAME'
    }),
    'second-password': option('<password>', 'the password of that user', {
      env: 'SCREEN_AUTH_SECOND_PASSWORD'
    }),
    reference: flag('also check what the contract requires only of the reference server'),
    'app-name': option('<name>', 'the application name of the reference server', {
      env: 'SVC_APP_NAME',
      otherwise: 'Demo Company'
    }),
    'no-auth': flag('the server runs in the no-auth mode'),
    protected: option('<path>', 'one more protected route, relative to the URL', many),
    hardening: flag('also run the hardening cases: word lists, odd headers, forged tokens'),
    advice: flag('also run the advice cases: what the contract does not require'),
    only: option('<id>', 'run only this case, or the cases of this clause (for example 5.3), of any profile', many),
    list: flag('list the cases without sending a request'),
    timeout: option('<seconds>', 'longest time to wait for a response', { default: '10' }),
    limit: option('<seconds>', 'longest duration of the whole run', { default: '300' }),
    ...common,
    version: flag('show the version', 'V')
  },
  notes: [`To check a client: ${PROGRAM} client --help`, EXIT_STATUS]
} as const satisfies Command

/** The command that checks a client. */
export const clientCommand = {
  name: `${PROGRAM} client`,
  usage: ['[options]'],
  description:
    'Checks a client: starts a scripted server, prints what to do with the client, and records its requests.',
  positionals: 0,
  options: {
    expect: option('<scenario>', `one of ${Object.keys(scenarios).join(', ')}`, {
      ...many,
      otherwise: 'all but login'
    }),
    username: option('<name>', 'the username that you will enter', { ...username, otherwise: 'any' }),
    password: option('<password>', 'the password that you will enter', { ...password, otherwise: 'any' }),
    host: option('<address>', 'IP address of this machine to listen on, 0.0.0.0 for all', {
      default: '127.0.0.1'
    }),
    port: option('<port>', 'port to listen on, 0 for any free port', { default: '0' }),
    timeout: option('<seconds>', 'longest time to wait for the next request', {
      otherwise: '15, at a terminal 300'
    }),
    ...common
  },
  notes: [
    [
      'A phone in the same network needs --host 0.0.0.0. An Android emulator needs no option: it reaches 127.0.0.1 of this',
      'machine as 10.0.2.2. Anyone who reaches the address can send requests.'
    ].join('\n'),
    EXIT_STATUS
  ]
} as const satisfies Command

/** An option of the command line, as `util.parseArgs` and the help need it. */
interface Option {
  type: 'string' | 'boolean'
  multiple?: true
  short?: string
  /** The name of the value in the help, for example `<file>`. */
  value?: string
  /** The environment variable to read if the option is missing. */
  env?: string
  default?: string
  /** The default in words, if the default is not a fixed value. */
  otherwise?: string
  help: string
}

type Options = Record<string, Option>

type Values<T extends Options> = {
  [Name in keyof T]?: T[Name] extends { type: 'boolean' }
    ? boolean
    : T[Name] extends { multiple: true }
      ? string[]
      : string
}

/** The description of a command, for parsing and for the help. */
export interface Command<T extends Options = Options> {
  name: string
  /** The texts after the name in the first lines of the help. */
  usage: string[]
  description: string
  options: T
  /** The maximum number of positional arguments. */
  positionals: number
  /** Further paragraphs of the help. */
  notes: string[]
}

/**
 * Parses the arguments of a command. An option with a value takes the next argument, even if that argument begins with
 * a hyphen, because a password may.
 *
 * @returns the values of the options, and the positional arguments
 * @throws OptionError that names the first option that is unknown, lacks its value or has an unexpected value
 */
export function parse<T extends Options>(
  { options, positionals: limit }: Command<T>,
  args: string[],
  env: Record<string, string | undefined>
): { values: Values<T>; positionals: string[] } {
  // Not strict: the strict mode rejects a value that begins with a hyphen, and its messages have several lines.
  const { values, positionals, tokens } = parseArgs({
    args,
    options,
    strict: false,
    allowPositionals: true,
    tokens: true
  })
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined
    if (option === undefined) throw new OptionError(`unknown option '${token.rawName}'`)
    if (option.type === 'string' && token.value === undefined)
      throw new OptionError(`option '${token.rawName} ${option.value}' needs a value`)
    if (option.type === 'boolean' && token.value !== undefined)
      throw new OptionError(`option '${token.rawName}' takes no value`)
  }
  if (positionals.length > limit) throw new OptionError(`unexpected argument '${positionals[limit]}'`)
  const fromEnv = Object.entries(options).map(([name, option]) => [name, option.env && env[option.env]])
  const given = Object.fromEntries(fromEnv.filter(([, value]) => value !== undefined))
  return { values: { ...given, ...values } as Values<T>, positionals }
}

/** Returns the help of a command: its usage, and each option with its meaning and default. */
export function help({ name, usage, description, options, notes }: Command): string {
  const rows = Object.entries(options).map(([long, option]) => [flags(long, option), meaning(option)] as const)
  const width = Math.max(...rows.map(([left]) => left.length))
  return [
    usage.map((line, index) => `${index === 0 ? 'Usage:' : '      '} ${name} ${line}`).join('\n'),
    description,
    ['Options:', ...rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)].join('\n'),
    ...notes,
    ''
  ]
    .join('\n\n')
    .trimEnd()
}

function flags(long: string, { short, value }: Option): string {
  return `${short === undefined ? '' : `-${short}, `}--${long}${value === undefined ? '' : ` ${value}`}`
}

function meaning({ help, multiple, env, default: value, otherwise = value }: Option): string {
  const notes = [
    multiple && 'may be repeated',
    env && `env: ${env}`,
    otherwise !== undefined && `default: ${otherwise}`
  ].filter(Boolean)
  return notes.length === 0 ? help : `${help} (${notes.join('; ')})`
}
