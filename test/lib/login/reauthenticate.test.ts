import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { errorCodes } from '../../../lib/index.ts'
import { stopClock } from '../../clock.ts'
import { ADA, bearer, collectLog, host, logIn, PASSWORD, until } from '../../helpers.ts'
import { repeat } from '../limits/attempts.ts'
import { heldChecks, never } from '../limits/checkers.ts'

/** A host that asks for the password again on `POST /again`. */
async function hostWithRoute(t: Test, overrides: object = {}, serverOptions: object = {}) {
  const app = await host(t, overrides, serverOptions)
  app.post<{ Body: { password: string } }>('/again', async request =>
    app.screenAuth.reauthenticate(request, request.body.password)
  )
  app.post<{ Body: { password: string } }>('/public', { config: { screenAuth: false } }, async request =>
    app.screenAuth.reauthenticate(request, request.body.password)
  )
  return app
}

/** The response to an error that the handler does not catch. It is no 401, which would end the session. */
const refused = (message: string) => ({
  statusCode: 403,
  code: 'FST_SCREEN_AUTH_REAUTHENTICATION_FAILED',
  error: 'Forbidden',
  message
})

const again = async (app: FastifyInstance, password: unknown, url = '/again') =>
  app.inject({
    method: 'POST',
    url,
    headers: bearer(await app.screenAuth.issueToken(ADA)),
    payload: { password }
  })

t.test('reauthenticate resolves to the user if the password is right', async t => {
  const app = await hostWithRoute(t)
  t.strictSame((await again(app, PASSWORD)).json(), ADA)
})

t.test("reauthenticate rejects with the host's text if the checker returns one", async t => {
  const app = await hostWithRoute(t, { checkCredentials: () => ({ error: '100 %s locked.' }) })
  t.strictSame((await again(app, 'wrong')).json(), refused('100 %s locked.'))
})

t.test('the checker receives the username of the token, the unchanged password and a signal', async t => {
  const seen: unknown[] = []
  const checkCredentials = (...args: unknown[]) => seen.push(...args) && ADA
  const app = await hostWithRoute(t, { checkCredentials })
  await again(app, ' pass word ')
  t.strictSame(seen[0], { username: 'ada', password: ' pass word ' })
  t.equal((seen[1] as { url: string }).url, '/again')
  t.ok(seen[2] instanceof AbortSignal)
})

t.test('guesses with a stolen token count together with those of the login', async t => {
  stopClock(t)
  let checks = 0
  const app = await hostWithRoute(t, { checkCredentials: () => ++checks && null })
  await repeat(4, () => logIn(app, { username: 'ada', password: 'wrong' }))
  await repeat(60, () => again(app, 'wrong'))
  t.equal(checks, 10)
  t.strictSame((await again(app, PASSWORD)).json(), refused('Too many attempts. Try again in 15 minutes'))
})

t.test('reauthenticate rejects an impossible password without a check', async t => {
  let checks = 0
  const app = await hostWithRoute(t, { checkCredentials: () => ++checks && ADA })
  for (const password of ['', undefined, null, 1, [PASSWORD], { length: 1 }])
    t.strictSame((await again(app, password)).json(), refused('Please enter your password.'))
  for (const password of ['\0', 'a\ud800'])
    t.strictSame((await again(app, password)).json(), refused('The password is wrong.'))
  t.equal(checks, 0)
})

t.test('a checker that returns another user counts as a wrong password', async t => {
  const throttle = { usernameAndAddress: { failures: 1, seconds: 60 } }
  const app = await hostWithRoute(t, { throttle, checkCredentials: () => ({ username: 'eve', displayName: 'Eve' }) })
  const errors: unknown[] = []
  app.addHook('onError', async (_request, _reply, error) => void errors.push(error))
  for (let i = 0; i < 2; i++) await again(app, PASSWORD)
  const { FST_SCREEN_AUTH_REAUTHENTICATION_FAILED: Failed } = errorCodes
  t.ok(errors.every(error => error instanceof Failed))
  t.match(errors, [{ message: 'The password is wrong.', retryAfter: undefined }, { retryAfter: 60 }])
})

t.test('reauthenticate throws on a public route and in the no-auth mode, even if the host has set a user', async t => {
  const expected = { statusCode: 500, code: 'FST_SCREEN_AUTH_NO_USER', message: /there is no user/ }
  t.match((await again(await hostWithRoute(t), PASSWORD, '/public')).json(), expected)
  for (const user of [null, ADA]) {
    const open = await hostWithRoute(t, { enabled: false })
    open.addHook('onRequest', async request => void Object.assign(request, { screenUser: user }))
    t.match((await open.inject({ method: 'POST', url: '/again', payload: { password: PASSWORD } })).json(), expected)
  }
})

t.test('reauthenticate shares the queue of the logins, and responds 503 if the queue is full', async t => {
  const checks = heldChecks()
  const limits = { concurrency: 1, waiting: 0, timeout: 300 }
  const app = await hostWithRoute(t, { checkCredentials: checks.checkCredentials, checks: limits })
  const login = logIn(app)
  await until(() => checks.open.length === 1)
  const response = await again(app, PASSWORD)
  t.equal(response.statusCode, 503)
  t.equal(response.headers['retry-after'], '5')
  checks.release()
  t.equal((await login).json().success, true)
})

for (const [what, checkCredentials, status] of [
  ['throws', () => Promise.reject(Object.assign(new Error('hunter2'), { statusCode: 403 })), 500],
  ['never resolves', never, 503]
] as const)
  t.test(`a checker that ${what} makes reauthenticate respond ${status}, and only the log has the error`, async t => {
    const clock = stopClock(t)
    const log = collectLog()
    const app = await hostWithRoute(t, { checkCredentials, checks: { timeout: 1 } }, log)
    const response = await clock.during(again(app, PASSWORD))
    t.equal(response.statusCode, status)
    t.notMatch(response.body, /hunter2/)
    t.match(log.text(), status === 500 ? /hunter2/ : /took too long/)
  })

t.test('the outcome of each reauthentication is logged', async t => {
  const log = collectLog()
  const users: Record<string, object> = { [PASSWORD]: ADA, other: { username: 'eve', displayName: 'Eve' } }
  const checkCredentials = ({ password }: { password: string }) => users[password] ?? null
  const app = await hostWithRoute(t, { checkCredentials, throttle: { address: { failures: 2, seconds: 60 } } }, log)
  for (const password of [PASSWORD, 'wrong', 'other', PASSWORD]) await again(app, password)
  const lines = log.lines.filter(({ event }) => event === 'reauthentication')
  t.match(
    lines,
    ['accepted', 'rejected', 'rejected', 'blocked'].map(outcome => ({
      msg: `screen-auth: reauthentication ${outcome}`,
      outcome,
      username: 'ada',
      route: '/again'
    }))
  )
  t.equal(lines.length, 4)
  t.notMatch(log.text(), new RegExp(PASSWORD))
})
