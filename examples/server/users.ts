/** `npm run users`: adds, lists, removes and unlocks users, sets their passwords and revokes their sessions. */
import { buffer } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { type LoginLimits, loginLimits, type OpaqueTokens, opaqueTokens, redisStore } from 'fastify-screen-auth'
import { read } from 'read'
import { readConfig } from './config.ts'
import { Database } from './database.ts'
import { run, SetupError } from './errors.ts'
import { connect, PREFIX, redisClient } from './redis.ts'
import { texts } from './texts.ts'
import { passwordFault, UserStore } from './user-store.ts'

const USAGE = `Usage: npm run users -- COMMAND

  add NAME [--display-name "DISPLAY NAME"]   add a user
  list                                       list all users
  passwd NAME                                set a user's password
  remove NAME                                remove a user
  sign-out NAME                              end all sessions of a user
  unlock NAME                                delete the failed logins of a user

The command asks for a password without echo, or reads it from standard input if that is not a terminal.
It uses the server's database: SVC_DATABASE_URL, or the embedded file. With the server's SVC_REDIS_URL,
passwd, remove and sign-out end all sessions of the user, and forget the networks from which the user has
logged in. sign-out and unlock require SVC_REDIS_URL.`

interface Resources {
  users: UserStore
  /** Null without Redis: a command cannot access the memory of the server. */
  redisUrl: string | null
}

type Command = (resources: Resources, name: string, displayName?: string) => Promise<void>

const commands: Record<string, Command> = { add, list, passwd: setPassword, remove, 'sign-out': signOut, unlock }

await run(async () => {
  const args = process.argv.slice(2)
  if (args.includes('--help')) return console.log(USAGE)
  const command = readCommand(args)
  const { SVC_DATABASE_URL, SVC_REDIS_URL } = process.env
  const { databaseUrl, redisUrl } = readConfig({ SVC_DATABASE_URL, SVC_REDIS_URL })
  const database = new Database(databaseUrl)
  try {
    await command({ users: await UserStore.open(database), redisUrl })
  } finally {
    database.close()
  }
})

/**
 * Reads the command from the arguments.
 *
 * @throws SetupError with USAGE when they are invalid
 */
function readCommand(args: string[]): (resources: Resources) => Promise<void> {
  try {
    const { positionals, values } = parseArgs({
      args,
      allowPositionals: true,
      options: { 'display-name': { type: 'string' } }
    })
    const displayName = values['display-name']
    const [word = '', name = '', ...others] = positionals
    const command = Object.hasOwn(commands, word) ? commands[word] : undefined
    const isRight =
      command !== undefined &&
      (command === list) === (name === '') &&
      others.length === 0 &&
      (command === add || displayName === undefined)
    if (!isRight) throw new Error()
    return resources => command(resources, name, displayName)
  } catch {
    throw new SetupError(USAGE)
  }
}

async function add({ users }: Resources, name: string, displayName = name): Promise<void> {
  checkName('NAME', name)
  checkName('--display-name', displayName)
  // Checked before the password, so that the person does not enter one needlessly.
  const isTaken = (await users.find(name)) !== null
  if (isTaken || !(await users.add({ username: name, displayName }, await askPassword()))) {
    throw new SetupError(`${name} exists already; choose another NAME`)
  }
  console.log(`Added ${name} (${displayName}).`)
}

async function list({ users }: Resources): Promise<void> {
  for (const { username, displayName, createdAt } of await users.list()) {
    console.log([username, displayName, createdAt].join('\t'))
  }
}

async function setPassword({ users, redisUrl }: Resources, name: string): Promise<void> {
  if ((await users.find(name)) === null) throw unknown(name)
  await users.setPassword(name, await askPassword())
  console.log(`Set the password of ${name}.`)
  await endLogins(redisUrl, name)
}

