// What the log says, once, of mistakes of a developer that only a login shows.
import { gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import t from 'tap'
import screenAuth from '../../../lib/index.ts'
import { ADA, collectLog, collectWarnings, emptyHost, host, logIn, options } from '../../helpers.ts'

const onSend = (change: (text: string, reply: FastifyReply) => unknown) => (app: FastifyInstance) =>
  app.addHook<string>('onSend', async (_request, reply, payload) => change(payload, reply))
const form = (change: (form: { auth_action: string; sections: [{ fields: [object, object] }] }) => void) => ({
  loginForm: (form: Parameters<typeof change>[0]) => {
    change(form)
    return form
  }
})
const named = (nameOf: (username: string) => object) => ({
  checkCredentials: ({ username }: { username: string }) => ({ username, displayName: 'Ada', ...nameOf(username) })
})
const LONG = 'x'.repeat(43)
const unreadable = /changed the response to a login, so clients cannot read it/

/** The expression matches the only warning. Without one, the host is right, and nothing is said. */
const HOSTS: [name: string, RegExp | null, options: object, hooks?: (app: FastifyInstance) => unknown][] = [
  ['a hook that wraps responses', unreadable, {}, onSend(text => `{"data":${text}}`)],
  ['a hook that renames the token', unreadable, {}, onSend(text => text.replace('token', 'access_token'))],
  ['a hook that sends text', unreadable, {}, onSend(() => 'welcome')],
  ['a hook that sends nothing', unreadable, {}, onSend(() => null)],
  ['a hook that compresses responses', null, {}, onSend(text => gzipSync(text))],
  ['a hook that adds to responses', null, {}, onSend(text => text.replace('{', '{"more":1,'))],
  [
    'a hook that rejects a login with a body of its own',
    unreadable,
    {},
    app => app.addHook('preHandler', async (_request: FastifyRequest, reply) => reply.code(403).send({ no: 'user' }))
  ],
  ['a hook that turns a login into a 401', /nobody can .* see docs.guard.md/, {}, onSend((_, it) => void it.code(401))],
  ['usernames in upper case', null, named(() => ({ username: 'ADA' }))],
  ['usernames as typed', /username as it was typed/, named(() => ({}))],
  ['display names as typed', /username as it was typed/, named(displayName => ({ displayName }))],
  ['a username with spaces', /username as it was typed/, named(() => ({ username: ' ada' }))],
  ['two accounts whose names differ in case', null, named(name => ({ displayName: `The ${name}` }))],
  ['a long message', /message returned a text of over 42 characters/, { message: () => LONG }],
  ['a long error', /checkCredentials returned a text of over 42 /, { checkCredentials: () => ({ error: LONG }) }],
  ['a login form that stays as it is', null, form(() => {})],
  ['a message of 42 characters', null, { message: () => '🔑'.repeat(42) }],
  [
    'a password as text',
    /clients show what the person types/,
    form(({ sections: [one] }) => Object.assign(one.fields[1], { type: 'Text' }))
  ],
  ['an auth_action without its slash', /must be a path with its prefix/, form(it => (it.auth_action = 'other/login'))],
  ['an auth_action without its prefix', /must be a path with its prefix/, form(it => (it.auth_action = '/auth/login'))],
  ['an auth_action of another route', null, form(it => (it.auth_action = '/other/auth/login'))]
]

for (const [name, expected, overrides, hooks] of HOSTS)
  t.test(`${name}: ${expected === null ? 'nothing is said' : 'said once'}`, async t => {
    const log = collectLog()
    const app = emptyHost(t, log)
    hooks?.(app)
    await app.register(screenAuth, options({ prefix: '/api', ...overrides }))
    for (let i = 0; i < 2; i++) {
      await app.inject('/api/auth/login')
      for (const username of ['ada', 'ADA', '']) await logIn(app, { username, password: 'x' }, '/api/auth/login')
    }
    const told = log.warnings().map(text => expected?.test(text))
    t.strictSame(told, expected ? [true] : [])
  })

t.test('the log says once, at level info, which properties of a user no token keeps, without their values', async t => {
  const { lines, logger, text } = collectLog()
  const app = emptyHost(t, { logger })
  await app.register(screenAuth, options({ checkCredentials: () => ({ ...ADA, role: 'admin', hash: 'the hash' }) }))
  for (let i = 0; i < 2; i++) await logIn(app)
  await logIn(await host(t, { checkCredentials: () => ADA }, { logger }))
  const found = lines.filter(({ dropped }) => dropped)
  t.match(found, [{ level: 30, dropped: ['role', 'hash'], msg: /keeps only the username and the displayName/ }])
  t.equal(found.length, 1)
  t.notMatch(text(), 'the hash')
})

t.test('without a log, a failed login and a mistake are process warnings', async t => {
  const warnings = collectWarnings(t)
  const app = emptyHost(t, { logger: { level: 'silent' } })
  app.addHook('onSend', async () => 'welcome')
  // A copy, because other tests of this process have caused the warnings.
  const copy = await t.mockImport<typeof import('../../../lib/index.ts')>('../../../lib/index.ts', {})
  await app.register(copy.default, options({ checkCredentials: () => true }))
  await logIn(app)
  const fine = emptyHost(t, { logger: { level: 'silent' } })
  await fine.register(copy.default, options({ checkCredentials: () => ({ ...ADA, role: 'admin' }) }))
  await logIn(fine)
  t.match(warnings, [/login failed; set `logger` of Fastify/, unreadable])
  t.equal(warnings.length, 2)
})
