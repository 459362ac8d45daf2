import { clientScript } from '../cases.ts'
import type { Command } from './arguments.ts'

/** The name of the program. */
export const PROGRAM = 'screen-auth-conformance'

const username = { type: 'string', value: '<name>', env: 'SCREEN_AUTH_USERNAME' } as const
const password = { type: 'string', value: '<password>', env: 'SCREEN_AUTH_PASSWORD' } as const

const common = {
  exclude: { type: 'string', value: '<id>', multiple: true, help: 'leave this case out' },
  'expect-failures': {
    type: 'string',
    value: '<file>',
    help: 'ids of cases that are known to fail, one a line; each must still fail'
  },
  json: { type: 'string', value: '<file>', help: 'write the report as JSON' },
  junit: { type: 'string', value: '<file>', help: 'write the report as JUnit XML' },
  help: { type: 'boolean', short: 'h', help: 'show this help' }
} as const

const EXIT_STATUS =
  'Exit status: 0 conforms, or all its failures are known; 1 does not conform; 2 could not be run.'

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
    username: { ...username, help: 'a user that the server accepts' },
    password: { ...password, help: 'the password of that user, better in the environment' },
    secret: {
      type: 'string',
      value: '<key>',
      env: 'SCREEN_AUTH_SECRET',
      help: 'the secret that signs the JWTs (HS256), to check expired and forged ones'
    },
    key: {
      type: 'string',
      value: '<file>',
      help: 'the private key that signs them (RS256, ES256), as PEM or JWK'
    },
    'public-key': {
      type: 'string',
      value: '<file>',
      otherwise: 'that of --key',
      help: 'the public key, to check tokens that take it for a secret'
    },
    'expired-token': { type: 'string', value: '<file>', help: 'a token that was valid once' },
    lifetime: {
      type: 'string',
      value: '<seconds>',
      help: 'how long a token is valid, at most 3600: the check waits for the end of one'
    },
    'second-username': {
      type: 'string',
      value: '<name>',
      env: 'SCREEN_AUTH_SECOND_USERNAME',
      help: 'another user, to check that names and menus belong to their tokens'
    },
    'second-password': {
      type: 'string',
      value: '<password>',
      env: 'SCREEN_AUTH_SECOND_PASSWORD',
      help: 'the password of that user'
    },
    reference: {
      type: 'boolean',
      help: 'check what the contract demands of the reference server alone, too'
    },
    'app-name': {
      type: 'string',
      value: '<name>',
      env: 'SVC_APP_NAME',
      default: 'Demo Company',
      help: 'the application name of the reference server'
    },
    'no-auth': { type: 'boolean', help: 'the server runs in the no-auth mode' },
    protected: {
      type: 'string',
      value: '<path>',
      multiple: true,
      help: 'a further route that must be protected, below the URL'
    },
    only: { type: 'string', value: '<id>', multiple: true, help: 'run this case only' },
    list: { type: 'boolean', help: 'list the cases, and send nothing' },
    timeout: {
      type: 'string',
      value: '<seconds>',
      default: '10',
      help: 'longest time to wait for a response'
    },
    ...common,
    version: { type: 'boolean', short: 'V', help: 'show the version' }
  },
  notes: [`To check a client: ${PROGRAM} client --help`, EXIT_STATUS]
} as const satisfies Command

/** Checks a client. */
export const clientCommand = {
  name: `${PROGRAM} client`,
  usage: ['[options]'],
  description:
    'Checks a client: starts a scripted server, says what to do with the client, and records what it sends.',
  positionals: 0,
  options: {
    expect: {
      type: 'string',
      value: '<scenario>',
      multiple: true,
      otherwise: 'all but login',
      help: `one of ${Object.keys(clientScript.scenarios).join(', ')}`
    },
    username: { ...username, otherwise: 'any', help: 'the username that will be entered' },
    password: { ...password, otherwise: 'any', help: 'the password that will be entered' },
    host: {
      type: 'string',
      value: '<address>',
      default: '127.0.0.1',
      help: 'IP address of this machine to listen at, 0.0.0.0 for all'
    },
    port: { type: 'string', value: '<port>', default: '0', help: 'port, 0 for a free one' },
    timeout: {
      type: 'string',
      value: '<seconds>',
      otherwise: '15, at a terminal 300',
      help: 'longest time to wait for the next request'
    },
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
