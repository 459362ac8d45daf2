import { createServer, type Socket } from 'node:net'
import type { Test } from 'tap'
import { type CheckServerOptions, checkServer, type Report } from '../../index.ts'
import { type Change, type Form, listen, listenOn, PASSWORD, SECRET, USERNAME } from './minimal-server.ts'

/** The right credentials, and a timeout that suffices on a busy machine. */
export const credentials = { username: USERNAME, password: PASSWORD, timeout: 120 }

const optionsFor = (form: Form) => ({
  ...(form === 'no-auth' ? { noAuth: true, timeout: 120 } : credentials),
  ...(form === 'jwt' && { secret: SECRET })
})

export async function check(
  t: Test,
  change: Change,
  options: CheckServerOptions = {},
  form: Form = 'opaque',
  prefix = ''
): Promise<Report> {
  return checkServer(await listen(t, form, change, prefix), { ...optionsFor(form), ...options })
}

/** Starts a server that calls `handle` for all data that it receives. */
export async function serve(t: Test, handle: (socket: Socket) => void): Promise<URL> {
  const server = createServer(socket => socket.on('data', () => handle(socket)))
  return new URL(`http://127.0.0.1:${await listenOn(t, server)}`)
}

export const skipped = ({ results }: Report) => results.filter(({ status }) => status === 'skipped')

export const failed = ({ results }: Report) => results.filter(({ status }) => status === 'failed')
