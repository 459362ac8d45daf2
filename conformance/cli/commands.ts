import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { OptionError } from '../report/report.ts'
import type { CheckServerOptions } from '../server/options.ts'
import { scenarios } from '../watch/scenarios.ts'
import type { WatchClientOptions } from '../watch/watch-client.ts'

/** The name of the program. */
export const PROGRAM = 'screen-auth-conformance'

interface Option {
  help: string
  /** The name of the value in the help, for example `<file>`; absent for a flag. `<seconds>` and `<port>` are numbers. */
  value?: string
  /** Whether the value is the content of the file. */
  isRead?: true
  multiple?: true
  short?: string
  /** The environment variable to read if the option is missing. */
  env?: string
  /** The default, only for the help. */
  otherwise?: string
}

const flag = (help: string, short?: string): Option => ({ help, ...(short !== undefined && { short }) })
const text = (value: string, help: string, more: Partial<Option> = {}): Option => ({ value, help, ...more })
const list = (value: string, help: string, more?: Partial<Option>) => text(value, help, { multiple: true, ...more })
const file = (help: string, more?: Partial<Option>) => text('<file>', help, { isRead: true, ...more })
const seconds = (help: string, otherwise?: string) => text('<seconds>', help, otherwise ? { otherwise } : {})

/** What the command line itself needs of both commands. */
export interface Shared {
  verbose?: boolean
  json?: string
  junit?: string
  html?: string
  help?: boolean
}

const shared = {
  verbose: flag('print each result, and each failure in full'),
  exclude: list('<id>', 'skip this case'),
  expectFailures: file('ids of cases with known failures, one per line; each must still fail'),
  json: text('<file>', 'write the report as JSON'),
  junit: text('<file>', 'write the report as JUnit XML'),
  html: text('<file>', 'write the report as one HTML page'),
  help: flag('show this help', 'h')
}

const EXIT_STATUS =
  'Exit status: 0 conforms, or all its failures are known; 1 does not conform; 2 could not be run or judged.'

/** The description of a command, for parsing and for the help. `Values`: the options, as the functions need them. */
export interface Command<Values> {
  name: string
  usage: string[]
  description: string
  /** The options, by their names in camel case. */
  options: Partial<Record<keyof Values, Option>>
  positionals: number
  notes: string[]
}

export type ServerValues = CheckServerOptions & Shared & { list?: boolean; version?: boolean }
export type ClientValues = WatchClientOptions & Shared

/** The command that checks a server. */
export const serverCommand: Command<ServerValues> = {
  name: PROGRAM,
  usage: ['[options] <url>', 'client [options]'],
  description:
    'Checks whether a server conforms to the authentication contract of a screen service. <url> is the base URL of\n' +
    'the service, for example http://127.0.0.1:3000/api.',
  positionals: 1,
  options: {
    username: text('<name>', 'a user that the server accepts', { env: 'SCREEN_AUTH_USERNAME' }),
    password: text('<password>', 'the password of that user; safer in the environment', {
      env: 'SCREEN_AUTH_PASSWORD'
    }),
    secret: text('<key>', 'the secret that signs the JWTs (HS256), to check expired and forged JWTs', {
      env: 'SCREEN_AUTH_SECRET'
    }),
    key: file('the private key that signs the JWTs (RS256, ES256), as PEM or JWK'),
    publicKey: file('the public key, to check tokens that use it as an HMAC secret', { otherwise: 'that of --key' }),
    expiredToken: file('a token that was valid and has expired'),
    lifetime: seconds('lifetime of a token, at most 3600: the kit waits until a token expires'),
    secondUsername: text('<name>', 'another user, to check that each token gets the name and menu of its user', {
      env: 'SCREEN_AUTH_SECOND_USERNAME'
    }),
    secondPassword: text('<password>', 'the password of that user', { env: 'SCREEN_AUTH_SECOND_PASSWORD' }),
    reference: flag('also check what the contract requires only of the reference server'),
    appName: text('<name>', 'the application name of the reference server', {
      env: 'SVC_APP_NAME',
      otherwise: 'Demo Company'
    }),
    noAuth: flag('the server runs in the no-auth mode'),
    protected: list('<path>', 'one more protected route, relative to the URL'),
    hardening: flag('also run the hardening cases: word lists, odd headers, forged tokens'),
    advice: flag('also run the advice cases: what the contract does not require'),
    only: list('<id>', 'run only this case, or the cases of this clause (for example 5.3), of any profile'),
    list: flag('list the cases without sending a request'),
    timeout: seconds('longest time to wait for a response', '10'),
    limit: seconds('longest duration of the whole run', '300'),
    ...shared,
    version: flag('show the version', 'V')
  },
  notes: [`To check a client: ${PROGRAM} client --help`, EXIT_STATUS]
}

