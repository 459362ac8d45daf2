import { parseArgs } from 'node:util'
import { SetupError } from './setup-error.ts'
import type { UserStore } from './user-store.ts'

export const USAGE = `Usage: npm run users -- COMMAND

  add NAME [--display-name "DISPLAY NAME"]   add a user
  list                                       list all users
  passwd NAME                                set a user's password
  remove NAME                                remove a user
  sign-out NAME                              end all sessions of a user

A password is asked for without echo, or read from standard input when that is not a terminal.
The database is the server's: SVC_DATABASE_URL, or the embedded file. With the server's SVC_REDIS_URL,
passwd and remove also end the sessions of the user.`

/** What a command needs. */
export interface Means {
  users: UserStore
  /** @throws SetupError when the password is not allowed */
  askPassword(): Promise<string>
  /** Ends all sessions of a user; null where sessions cannot be ended. */
  endSessions: ((name: string) => Promise<void>) | null
}

type Command = (means: Means, name: string, displayName: string) => Promise<void>

const commands: Record<string, { takesName: boolean; execute: Command }> = {
  add: { takesName: true, execute: add },
  list: { takesName: false, execute: list },
  passwd: { takesName: true, execute: setPassword },
  remove: { takesName: true, execute: remove },
  'sign-out': { takesName: true, execute: signOut }
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
    return means => command.execute(means, name, displayName ?? name)
  } catch {
    throw new SetupError(USAGE)
  }
}

async function add({ users, askPassword }: Means, name: string, displayName: string): Promise<void> {
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

async function setPassword({ users, askPassword, endSessions }: Means, name: string): Promise<void> {
  if ((await users.find(name)) === null) throw unknown(name)
  await users.setPassword(name, await askPassword())
  console.log(`Set the password of ${name}.`)
  await (endSessions ?? keepTokens)(name)
}

async function remove({ users, endSessions }: Means, name: string): Promise<void> {
  if (!(await users.remove(name))) throw unknown(name)
  console.log(`Removed ${name}.`)
  await (endSessions ?? keepTokens)(name)
}

/** Also works for a user who has been removed. */
async function signOut({ endSessions }: Means, name: string): Promise<void> {
  if (endSessions === null) throw new SetupError('Sessions can only be ended where SVC_REDIS_URL is set')
  await endSessions(name)
}

async function keepTokens(): Promise<void> {
  console.log('Tokens made before stay valid until they expire.')
}

/** Names appear in lists, logs and a header, so they must be short and without control characters. */
function checkName(argument: string, value: string): void {
  if (/^[^\p{C}]{1,128}$/u.test(value) && value === value.trim()) return
  throw new SetupError(`${argument} must be 1 to 128 printable characters without space around them`)
}

function unknown(name: string): SetupError {
  return new SetupError(`There is no user ${name}; see the names with: npm run users -- list`)
}
