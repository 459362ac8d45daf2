// "Forgot password?" on the login form: mails a code, and shows a form for the code. Pitfalls: a response whose text or
// duration reveals who has an account; codes that an attacker can guess, or read in a copy of the database; sessions
// that outlive the old password. The button is a `modal`, because known clients send fields only for this kind.
import { createHash, randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import Fastify from 'fastify'
import screenAuth, { opaqueTokens } from 'fastify-screen-auth'
import { AuthRequest } from 'fastify-screen-auth/schemas'
import { createTransport } from 'nodemailer'

const { SMTP_URL, MAIL_FROM } = process.env
if (!SMTP_URL || !MAIL_FROM) throw new Error('Set SMTP_URL and MAIL_FROM')
const mailer = createTransport({ url: SMTP_URL, requireTLS: true }, { from: MAIL_FROM, subject: 'Your code' })
const ada = { username: 'ada', displayName: 'Ada Lovelace', email: 'ada@example.com' }
const users = new Map([['ada', { ...ada, passwordHash: await hash('correct horse') }]])
const findUser = username => users.get(username.trim().toLowerCase())
const noHash = await hash(randomBytes(16)) // Verified for unknown users, so that their logins take as long.
const digest = code => createHash('sha256').update(code).digest('base64url')
const isYounger = (reset, minutes) => reset !== undefined && Date.now() - reset.time < minutes * 60_000
async function mailCode(username, log) {
  try {
    const user = findUser(username)
    // At most one mail to a user in ten minutes. The last mail has the valid code, even if a stranger asks for more.
    if (user === undefined || isYounger(user.reset, 10)) return
    const code = randomBytes(16).toString('base64url')
    user.reset = { digest: digest(code), time: Date.now() }
    await mailer.sendMail({ to: user.email, text: `Enter this code within half an hour: ${code}` })
  } catch ({ code }) {
    // Logs no message: it may contain the address. The next attempt is possible after ten minutes.
    log.error({ code }, 'no code was mailed')
  }
}
const field = (id, label, value = '', type = 'Text') => ({ id, label, type, value })
const fields = [field('username', 'Username')]
const rest = [field('code', 'Code'), field('password', 'New password', '', 'Password')]
const forgot = { id: 'forgot', label: 'Forgot password?', kind: 'modal', endpoint: '/password/forgot', fields }
const back = { id: 'back', label: 'Back to the login', kind: 'simple', endpoint: '/password/back' }
const tokens = opaqueTokens()
const mainMenu = () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
const checkCredentials = async ({ username, password }) => {
  const user = findUser(username)
  return (await verify(user?.passwordHash ?? noHash, password)) ? user : null
}
const loginForm = form => ({ ...form, screen_actions: [forgot] })
const RIGHT = /^[^\0\p{Cs}]{12,1000}$/u // The login rejects NUL and lone surrogates.
const app = Fastify({ logger: true, bodyLimit: 16_384 })
await app.register(screenAuth, { tokens, mainMenu, checkCredentials, loginForm })
const refusal = error => ({ success: false, token: null, error, screen: null })
const PUBLIC = { config: { screenAuth: false }, schema: { body: AuthRequest } }

app.post('/password/forgot', PUBLIC, async (request, reply) => {
  const { username = '' } = request.body.fields
  // After the response, so that the response takes as long without an account.
  reply.raw.once('finish', () => mailCode(username, request.log))
  const fields = [field('username', 'Username', username), ...rest]
  const form = { layout: 'Card', title: 'New password', auth_action: '/password/reset', screen_actions: [back] }
  const status = 'If we know you, a code is in your mail.'
  return { success: true, screen: { ...form, status, sections: [{ id: 'reset', label: 'Enter the code', fields }] } }
})
app.post('/password/back', PUBLIC, async () => ({ success: true, redirect_url: '/auth/login' }))

app.post('/password/reset', PUBLIC, async request => {
  const { username = '', code = '', password = '' } = request.body.fields
  const user = findUser(username)
  const isRight = user?.reset?.digest === digest(code.trim()) && isYounger(user.reset, 30)
  if (!isRight) return refusal('The code is wrong, used or too old.')
  if (!RIGHT.test(password)) return refusal('Use at least 12 characters.')
  // Before the first `await`, so that a code works once. In a database: UPDATE … SET reset = NULL WHERE reset = ?
  user.reset = undefined
  const passwordHash = await hash(password)
  // Before the change, so that the password stays if the session store is down; again after it, for logins in between.
  await tokens.revokeAll(user.username)
  user.passwordHash = passwordHash
  await tokens.revokeAll(user.username)
  await app.screenAuth.forgetNetworks(user.username)
  const screen = { ...mainMenu(user), user_display_name: user.displayName }
  return { success: true, token: await tokens.issue(user, request), error: null, screen }
})
await app.listen({ port: 3000 })
