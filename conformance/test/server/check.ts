import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { type CheckServerOptions, checkServer, type Report } from '../../index.ts'
import { type Change, partsOf } from './broken-parts.ts'
import { type Form, listen, PASSWORD, SECOND, SECRET, USERNAME } from './minimal-server.ts'

/** The right credentials, and more time than the busiest machine needs. */
export const credentials = { username: USERNAME, password: PASSWORD, timeout: 120 }

/** What the kit is told of a conforming server. */
export const optionsFor = (form: Form) => ({
  ...(form === 'no-auth' ? { noAuth: true, timeout: 120 } : credentials),
  ...(form === 'jwt' && { secret: SECRET })
})

/** The credentials of another user. */
export const second = { secondUsername: SECOND.username, secondPassword: SECOND.password }

/** Checks a server with opaque tokens of which some parts are replaced. */
export async function check(t: Test, change: Change, options: CheckServerOptions = {}): Promise<Report> {
  const url = await listen(t, 'opaque', partsOf({ form: 'opaque', prefix: '', change }))
  return checkServer(url, { ...credentials, ...options })
}

/** Starts any server on a free port until the test ends, and returns its base URL. */
export async function serve(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The results of the skipped cases. */
export const skipped = ({ results }: Report) => results.filter(({ status }) => status === 'skipped')

/** The results of the failed cases. */
export const failed = ({ results }: Report) => results.filter(({ status }) => status === 'failed')
