import { createServer, type Socket } from 'node:net'
import type { Test } from 'tap'
import { type CheckServerOptions, checkServer, type Report } from '../../index.ts'
import { type Change, type Form, listen, listenOn, PASSWORD, partsOf, SECRET, USERNAME } from './minimal-server.ts'

/** The right credentials, and a timeout that suffices on a busy machine. */
export const credentials = { username: USERNAME, password: PASSWORD, timeout: 120 }

export const optionsFor = (form: Form) => ({
  ...(form === 'no-auth' ? { noAuth: true, timeout: 120 } : credentials),
  ...(form === 'jwt' && { secret: SECRET })
})

/** Runs the kit against a server with opaque tokens and some replaced parts. */
export async function check(t: Test, change: Change, options: CheckServerOptions = {}): Promise<Report> {
  const url = await listen(t, 'opaque', partsOf('opaque', change))
  return checkServer(url, { ...credentials, ...options })
}

/** Starts a server that calls `handle` for all data that it receives. */
export async function serve(t: Test, handle: (socket: Socket, request: string) => void): Promise<URL> {
  const server = createServer(socket => socket.on('data', data => handle(socket, data.toString('latin1'))))
  return new URL(`http://127.0.0.1:${await listenOn(t, server)}`)
}

export const skipped = ({ results }: Report) => results.filter(({ status }) => status === 'skipped')

export const failed = ({ results }: Report) => results.filter(({ status }) => status === 'failed')
