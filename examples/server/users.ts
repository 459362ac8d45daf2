/** `npm run users`: adds, lists, removes and unlocks users, sets their passwords and revokes their sessions. */
import { buffer } from 'node:stream/consumers'
import { read } from 'read'
import { readConfig } from './config.ts'
import { Database } from './database.ts'
import { run, SetupError } from './errors.ts'
import { sharedLogins } from './shared-logins.ts'
import { texts } from './texts.ts'
import { readCommand, USAGE } from './user-commands.ts'
import { passwordFault, UserStore } from './user-store.ts'

await run(async () => {
  const args = process.argv.slice(2)
  if (args.includes('--help')) return console.log(USAGE)
  const command = readCommand(args)
  const { SVC_DATABASE_URL, SVC_REDIS_URL } = process.env
  const { databaseUrl, redisUrl } = readConfig({ SVC_DATABASE_URL, SVC_REDIS_URL })
  const database = new Database(databaseUrl)
  try {
    const users = await UserStore.open(database)
    await command({ users, askPassword, logins: redisUrl === null ? null : sharedLogins(redisUrl) })
  } finally {
    database.close()
  }
})

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