async function remove({ users, redisUrl }: Resources, name: string): Promise<void> {
  if (!(await users.remove(name))) throw unknown(name)
  console.log(`Removed ${name}.`)
  await endLogins(redisUrl, name)
}

/** Also works for a user who has been removed. */
async function signOut({ redisUrl }: Resources, name: string): Promise<void> {
  if (redisUrl === null) throw new SetupError('Only sessions in Redis can be ended: set SVC_REDIS_URL')
  await endLogins(redisUrl, name)
}

async function unlock({ users, redisUrl }: Resources, name: string): Promise<void> {
  if (redisUrl === null) {
    throw new SetupError(
      'Without SVC_REDIS_URL the failed logins are in the memory of the server: wait an hour, or restart the server'
    )
  }
  // Without this check, a misspelt name would unlock no user and report no error.
  if ((await users.find(name)) === null) throw unknown(name)
  const consequence = `the failed logins of ${name} still count; repeat this command when Redis is back`
  await changeLogins(redisUrl, consequence, limits => limits.unlock({ username: name }))
  console.log(`Deleted the failed logins of ${name}.`)
}

/** Revokes all sessions of a user, and forgets the networks from which the user has logged in. */
async function endLogins(redisUrl: string | null, name: string): Promise<void> {
  if (redisUrl === null) return console.log('Earlier tokens stay valid until they expire.')
  const consequence = `the sessions of ${name} stay valid; when Redis is back, run: npm run users -- sign-out ${name}`
  await changeLogins(redisUrl, consequence, async (limits, tokens) => {
    await limits.forgetNetworks(name)
    await tokens.revokeAll(name)
  })
  console.log(`${name} is signed out everywhere.`)
}

/**
 * Changes the logins that the servers share in Redis.
 *
 * @throws SetupError with `consequence` when Redis is down
 */
async function changeLogins(
  redisUrl: string,
  consequence: string,
  change: (limits: LoginLimits, tokens: OpaqueTokens) => Promise<void>
): Promise<void> {
  const redis = redisClient(redisUrl)
  const store = redisStore(redis, { prefix: PREFIX })
  try {
    await connect(redis, { info() {}, error() {} })
    await change(loginLimits({ store }), opaqueTokens({ store }))
  } catch (error) {
    if (error instanceof SetupError) throw error
    throw new SetupError(`Redis is down, so ${consequence}`)
  } finally {
    redis.destroy()
  }
}

/** Names must be short and without control characters, because lists, logs and a header contain them. */
function checkName(argument: string, value: string): void {
  if (/^[^\p{C}]{1,128}$/u.test(value) && value === value.trim()) return
  throw new SetupError(`${argument} must be 1 to 128 printable characters without space around them`)
}

function unknown(name: string): SetupError {
  return new SetupError(`There is no user ${name}; list the names with: npm run users -- list`)
}

/**
 * Reads a new password: twice and without echo from a terminal, otherwise the first line of standard input.
 *
 * @throws SetupError when the password is invalid
 */
async function askPassword(): Promise<string> {
  const password = process.stdin.isTTY ? await fromTerminal() : await fromPipe()
  const fault = passwordFault(password)
  if (fault !== null) throw new SetupError(texts.password.faults[fault])
  return password
}

async function fromTerminal(): Promise<string> {
  const password = await readSilently('Password: ')
  const again = await readSilently('Password again: ')
  if (password !== again) throw new SetupError('The two passwords do not match.')
  return password
}

async function readSilently(prompt: string): Promise<string> {
  try {
    return await read({ prompt, silent: true })
  } catch {
    throw new SetupError('Cancelled.')
  } finally {
    // Adds the line break that Enter did not echo.
    process.stdout.write('\n')
  }
}

async function fromPipe(): Promise<string> {
  const bytes = await buffer(process.stdin)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).split(/\r?\n/, 1)[0] as string
  } catch {
    throw new SetupError('The password on standard input is not UTF-8.')
  }
}
