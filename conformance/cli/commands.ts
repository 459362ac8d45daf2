import type { CheckServerOptions } from '../server/options.ts'
import { scenarios } from '../watch/scenarios.ts'
import type { WatchClientOptions } from '../watch/watch-client.ts'

export const PROGRAM = 'screen-auth-conformance'

interface Option {
  help: string
  /** The name of the value in the help, for example `<file>`; absent for a flag. `<seconds>` and `<port>` are numbers. */
  value?: string
  /** Converts the content of the file that the option names. */
  read?: (text: string) => unknown
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
const file = (help: string, more?: Partial<Option>) => text('<file>', help, { read: content => content, ...more })
const seconds = (help: string, otherwise?: string) => text('<seconds>', help, otherwise ? { otherwise } : {})

const shared = {
  verbose: flag('print each result, and each failure in full'),
  exclude: list('<id>', 'skip this case'),
  expectFailures: file('ids of cases with known failures, one per line; each must still fail', { read: idsIn }),
  json: text('<file>', 'write the report as JSON'),
  junit: text('<file>', 'write the report as JUnit XML'),
  html: text('<file>', 'write the report as one HTML page'),
  help: flag('show this help', 'h')
}

function idsIn(text: string): string[] {
  const lines = text.split(/[\r\n]/)
  return lines.map(line => line.replace(/#.*/, '').trim()).filter(line => line !== '')
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

export type Shared = Partial<Record<keyof typeof shared, unknown>>
export type ServerValues = CheckServerOptions & Shared & { list?: unknown; version?: unknown }
export type ClientValues = WatchClientOptions & Shared

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
    protected: list('<path>', 'one more protected route below the URL, for example /orders'),
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

export const optionsOf = <Values>({ options }: Pick<Command<Values>, 'options'>) =>
  Object.entries<Option>(options as Record<string, Option>).map(([name, option]) => {
    const flag = name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
    return { ...option, name, flag, names: [...(option.short ? [`-${option.short}`] : []), `--${flag}`] }
  })

export type NamedOption = ReturnType<typeof optionsOf>[number]

export function help<Values>(command: Command<Values>): string {
  const { name, usage, description, notes } = command
  const rows = optionsOf(command).map(({ names, value, help, multiple, env, otherwise }) => {
    const more = [multiple && 'may be repeated', env && `env: ${env}`, otherwise && `default: ${otherwise}`]
    const inBrackets = more.filter(note => note !== undefined).join('; ')
    return [[names.join(', '), value].join(' ').trim(), inBrackets === '' ? help : `${help} (${inBrackets})`]
  })
  const width = Math.max(...rows.map(([left = '']) => left.length))
  return [
    usage.map((line, index) => `${index === 0 ? 'Usage:' : '      '} ${name} ${line}`).join('\n'),
    description,
    ['Options:', ...rows.map(([left = '', right]) => `  ${left.padEnd(width)}  ${right}`)].join('\n'),
    ...notes
  ].join('\n\n')
}
