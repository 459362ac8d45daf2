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
  unlock NAME [--address ADDRESS]            delete the failed logins of a user, and of an address

The command asks for a password without echo, or reads it from standard input if that is not a terminal.
It uses the server's database: SVC_DATABASE_URL, or the embedded file. With the server's SVC_REDIS_URL,
passwd, remove and sign-out end all sessions of the user, and forget the networks from which the user has
logged in. sign-out and unlock require SVC_REDIS_URL.`

export interface Resources {
  users: UserStore
  /** @throws SetupError when the password is invalid */
  askPassword(): Promise<string>
  /** Null without Redis: a command cannot access the memory of the server. */
  logins: Logins | null
}

/** Operations on the login data of running servers. */
export interface Logins {
  /** Revokes all sessions of a user, and forgets the networks from which the user has logged in. */
  end(name: string): Promise<void>
  /** Deletes the failed logins of a user, and those of an address. */
  unlock(name: string, address: string | undefined): Promise<void>
}

interface Command {
  option?: 'display-name' | 'address'
  /** @param value the value of the option, if the person gave one */
  execute(resources: Resources, name: string, value: string | undefined): Promise<void>
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
 * @throws SetupError with USAGE when the arguments are invalid
 */
export function readCommand(args: string[]): (resources: Resources) => Promise<void> {
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
    return resources => command.execute(resources, name, command.option && values[command.option])
  } catch {
    throw new SetupError(USAGE)
  }
}

async function add({ users, askPassword }: Resources, name: string, displayName = name): Promise<void> {
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

async function setPassword({ users, askPassword, logins }: Resources, name: string): Promise<void> {
  if ((await users.find(name)) === null) throw unknown(name)
  await users.setPassword(name, await askPassword())
  console.log(`Set the password of ${name}.`)
  await endLogins(logins, name)
}

async function remove({ users, logins }: Resources, name: string): Promise<void> {
  if (!(await users.remove(name))) throw unknown(name)
  console.log(`Removed ${name}.`)
  await endLogins(logins, name)
}

/** Also works for a user who has been removed. */
async function signOut({ logins }: Resources, name: string): Promise<void> {
  if (logins === null) throw new SetupError('Only sessions in Redis can be ended: set SVC_REDIS_URL')
  await endLogins(logins, name)
}

async function unlock({ users, logins }: Resources, name: string, address?: string): Promise<void> {
  if (logins === null) {
    throw new SetupError(
      'Without SVC_REDIS_URL the failed logins are in the memory of the server: wait an hour, or restart the server'
    )
  }
  // Without this check, a misspelt name would unlock no user and report no error.
  if ((await users.find(name)) === null) throw unknown(name)
  if (address !== undefined && isIP(address) === 0) {
    throw new SetupError('--address must be an IP address, for example 192.0.2.1 or 2001:db8::1')
  }
  await logins.unlock(name, address)
  const whose = address === undefined ? name : `${name} and of ${address}`
  console.log(`Deleted the failed logins of ${whose}.`)
}

async function endLogins(logins: Logins | null, name: string): Promise<void> {
  if (logins === null) return console.log('Earlier tokens stay valid until they expire.')
  await logins.end(name)
  console.log(`${name} is signed out everywhere.`)
}

/** Names must be short and without control characters, because lists, logs and a header contain them. */
function checkName(argument: string, value: string): void {
  if (/^[^\p{C}]{1,128}$/u.test(value) && value === value.trim()) return
  throw new SetupError(`${argument} must be 1 to 128 printable characters without space around them`)
}

function unknown(name: string): SetupError {
  return new SetupError(`There is no user ${name}; list the names with: npm run users -- list`)
}
