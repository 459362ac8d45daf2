import { isIP } from 'node:net'
import { parseArgs } from 'node:util'
import { SetupError } from './errors.ts'
import type { UserStore } from './user-store.ts'

export const USAGE = `Usage: npm run users -- COMMAND

  add NAME [--display-name "DISPLAY NAME"]   add a user
  list                                       list all users
  passwd NAME                                set a user's password
  remove NAME                                remove a user
  sign-out NAME                              end all sessions of a user
  unlock NAME [--address ADDRESS]            forget the failed logins of a user, and of an address

A password is asked for without echo, or read from standard input when that is not a terminal.
The database is the server's: SVC_DATABASE_URL, or the embedded file. With the server's SVC_REDIS_URL,
passwd, remove and sign-out end all sessions of the user, and forget the networks from which they have
logged in; sign-out and unlock need it.`

/** What a command needs. */
export interface Means {
  users: UserStore
  /** @throws SetupError when the password is not allowed */
  askPassword(): Promise<string>
  /** Null where they are in the memory of the server, which no command can reach. */
  logins: Logins | null
}

/** What running servers keep of the logins. */
export interface Logins {
  /** Ends all sessions of a user, and forgets the networks from which they have logged in. */
  end(name: string): Promise<void>
  /** Forgets the failed logins of a user, and those of an address. */
  unlock(name: string, address: string | undefined): Promise<void>
}

interface Command {
  option?: 'display-name' | 'address'
  /** @param value that of the option, if it is given */
  execute(means: Means, name: string, value: string | undefined): Promise<void>
}

const commands: Record<string, Command> = {
  add: { option: 'display-name', execute: add },
  list: { execute: list },
  passwd: { execute: setPassword },
  remove: { execute: remove },
  'sign-out': { execute: signOut },
  unlock: { option: 'address', execute: unlock }
}

/**
 * Reads the command from the arguments.
 *
 * @throws SetupError with USAGE when they are wrong
 */
export function readCommand(args: string[]): (means: Means) => Promise<void> {
  try {
    const { positionals, values } = parseArgs({
      args,
      allowPositionals: true,
      options: { 'display-name': { type: 'string' }, address: { type: 'string' } }
    })
    const [word = '', name = '', ...others] = positionals
    const command = Object.hasOwn(commands, word) ? commands[word] : undefined
    const isRight =
      command !== undefined &&
      (command.execute === list) === (name === '') &&
      others.length === 0 &&
      Object.keys(values).every(option => option === command.option)
    if (!isRight) throw new Error()
    return means => command.execute(means, name, command.option && values[command.option])
  } catch {
    throw new SetupError(USAGE)
  }
}

async function add({ users, askPassword }: Means, name: string, displayName = name): Promise<void> {
  checkName('NAME', name)
  checkName('--display-name', displayName)
  // First, so that the person does not enter a password in vain.
  const isTaken = (await users.find(name)) !== null
  if (isTaken || !(await users.add({ username: name, displayName }, await askPassword()))) {
    throw new SetupError(`${name} exists already; choose another NAME`)
  }
  console.log(`Added ${name} (${displayName}).`)
}

async function list({ users }: Means): Promise<void> {
  for (const { username, displayName, createdAt } of await users.list()) {
    console.log([username, displayName, createdAt].join('\t'))
  }
}

async function setPassword({ users, askPassword, logins }: Means, name: string): Promise<void> {
  if ((await users.find(name)) === null) throw unknown(name)
  await users.setPassword(name, await askPassword())
  console.log(`Set the password of ${name}.`)
  await endLogins(logins, name)
}

async function remove({ users, logins }: Means, name: string): Promise<void> {
  if (!(await users.remove(name))) throw unknown(name)
  console.log(`Removed ${name}.`)
  await endLogins(logins, name)
}

/** Also works for a user who has been removed. */
async function signOut({ logins }: Means, name: string): Promise<void> {
  if (logins === null) throw new SetupError('Sessions can only be ended where SVC_REDIS_URL is set')
  await endLogins(logins, name)
}

async function unlock({ users, logins }: Means, name: string, address?: string): Promise<void> {
  if (logins === null) {
    throw new SetupError(
      'Without SVC_REDIS_URL the failed logins are in the memory of the server: wait an hour, or restart it'
    )
  }
  // Else a misspelt name would unlock no user, without a word.
  if ((await users.find(name)) === null) throw unknown(name)
  if (address !== undefined && isIP(address) === 0) {
    throw new SetupError('--address must be an IP address, for example 192.0.2.1 or 2001:db8::1')
  }
  await logins.unlock(name, address)
  const whose = address === undefined ? name : `${name} and of ${address}`
  console.log(`The failed logins of ${whose} are forgotten.`)
}

async function endLogins(logins: Logins | null, name: string): Promise<void> {
  if (logins === null) return console.log('Tokens made before stay valid until they expire.')
  await logins.end(name)
  console.log(`${name} is signed out everywhere.`)
}

/** Names appear in lists, logs and a header, so they must be short and without control characters. */
function checkName(argument: string, value: string): void {
  if (/^[^\p{C}]{1,128}$/u.test(value) && value === value.trim()) return
  throw new SetupError(`${argument} must be 1 to 128 printable characters without space around them`)
}

function unknown(name: string): SetupError {
  return new SetupError(`There is no user ${name}; see the names with: npm run users -- list`)
}
