// A new password with a code sent by mail: reset-by-mail.js.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import t, { type Test } from 'tap'
import type { Json } from '../../examples/process.ts'
import { until } from '../../helpers.ts'
import { faultsOf } from '../known-screen.ts'
import { jsonOf, post, preload, recipe, statusOf, tokenOf } from '../program.ts'

const NEW = 'battery staple horse'

/** Returns the code in a mail, whose lines may be folded. */
const codeOf = (mail = '') => /hour: (\S{22})\s/.exec(mail.replace(/=\r\n/g, ''))?.[1]

async function startBoth(t: Test, { env = {}, ...options }: SMTPServerOptions & { env?: Record<string, string> } = {}) {
  const mails: string[] = []
  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData: async (stream, _session, done) => {
      mails.push(await text(stream))
      done()
    },
    ...options
  })
  const listener = smtp.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  t.teardown(() => smtp.close())
  const { port } = listener.address() as AddressInfo
  const SMTP_URL = `smtp://127.0.0.1:${port}?requireTLS=false`
  const server = recipe(t, 'reset-by-mail.js', { SMTP_URL, MAIL_FROM: 'shop@example.com', ...env })
  const url = await server.listening()
  const send = async (path: string, fields: object): Promise<Json> =>
    (await post(`${url}/password/${path}`, { action_id: 'forgot', screen_title: 'x', fields })).json()
  const forgot = (username: string) => send('forgot', { username, password: '' })
  const reset = (fields: object) => send('reset', { username: 'ada', password: NEW, ...fields })
  /** Requests a code, and waits for the mail. */
  async function mailedCode() {
    await forgot('ADA')
    await until(() => mails.length > 0)
    return codeOf(mails[0])
  }
  return { url, server, mails, forgot, mailedCode, reset }
}

t.test('reset-by-mail: a mailed code sets a new password once and ends all sessions', async t => {
  const { url, mailedCode, reset } = await startBoth(t)
  const old = await tokenOf(url)
  const code = await mailedCode()
  const responses = await Promise.all([1, 2, 3].map(() => reset({ code: ` ${code}\n` })))
  const [{ token, screen }, ...others] = responses.filter(({ success }) => success)
  t.strictSame(others, [], 'only one of the parallel requests succeeds')
  t.strictSame(await jsonOf(`${url}/menu/main`, token), screen)
  t.equal(await statusOf(`${url}/menu/main`, old), 401)
  t.equal(await tokenOf(url), null)
  t.type(await tokenOf(url, { password: NEW }), 'string')
  t.match(await reset({ code }), { success: false, error: 'The code is wrong, used or too old.' })
})

t.test('reset-by-mail: invalid input never returns 5xx and uses up no code', async t => {
  const { url, mailedCode, reset } = await startBoth(t)
  const code = await mailedCode()
  const error = 'The code is wrong, used or too old.'
  for (const fields of [{ code: '' }, {}, { code: 'x'.repeat(22) }, { code, username: 'bob' }, { code, username: '' }])
    t.strictSame(await reset(fields), { success: false, token: null, error, screen: null })
  for (const path of ['forgot', 'reset'])
    for (const body of [{}, null, [], { fields: null }, { fields: { username: ['ada'], code: {} } }])
      t.ok((await post(`${url}/password/${path}`, body)).status < 500)
  for (const password of ['short', 'with NUL\0 within', 'half a \ud800 character'])
    t.match(await reset({ code, password }), { success: false, error: 'Use at least 12 characters.' })
  t.match(await reset({ code }), { success: true })
})

t.test('reset-by-mail: a code expires after half an hour, and no second mail is sent within ten minutes', async t => {
  const clock = join(t.testdir({ minutes: '0' }), 'minutes')
  const NODE_OPTIONS = preload(`import { readFileSync } from 'node:fs'
    const { now } = Date
    Date.now = () => now() + 60_000 * readFileSync(${JSON.stringify(clock)}, 'utf8')`)
  const { mails, forgot, mailedCode, reset } = await startBoth(t, { env: { NODE_OPTIONS } })
  const first = await mailedCode()
  writeFileSync(clock, '9')
  await forgot('ada')
  writeFileSync(clock, '11')
  await forgot('ada')
  await until(() => mails.length > 1)
  const code = codeOf(mails[1])
  t.match(await reset({ code: first }), { success: false })
  writeFileSync(clock, '40')
  t.match(await reset({ code, password: 'short' }), { error: 'Use at least 12 characters.' })
  writeFileSync(clock, '42')
  t.match(await reset({ code }), { success: false })
})

t.test('reset-by-mail: the response is the same if the account does not exist or the mail is rejected', async t => {
  const { url, server, mails, forgot } = await startBoth(t)
  const responses = [await forgot('bob'), await forgot(''), await forgot('ada')]
  const down = await startBoth(t, { onRcptTo: ({ address }, _session, done) => done(new Error(`No ${address} here`)) })
  responses.push(await down.forgot('ada'))
  await until(() => mails.length > 0 && down.server.output.includes('no code was mailed'))
  t.match(mails, [/^To: ada@example\.com/m])
  for (const response of responses) {
    response.screen.sections[0].fields[0].value = ''
    t.strictSame(response, responses[0])
    t.equal(faultsOf(response.screen), '')
  }
  t.equal(faultsOf(await jsonOf(`${url}/auth/login`)), '')
  for (const { output } of [server, down.server]) t.notMatch(output, /example\.com|half an hour/)
})
