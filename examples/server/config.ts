import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import envSchema from 'env-schema'
import { SetupError } from './errors.ts'
import { LANGUAGES } from './language.ts'
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
  /** Language for clients that request no language. */
  language: string
}

/** Maximum of SVC_TOKEN_LIFETIME, in seconds: 400 days, as for sessions in Redis. */
const MAX_LIFETIME = 34_560_000

const LANGUAGE_CODES = LANGUAGES.map(({ code }) => code)

const RULES: Record<string, string> = {
  SVC_BRAND: `must be a folder with the files ${BRAND_FILES.join(' and ')}; unset it for the files of examples/brand`,
  SVC_LANGUAGE: `must be ${LANGUAGE_CODES.join(' or ')}; unset it for ${LANGUAGE_CODES[0]}`,
  HOST: 'must be an address to listen on, for example 127.0.0.1 or 0.0.0.0',
  PORT: 'must be a whole number from 0 to 65535, for example 3000',
  SVC_DATABASE_URL: 'must be a libSQL URL, for example file:users.db; unset it for the embedded database',
  SVC_REDIS_URL: 'must be a Redis URL, for example redis://127.0.0.1:6379; unset it for JWTs',
  SVC_DEMO_USER: 'must be true or false; unset it for a demo user if only this machine can log in',
  SVC_TRUST_PROXY:
    'must be the addresses or networks of your proxies, for example 10.0.0.0/8,::1; unset it without a proxy',
  SVC_TOKEN_LIFETIME: `must be a whole number of seconds from 1 to ${MAX_LIFETIME}, for example 86400`
}

const schema = {
  type: 'object',
  properties: {
    HOST: { type: 'string', pattern: '^[!-~]{1,253}$', default: '127.0.0.1' },
    PORT: { type: 'string', format: 'port', default: '3000' },
    SVC_BRAND: { type: 'string', format: 'brand' },
    SVC_LANGUAGE: { type: 'string', enum: LANGUAGE_CODES, default: LANGUAGE_CODES[0] },
    SVC_DATABASE_URL: { type: 'string', minLength: 1 },
    SVC_REDIS_URL: { type: 'string', pattern: '^rediss?://[^/]' },
    SVC_DEMO_USER: { type: 'string', pattern: '^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$' },
    SVC_TRUST_PROXY: { type: 'string', format: 'networks' },
    SVC_TOKEN_LIFETIME: { type: 'string', format: 'lifetime', default: '86400' }
  }
}

/** Folder of the embedded database (git-ignored), independent of the working directory. */
const DATA = new URL('../../data/', import.meta.url)

/**
 * @param data the folder of the embedded database
 * @throws SetupError
 */
export function readConfig(env: NodeJS.ProcessEnv, data = DATA): ServerConfig {
  const { HOST = '', PORT, SVC_LANGUAGE = '', SVC_TOKEN_LIFETIME, ...optional } = checked(env)
  const { SVC_BRAND, SVC_DATABASE_URL, SVC_DEMO_USER, SVC_REDIS_URL, SVC_TRUST_PROXY } = optional
  const isForThisMachine = isLoopback(HOST) && SVC_TRUST_PROXY === undefined
  return {
    host: HOST,
    port: Number(PORT),
    databaseUrl: SVC_DATABASE_URL ?? embeddedDatabase(data),
    redisUrl: SVC_REDIS_URL ?? null,
    tokenLifetime: Number(SVC_TOKEN_LIFETIME),
    trustProxy: SVC_TRUST_PROXY === undefined ? false : toList(SVC_TRUST_PROXY),
    language: SVC_LANGUAGE,
    brand: SVC_BRAND && resolve(SVC_BRAND),
    demoUser: SVC_DEMO_USER === undefined ? isForThisMachine : SVC_DEMO_USER.toLowerCase() === 'true'
  }
}

function checked(env: NodeJS.ProcessEnv): Record<string, string | undefined> {
  try {
    return envSchema<Record<string, string>>({
      schema,
      data: env,
      env: false,
      ajv: {
        customOptions: ajv =>
          ajv
            .addFormat('brand', folder => BRAND_FILES.every(name => existsSync(join(folder, name))))
            .addFormat('port', port => /^\d{1,5}$/.test(port) && Number(port) <= 65_535)
            .addFormat('lifetime', seconds => /^[1-9]\d{0,7}$/.test(seconds) && Number(seconds) <= MAX_LIFETIME)
            .addFormat('networks', networks => toList(networks).every(isNetwork))
      }
    })
  } catch (error) {
    const [{ instancePath }] = (error as { errors: [{ instancePath: string }] }).errors
    const name = instancePath.slice(1)
    throw new SetupError(`${name} ${RULES[name]}`)
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

/** Creates the folder if it does not exist, and restricts access to its owner. Returns the URL of the database. */
function embeddedDatabase(folder: URL): string {
  try {
    mkdirSync(folder, { recursive: true })
    chmodSync(folder, 0o700)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new SetupError(
      `SVC_DATABASE_URL: the folder ${fileURLToPath(folder)} of the embedded database cannot be used (${code}); ` +
        'make it writable, or set SVC_DATABASE_URL to a libSQL URL such as file:users.db'
    )
  }
  return `file:${fileURLToPath(new URL('users.db', folder))}`
}

/** Whether only this machine can reach a server that listens on this address. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}
