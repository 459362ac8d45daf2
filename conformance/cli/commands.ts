import { parseArgs } from 'node:util'
import { scenarios } from '../client/scenarios.ts'
import { OptionError } from '../report/report.ts'

/** The name of the program. */
export const PROGRAM = 'screen-auth-conformance'

/** Returns an option that takes a value. */
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
  verbose: flag('print each result, and every failure at length'),
  exclude: option('<id>', 'leave this case out', many),
  'expect-failures': option('<file>', 'ids of cases that are known to fail, one a line; each must still fail'),
  json: option('<file>', 'write the report as JSON'),
  junit: option('<file>', 'write the report as JUnit XML'),
  help: flag('show this help', 'h')
}

const EXIT_STATUS =
  'Exit status: 0 conforms, or all its failures are known; 1 does not conform; 2 could not be run or judged.'

/** Checks a server. */
export const serverCommand = {
  name: PROGRAM,
  usage: ['[options] <url>', 'client [options]'],
  description: [
    'Checks whether a server keeps the authentication contract of a screen service. <url> is the base URL of the',
    'service, for example http://127.0.0.1:3000/api.'
  ].join('\n'),
  positionals: 1,
  options: {
    username: option('<name>', 'a user that the server accepts', username),
    password: option('<password>', 'the password of that user, better in the environment', password),
    secret: option('<key>', 'the secret that signs the JWTs (HS256), to check expired and forged ones', {
      env: 'SCREEN_AUTH_SECRET'
    }),
    key: option('<file>', 'the private key that signs them (RS256, ES256), as PEM or JWK'),
    'public-key': option('<file>', 'the public key, to check tokens that take it for a secret', {
      otherwise: 'that of --key'
    }),
    'expired-token': option('<file>', 'a token that was valid once'),
    lifetime: option('<seconds>', 'how long a token is valid, at most 3600: the check waits for the end of one'),
    'second-username': option('<name>', 'another user, to check that names and menus belong to their tokens', {
      env: 'SCREEN_AUTH_SECOND_USERNAME'
    }),
    'second-password': option('<password>', 'the password of that user', {
      env: 'SCREEN_AUTH_SECOND_PASSWORD'
    }),
    reference: flag('check what the contract demands of the reference server alone, too'),
    'app-name': option('<name>', 'the application name of the reference server', {
      env: 'SVC_APP_NAME',
      otherwise: 'Demo Company'
    }),
    'no-auth': flag('the server runs in the no-auth mode'),
    protected: option('<path>', 'a further route that must be protected, below the URL', many),
    hardening: flag('run the hardening too: word lists, tricks with headers, forged tokens'),
    advice: flag('run the advice too: what the contract does not demand'),
    only: option('<id>', 'run this case or this clause (5.3) only, of any profile', many),
    list: flag('list the cases, and send nothing'),
    timeout: option('<seconds>', 'longest time to wait for a response', { default: '10' }),
    limit: option('<seconds>', 'longest time of the whole run', { default: '300' }),
    ...common,
    version: flag('show the version', 'V')
  },
  notes: [`To check a client: ${PROGRAM} client --help`, EXIT_STATUS]
} as const satisfies Command

/** Checks a client. */
export const clientCommand = {
  name: `${PROGRAM} client`,
  usage: ['[options]'],
  description: 'Checks a client: starts a scripted server, says what to do with the client, and records what it sends.',
  positionals: 0,
  options: {
    expect: option('<scenario>', `one of ${Object.keys(scenarios).join(', ')}`, {
      ...many,
      otherwise: 'all but login'
    }),
    username: option('<name>', 'the username that will be entered', { ...username, otherwise: 'any' }),
    password: option('<password>', 'the password that will be entered', { ...password, otherwise: 'any' }),
    host: option('<address>', 'IP address of this machine to listen at, 0.0.0.0 for all', {
      default: '127.0.0.1'
    }),
    port: option('<port>', 'port, 0 for a free one', { default: '0' }),
    timeout: option('<seconds>', 'longest time to wait for the next request', {
      otherwise: '15, at a terminal 300'
    }),
    ...common
  },
  notes: [
    [
      'A phone in the same network needs --host 0.0.0.0, an Android emulator nothing: it reaches 127.0.0.1 of this machine',
      'as 10.0.2.2. Anybody who reaches the address can send requests, too.'
    ].join('\n'),
    EXIT_STATUS
  ]
} as const satisfies Command

/** An option of the command line, as `util.parseArgs` takes it, with what the help says about it. */
interface Option {
  type: 'string' | 'boolean'
  multiple?: true
  short?: string
  /** The name of the value in the help, for example `<file>`. */
  value?: string
  /** The environment variable that is read when the option is not given. */
  env?: string
  default?: string
  /** The default in words, where it is no fixed value. */
  otherwise?: string
  help: string
}

type Options = Record<string, Option>

/** The values of options, by their names. */
type Values<T extends Options> = {
  [Name in keyof T]?: T[Name] extends { type: 'boolean' }
    ? boolean
    : T[Name] extends { multiple: true }
      ? string[]
      : string
}

/** The parts of a command that parsing and help need. */
export interface Command<T extends Options = Options> {
  name: string
  /** What follows the name in the first lines of the help. */
  usage: string[]
  description: string
  options: T
  /** How many arguments that are no options it takes. */
  positionals: number
  /** Further paragraphs of the help. */
  notes: string[]
}

/**
 * Reads the arguments of a command. An option that takes a value takes whatever follows it, so that a password may
 * begin with a hyphen.
 *
 * @returns the values of the options and the other arguments
 * @throws OptionError naming the first option that is unknown, lacks its value or has one that it does not take
 */
export function parse<T extends Options>(
  { options, positionals: limit }: Command<T>,
  args: string[],
  env: Record<string, string | undefined>
): { values: Values<T>; positionals: string[] } {
  // Not strict: that would refuse a value with a hyphen, and its messages have several lines.
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

/** The help of a command: its usage, and each option with its meaning and its default. */
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
