/** `npm run users`: adds, lists and removes users, and sets their passwords. */
import { parseArgs } from 'node:util'
import { askPassword } from './ask-password.ts'
import { LONGEST_LIFETIME, readConfig, type ServerConfig } from './config.ts'
import { Redis } from './redis.ts'
import { run, SetupError } from './setup-error.ts'
import { UserStore } from './user-store.ts'

const USAGE = `Usage: npm run users -- COMMAND

  add NAME [--display-name "DISPLAY NAME"]   add a user
  list                                       list all users
  passwd NAME                                set a user's password
  remove NAME                                remove a user
  sign-out NAME                              end all sessions of a user

A password is asked for without echo, or read from standard input when that is not a terminal.
The database is the server's: SVC_DATABASE_URL, or the embedded file. With the server's SVC_REDIS_URL,
passwd and remove also end the sessions of the user.`

type Command = (users: UserStore, name: string, displayName: string, config: ServerConfig) => Promise<void>

const commands: Record<string, { takesName: boolean; execute: Command }> = {
  add: { takesName: true, execute: add },
  list: { takesName: false, execute: list },
  passwd: { takesName: true, execute: setPassword },
  remove: { takesName: true, execute: remove },
  'sign-out': { takesName: true, execute: signOut }
}

await run(async () => {
  if (process.argv.includes('--help')) return console.log(USAGE)
  const { command, name, displayName } = readArguments()
  const { SVC_DATABASE_URL, SVC_REDIS_URL } = process.env
  const config = readConfig({ SVC_DATABASE_URL, SVC_REDIS_URL })
  const users = await UserStore.open(config.databaseUrl)
  try {
    await command(users, name, displayName, config)
  } finally {
    users.close()
  }
})

async function add(users: UserStore, name: string, displayName: string): Promise<void> {
  checkName('NAME', name)
  checkName('--display-name', displayName)
  // Looked up first, so that nobody is asked for a password in vain.
  const isTaken = (await users.find(name)) !== null
  if (isTaken || !(await users.add({ username: name, displayName }, await askPassword()))) {
    throw new SetupError(`${name} exists already; choose another NAME`)
  }
  console.log(`Added ${name} (${displayName}).`)
}

async function list(users: UserStore): Promise<void> {
  for (const { username, displayName, createdAt } of await users.list()) {
    console.log([username, displayName, createdAt].join('\t'))
  }
}

async function setPassword(users: UserStore, name: string, _: string, config: ServerConfig): Promise<void> {
  if ((await users.find(name)) === null) throw unknown(name)
  await users.setPassword(name, await askPassword())
  console.log(`Set the password of ${name}.`)
  await endSessions(name, config)
}

async function remove(users: UserStore, name: string, _: string, config: ServerConfig): Promise<void> {
  if (!(await users.remove(name))) throw unknown(name)
  console.log(`Removed ${name}.`)
  await endSessions(name, config)
}

/** Also of a user who is not there any more. */
async function signOut(_users: UserStore, name: string, _: string, config: ServerConfig): Promise<void> {
  if (config.redisUrl === null) throw new SetupError('Sessions can only be ended where SVC_REDIS_URL is set')
  await endSessions(name, config)
}

/** Ends all sessions of a user, if they can be ended, and says so. */
async function endSessions(name: string, { redisUrl }: ServerConfig): Promise<void> {
  if (redisUrl === null) return console.log('Tokens made before stay valid until they expire.')
  const redis = new Redis(redisUrl)
  try {
    await redis.open({ info() {}, error() {} })
    // However long the sessions of the servers are.
    await redis.tokens(LONGEST_LIFETIME).revokeAll(name)
    console.log(`${name} is signed out everywhere.`)
  } catch (error) {
    if (error instanceof SetupError) throw error
    throw new SetupError(
      `Redis is down, so the sessions of ${name} go on; when it is back: npm run users -- sign-out ${name}`
    )
  } finally {
    redis.close()
  }
}

/** Names are printed in lists and logs and sent in a header: no control characters, and not too long. */
function checkName(argument: string, value: string): void {
  if (/^[^\p{C}]{1,128}$/u.test(value) && value === value.trim()) return
  throw new SetupError(`${argument} must be 1 to 128 printable characters without space around them`)
}

function unknown(name: string): SetupError {
  return new SetupError(`There is no user ${name}; see the names with: npm run users -- list`)
}

/** Anything that is not a command as USAGE shows it ends with USAGE. */
function readArguments(): { command: Command; name: string; displayName: string } {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: { 'display-name': { type: 'string' } }
    })
    const [word = '', name = '', ...others] = positionals
    const command = Object.hasOwn(commands, word) ? commands[word] : undefined
    const { 'display-name': displayName } = values
    const isRight =
      command !== undefined &&
      command.takesName === (name !== '') &&
      others.length === 0 &&
      (displayName === undefined || command.execute === add)
    if (!isRight) throw new Error()
    return { command: command.execute, name, displayName: displayName ?? name }
  } catch {
    throw new SetupError(USAGE)
  }
}
