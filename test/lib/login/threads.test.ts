import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { turns } from '../../clock.ts'
import { ADA, bearer, host, until } from '../../helpers.ts'
import { attempt, together } from '../limits/attempts.ts'

t.test('a guarded route can read a file while checks block threads', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'screen-auth-'))
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  let writer: number | undefined
  // Opening a pipe blocks a thread until the pipe has a writer.
  const release = () => {
    writer ??= openSync(pipe, 'r+')
  }
  t.teardown(() => {
    release()
    closeSync(writer as number)
    rmSync(folder, { recursive: true })
  })
  let begun = 0
  const checkCredentials = async () => {
    begun++
    await (await open(pipe, 'r')).close()
    return ADA
  }
  const app = await host(t, { checkCredentials, checks: { timeout: 300 } })
  app.get('/file', () => readFile(new URL(import.meta.url)))
  const token = await app.screenAuth.issueToken(ADA)

  const logins = together(10, i => attempt(app, { username: `user-${i}` }))
  await until(() => begun === 3)
  await turns()
  t.equal((await app.inject({ url: '/file', headers: bearer(token) })).statusCode, 200)
  release()
  for (const { success } of await logins) t.equal(success, true)
})
