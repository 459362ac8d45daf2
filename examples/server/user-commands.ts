import { parseArgs } from 'node:util'
import { SetupError } from './errors.ts'
import type { UserStore } from './user-store.ts'

export const USAGE = `Usage: npm run users -- COMMAND

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
  /** Deletes the failed logins of a user. */
  unlock(name: string): Promise<void>
}

type Command = (resources: Resources, name: string, displayName?: string) => Promise<void>

const commands: Record<string, Command> = { add, list, passwd: setPassword, remove, 'sign-out': signOut, unlock }

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

async function unlock({ users, logins }: Resources, name: string): Promise<void> {
  if (logins === null) {
    throw new SetupError(
      'Without SVC_REDIS_URL the failed logins are in the memory of the server: wait an hour, or restart the server'
    )
  }
  // Without this check, a misspelt name would unlock no user and report no error.
  if ((await users.find(name)) === null) throw unknown(name)
  await logins.unlock(name)
  console.log(`Deleted the failed logins of ${name}.`)
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
