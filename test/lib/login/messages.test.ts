// The messages of the login, as docs/messages.md lists them, and their replacement by the host.
import { readFileSync } from 'node:fs'
import type { FastifyRequest } from 'fastify'
import t from 'tap'
import type { Message, MessageKey } from '../../../lib/index.ts'
import { ADA, bearer, collectLog, host, logIn, throwing } from '../../helpers.ts'

const page = readFileSync(new URL('../../../docs/messages.md', import.meta.url), 'utf8')
const documented = [...page.matchAll(/^\| `([\w-]+)` \| ([^`|]+) \|/gm)].map(([, key, text]) => [key, text])
const ENGLISH: Record<MessageKey, string> = {
  ...Object.fromEntries(documented),
  blocked: 'Too many attempts. Try again in 60 seconds'
}

const fail = throwing('no such text')
const throttle = { usernameAndAddress: { failures: 1, seconds: 60 } }

/** Sends, for each message, a request whose response contains it. */
const causes: { [key in MessageKey]: (message?: unknown) => Promise<string> } = {
  wrong: async message => error(await logIn(await host(t, { message }), { username: 'ada', password: 'x' })),
  incomplete: async message => error(await logIn(await host(t, { message }), {})),
  async blocked(message) {
    const app = await host(t, { message, throttle })
    await logIn(app, { username: 'ada', password: 'x' })
    return error(await logIn(app))
  },
  malformed: message => post(message, { payload: '{' }),
  'too-large': message => post(message, { payload: JSON.stringify({ fields: { x: 'x'.repeat(20_000) } }) }),
  'not-json': message => post(message, { payload: 'x', headers: { 'content-type': 'text/plain' } }),
  async refused(message) {
    const app = await host(t, { message })
    app.addHook('preHandler', async () => throwing('no', { statusCode: 403 })())
    return error(await logIn(app))
  },
  async unavailable(message) {
    const checkCredentials = () => Promise.reject(new Error('down'))
    return error(await logIn(await host(t, { message, checkCredentials })))
  },
  'no-password': message => again(message, ''),
  'wrong-password': message => again(message, 'x')
}

const error = (response: { json(): { error: string } }) => response.json().error

async function post(message: unknown, request: object): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  return error(await (await host(t, { message })).inject({ method: 'POST', url: '/auth/login', headers, ...request }))
}

async function again(message: unknown, password: string): Promise<string> {
  const app = await host(t, { message })
  app.get('/again', async request => app.screenAuth.reauthenticate(request, password))
  return (await app.inject({ url: '/again', headers: bearer(await app.screenAuth.issueToken(ADA)) })).json().message
}

t.test('docs/messages.md lists each key', async t => {
  t.strictSame(new Set(Object.keys(ENGLISH)), new Set(Object.keys(causes)))
})

for (const [key, cause] of Object.entries(causes) as [MessageKey, (message?: unknown) => Promise<string>][])
  t.test(`the message "${key}" is English, has at most 42 characters, and can be replaced`, async t => {
    t.equal(await cause(), ENGLISH[key])
    t.ok(ENGLISH[key].length <= 42)
    const seen: [Message, FastifyRequest][] = []
    const text = await cause((message: Message, request: FastifyRequest) => {
      seen.push([message, request])
      return message.key === key ? `Ø ${key}` : message.text
    })
    t.equal(text, `Ø ${key}`)
    const [message, request] = seen.at(-1) as [Message, FastifyRequest]
    const seconds = key === 'blocked' ? { seconds: 60 } : {}
    t.strictSame(message, { key, text: ENGLISH[key], ...seconds })
    t.equal(typeof request.headers, 'object')
  })

for (const [what, message, cause = /"incomplete"/] of [
  ['throws', fail, /no such text/],
  [
    'throws a value that cannot be logged',
    () => {
      throw Object.create(null)
    }
  ],
  ['returns an empty text', () => '', /must return a non-empty string/],
  ['returns nothing', () => undefined],
  ['returns a number', () => 1],
  ['returns a promise', async () => 'Ø'],
  ['returns a promise that rejects', async () => fail()]
] as const)
  t.test(`the default message is sent, and an error logged, if the message function ${what}`, async t => {
    const log = collectLog()
    const app = await host(t, { message }, log)
    t.equal(error(await logIn(app, {})), ENGLISH.incomplete)
    t.match(
      log.lines.filter(({ level }) => level === 50),
      [{ err: { code: 'FST_SCREEN_AUTH_INVALID_ANSWER', message: /"incomplete"/ } }]
    )
    t.match(log.text(), cause)
  })

t.test('the error message of the checker is not passed to the message function', async t => {
  const message = () => t.fail('called')
  const app = await host(t, { message, checkCredentials: () => ({ error: 'Locked.' }) })
  t.equal(error(await logIn(app)), 'Locked.')
})
