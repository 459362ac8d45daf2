import { existsSync, mkdirSync } from 'node:fs'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SetupError } from './errors.ts'
import { BRAND_FILES } from './web-client.ts'

/** Settings of the server. The plugin reads its own settings with `optionsFromEnv`. */
export interface ServerConfig {
  host: string
  port: number
  databaseUrl: string
  /** Redis for shared sessions and failed logins; null for JWTs and a count of failures in each server. */
  redisUrl: string | null
  /** In seconds. */
  tokenLifetime: number
  /** Addresses of the trusted proxies, whose X-Forwarded-For the server uses; false without a proxy. */
  trustProxy: string[] | false
  /** Whether the server adds a user with a well-known password to an empty database. */
  demoUser: boolean
  /** Folder with the logo and the colour of the host; undefined for the folder of the example. */
  brand: string | undefined
}

/** Maximum of SVC_TOKEN_LIFETIME, in seconds: 400 days, as for sessions in Redis. */
const MAX_LIFETIME = 34_560_000

/** The valid values of each variable, and the end of the message about another value. */
const RULES: Record<string, [isValid: (value: string) => boolean, message: string]> = {
  HOST: [value => /^[!-~]{1,253}$/.test(value), 'must be an address to listen on, for example 127.0.0.1 or 0.0.0.0'],
  PORT: [
    value => /^\d{1,5}$/.test(value) && Number(value) <= 65_535,
    'must be a whole number from 0 to 65535, for example 3000'
  ],
  SVC_BRAND: [
    value => BRAND_FILES.every(name => existsSync(join(value, name))),
    `must be a folder with the files ${BRAND_FILES.join(' and ')}; unset it for the files of examples/brand`
  ],
  SVC_DATABASE_URL: [
    value => value !== '',
    'must be a libSQL URL, for example file:users.db; unset it for the embedded database'
  ],
  SVC_REDIS_URL: [
    value => /^rediss?:\/\/[^/]/.test(value),
    'must be a Redis URL, for example redis://127.0.0.1:6379; unset it for JWTs'
  ],
  SVC_DEMO_USER: [
    value => /^(true|false)$/i.test(value),
    'must be true or false; unset it for a demo user if only this machine can log in'
  ],
  SVC_TRUST_PROXY: [
    value => toList(value).every(isNetwork),
    'must be the addresses or networks of your proxies, for example 10.0.0.0/8,::1; unset it without a proxy'
  ],
  SVC_TOKEN_LIFETIME: [
    value => /^[1-9]\d{0,7}$/.test(value) && Number(value) <= MAX_LIFETIME,
    `must be a whole number of seconds from 1 to ${MAX_LIFETIME}, for example 86400`
  ]
}

/** Folder of the embedded database (git-ignored): next to package.json, because npm starts its scripts there. */
const DATA = pathToFileURL('data/')

/** @throws SetupError */
export function readConfig(env: NodeJS.ProcessEnv): ServerConfig {
  for (const [name, [isValid, message]] of Object.entries(RULES)) {
    const value = env[name]
    if (value !== undefined && !isValid(value)) throw new SetupError(`${name} ${message}`)
  }
  const { HOST = '127.0.0.1', PORT = '3000', SVC_TOKEN_LIFETIME = '86400', ...optional } = env
  const { SVC_BRAND, SVC_DATABASE_URL, SVC_DEMO_USER, SVC_REDIS_URL, SVC_TRUST_PROXY } = optional
  const isForThisMachine = isLoopback(HOST) && SVC_TRUST_PROXY === undefined
  return {
    host: HOST,
    port: Number(PORT),
    databaseUrl: SVC_DATABASE_URL ?? embeddedDatabase(),
    redisUrl: SVC_REDIS_URL ?? null,
    tokenLifetime: Number(SVC_TOKEN_LIFETIME),
    trustProxy: SVC_TRUST_PROXY === undefined ? false : toList(SVC_TRUST_PROXY),
    brand: SVC_BRAND && resolve(SVC_BRAND),
    demoUser: SVC_DEMO_USER === undefined ? isForThisMachine : SVC_DEMO_USER.toLowerCase() === 'true'
  }
}

function toList(text: string): string[] {
  return text.split(',').map(part => part.trim())
}

/** Whether the text is an IP address, or a network with a prefix length of at least 1, for example 10.0.0.0/8. */
function isNetwork(text: string): boolean {
  const [address = '', bits = '1', ...rest] = text.split('/')
  const family = isIP(address)
  return family > 0 && rest.length === 0 && /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)
}

/** Creates the folder for its owner if it does not exist. Returns the URL of the database. */
function embeddedDatabase(): string {
  mkdirSync(DATA, { recursive: true, mode: 0o700 })
  return new URL('users.db', DATA).href
}

/** Whether only this machine can reach a server that listens on this address. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}
