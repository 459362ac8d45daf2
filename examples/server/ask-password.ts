import { buffer } from 'node:stream/consumers'
import { read } from 'read'
import { passwordFault } from './passwords.ts'
import { SetupError } from './setup-error.ts'
import { en } from './texts/en.ts'

/**
 * Reads a new password: twice and without echo from a terminal, else the first line of standard input.
 *
 * @throws SetupError when the password is not allowed
 */
export async function askPassword(): Promise<string> {
  const password = process.stdin.isTTY ? await fromTerminal() : await fromPipe()
  const fault = passwordFault(password)
  if (fault !== null) throw new SetupError(en.password.faults[fault])
  return password
}

async function fromTerminal(): Promise<string> {
  const password = await readSilently('Password: ')
  const again = await readSilently('Password again: ')
  if (password !== again) throw new SetupError('The two passwords are not the same.')
  return password
}

async function readSilently(prompt: string): Promise<string> {
  try {
    return await read({ prompt, silent: true })
  } catch {
    throw new SetupError('Cancelled.')
  } finally {
    // Enter was not echoed either.
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
