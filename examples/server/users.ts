/** `npm run users`: adds, lists and removes users, and sets their passwords. */
import { parseArgs } from 'node:util'
import { askPassword } from './ask-password.ts'
import { readConfig } from './config.ts'
import { run, SetupError } from './setup-error.ts'
import { UserStore } from './user-store.ts'

const USAGE = `Usage: npm run users -- COMMAND

  add NAME [--display-name "DISPLAY NAME"]   add a user
  list                                       list all users
  passwd NAME                                set a user's password
  remove NAME                                remove a user

A password is asked for without echo, or read from standard input when that is not a terminal.
The database is the server's: SVC_DATABASE_URL, or the embedded file.`

type Command = (users: UserStore, name: string, displayName: string) => Promise<void>

const commands: Record<string, { takesName: boolean; execute: Command }> = {
  add: { takesName: true, execute: add },
  list: { takesName: false, execute: list },
  passwd: { takesName: true, execute: setPassword },
  remove: { takesName: true, execute: remove }
}

await run(async () => {
  if (process.argv.includes('--help')) return console.log(USAGE)
  const { command, name, displayName } = readArguments()
  const { SVC_DATABASE_URL } = process.env
  const users = await UserStore.open(readConfig({ SVC_DATABASE_URL }).databaseUrl)
  try {
    await command(users, name, displayName)
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

async function setPassword(users: UserStore, name: string): Promise<void> {
  if ((await users.find(name)) === null) throw unknown(name)
  await users.setPassword(name, await askPassword())
  console.log(`Set the password of ${name}. Tokens made before stay valid until they expire.`)
}

async function remove(users: UserStore, name: string): Promise<void> {
  if (!(await users.remove(name))) throw unknown(name)
  console.log(`Removed ${name}. Tokens made before stay valid until they expire.`)
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