/** The command that checks a client. */
export const clientCommand: Command<ClientValues> = {
  name: `${PROGRAM} client`,
  usage: ['[options]'],
  description:
    'Checks a client: starts a scripted server, prints what to do with the client, and records its requests.',
  positionals: 0,
  options: {
    expect: list('<scenario>', `one of ${Object.keys(scenarios).join(', ')}`, { otherwise: 'all but login' }),
    username: text('<name>', 'the username that you will enter', { env: 'SCREEN_AUTH_USERNAME', otherwise: 'any' }),
    password: text('<password>', 'the password that you will enter', { env: 'SCREEN_AUTH_PASSWORD', otherwise: 'any' }),
    host: text('<address>', 'IP address of this machine to listen on, 0.0.0.0 for all', { otherwise: '127.0.0.1' }),
    port: text('<port>', 'port to listen on, 0 for any free port', { otherwise: '0' }),
    timeout: seconds('longest time to wait for the next request', '15, at a terminal 300'),
    ...shared
  },
  notes: [
    'A phone in the same network needs --host 0.0.0.0. An Android emulator needs no option: it reaches 127.0.0.1 of this\n' +
      'machine as 10.0.2.2. Anyone who reaches the address can send requests.',
    EXIT_STATUS
  ]
}

const flagOf = (name: string) => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)

const entriesOf = <Values>({ options }: Pick<Command<Values>, 'options'>) =>
  Object.entries<Option>(options as Record<string, Option>)

/**
 * Splits the arguments of a command. An option with a value takes the next argument, even if that argument begins with
 * a hyphen, because a password may.
 */
export function split<Values>(command: Command<Values>, args: string[]) {
  // Not strict: the strict mode rejects a value that begins with a hyphen, and its messages have several lines.
  return parseArgs({
    args,
    options: Object.fromEntries(
      entriesOf(command).map(([name, { value, multiple, short }]) => [
        flagOf(name),
        { type: value === undefined ? 'boolean' : 'string', ...(multiple && { multiple }), ...(short && { short }) }
      ])
    ),
    strict: false,
    allowPositionals: true,
    tokens: true
  })
}

/**
 * Validates the arguments of a command, and reads its files and its variables.
 *
 * @throws OptionError that names the first option that is unknown, lacks its value or has an unexpected value
 */
export async function parse<Values>(
  command: Command<Values>,
  given: ReturnType<typeof split>,
  env: Record<string, string | undefined>
): Promise<{ values: Values; positionals: string[] }> {
  const options = Object.fromEntries(entriesOf(command).map(([name, option]) => [flagOf(name), { ...option, name }]))
  for (const token of given.tokens) {
    if (token.kind !== 'option') continue
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined
    if (option === undefined) throw new OptionError(`unknown option '${token.rawName}'`)
    if (option.value !== undefined && token.value === undefined)
      throw new OptionError(`option '${token.rawName} ${option.value}' needs a value`)
    if (option.value === undefined && token.value !== undefined)
      throw new OptionError(`option '${token.rawName}' takes no value`)
  }
  const { positionals } = given
  if (positionals.length > command.positionals)
    throw new OptionError(`unexpected argument '${positionals[command.positionals]}'`)
  const values: Record<string, unknown> = {}
  for (const [flag, option] of Object.entries(options)) {
    const value = given.values[flag] ?? env[option.env ?? '']
    if (value !== undefined) values[option.name] = await converted(flag, option, value)
  }
  return { values: values as Values, positionals }
}

async function converted(flag: string, { value, isRead }: Option, given: unknown): Promise<unknown> {
  if (value === '<seconds>' || value === '<port>') return Number(given)
  if (!isRead) return given
  return readFile(String(given), 'utf8').catch(({ message }) => {
    throw new OptionError(`the file of --${flag} cannot be read: ${message}`)
  })
}

/** Returns the help of a command: its usage, and each option with its meaning and default. */
export function help<Values>(command: Command<Values>): string {
  const { name, usage, description, notes } = command
  const rows = entriesOf(command).map(([long, { short, value, ...option }]) => [
    `${short === undefined ? '' : `-${short}, `}--${flagOf(long)}${value === undefined ? '' : ` ${value}`}`,
    meaning(option)
  ])
  const width = Math.max(...rows.map(([left = '']) => left.length))
  return [
    usage.map((line, index) => `${index === 0 ? 'Usage:' : '      '} ${name} ${line}`).join('\n'),
    description,
    ['Options:', ...rows.map(([left = '', right]) => `  ${left.padEnd(width)}  ${right}`)].join('\n'),
    ...notes
  ].join('\n\n')
}

function meaning({ help, multiple, env, otherwise }: Option): string {
  const notes = [multiple && 'may be repeated', env && `env: ${env}`, otherwise && `default: ${otherwise}`]
  const words = notes.filter(note => note !== undefined)
  return words.length === 0 ? help : `${help} (${words.join('; ')})`
}
