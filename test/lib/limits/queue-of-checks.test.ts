import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { ADA, bearer, collectLog, host, until } from '../../helpers.ts'
import { attempt, heldChecks, never, RIGHT, together } from './attempts.ts'
import { stopClock, turns } from './clock.ts'

t.test('no more than three checks run at a time, and the others wait for their turn', async t => {
  let [running, most] = [0, 0]
  const checkCredentials = async () => {
    most = Math.max(most, ++running)
    await turns()
    running--
    return ADA
  }
  const app = await host(t, { checkCredentials })
  const logins = await together(10, i => attempt(app, { username: `user-${i}` }))
  for (const { success } of logins) t.equal(success, true)
  t.equal(most, 3)
})

t.test('one login more than may wait is a 503 with Retry-After, an AuthResponse', async t => {
  const checks = heldChecks()
  const log = collectLog()
  const app = await host(
    t,
    { checkCredentials: checks.checkCredentials, checks: { concurrency: 1, waiting: 2, timeout: 300 } },
    log
  )
  const logins = together(3, i => attempt(app, { ...RIGHT, username: `user-${i}`, address: `10.0.0.${i}` }))
  await until(() => checks.open.length === 1)
  await turns()
  t.match(await attempt(app, { ...RIGHT, username: 'one-too-many' }), {
    statusCode: 503,
    retryAfter: 5,
    success: false,
    token: null,
    error: /try again later/,
    screen: null
  })
  t.match(
    log.lines.find(({ level }) => level === 40),
    { msg: 'screen-auth: login overloaded', username: 'one-too-many' }
  )
  checks.letGo()
  for (const { success } of await logins) t.equal(success, true)
  t.equal((await attempt(app, { ...RIGHT, username: 'next' })).success, true)
})

t.test('no network has more than half of the places, so that the others get in', async t => {
  const checks = heldChecks()
  const app = await host(t, {
    checkCredentials: checks.checkCredentials,
    checks: { concurrency: 3, waiting: 17, timeout: 300 }
  })
  const flood = together(100, i => attempt(app, { username: `user-${i % 2}` }))
  await until(() => checks.open.length === 3)
  await turns()
  const others = together(10, i => attempt(app, { ...RIGHT, username: `other-${i}`, address: `10.0.0.${i}` }))
  await turns()
  checks.letGo()
  for (const { success } of await others) t.equal(success, true)
  t.equal((await flood).filter(({ statusCode }) => statusCode === 503).length, 90)
})

t.test(
  'while each of the checks keeps a thread busy, a guarded route that reads a file does not wait for them',
  async t => {
    const folder = mkdtempSync(join(tmpdir(), 'screen-auth-'))
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    let writer: number | undefined
    // A thread that opens a pipe is busy until there is a writer.
    const letGo = () => {
      writer ??= openSync(pipe, 'r+')
    }
    t.teardown(() => {
      letGo()
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
    letGo()
    for (const { success } of await logins) t.equal(success, true)
  }
)

for (const throttle of [{}, false])
  t.test(
    `checks that never end do not keep their places, ${throttle ? 'with' : 'without'} a throttle`,
    async t => {
      const clock = stopClock(t)
      let stuck = 3
      const checkCredentials = () => (stuck-- > 0 ? never() : ADA)
      const app = await host(t, { checkCredentials, throttle, checks: { timeout: 1 } })
      const logins = together(3, i => attempt(app, { username: `user-${i}` }))
      for (const { statusCode } of await clock.during(logins)) t.equal(statusCode, 503)
      t.equal((await clock.during(attempt(app))).success, true)
    }
  )
