// API keys for machines beside tokens for people, behind one guard. The server stores only the SHA-256 of each key, so
// a person who reads its settings gets no key. This command prints a key and its digest:
// node -p "const key = crypto.randomBytes(32).toString('base64url'); ({ key, digest: crypto.createHash('sha256').update(key).digest('hex') })"
import { createHash, timingSafeEqual } from 'node:crypto'
import Fastify from 'fastify'
import screenAuth, { opaqueTokens } from 'fastify-screen-auth'

// For instance {"backup":"6c6c2ae9…"}
const machines = Object.entries(JSON.parse(process.env.API_KEYS ?? '{}')).map(([name, digest]) => {
  if (!/^[0-9a-f]{64}$/.test(digest)) throw new Error(`API_KEYS: "${name}" needs a digest of 64 hexadecimal digits`)
  return { digest: Buffer.from(digest, 'hex'), user: { username: `machine:${name}`, displayName: name } }
})

/** Returns the user of an API key, or null. A fast hash is enough, because 256 random bits cannot be guessed. */
function machineOf(token) {
  const digest = createHash('sha256').update(token).digest()
  return machines.find(machine => timingSafeEqual(machine.digest, digest))?.user ?? null
}

const people = new Map([['ada', { password: 'correct horse', displayName: 'Ada Lovelace' }]])

// In memory: a restart ends every session. To keep sessions, see redis.js and sqlite-store.js.
const sessions = opaqueTokens()

const app = Fastify({ logger: true })

await app.register(screenAuth, {
  tokens: {
    issue: sessions.issue,
    verify: (token, request, options) => machineOf(token) ?? sessions.verify(token, request, options)
  },
  checkCredentials: ({ username, password }) => {
    // A person must never have the username of a machine.
    if (username.includes(':')) return null
    const person = people.get(username)
    return person?.password === password ? { username, displayName: person.displayName } : null
  },
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

app.get('/screen/caller', async request => ({
  layout: 'Card',
  title: request.screenUser.username.startsWith('machine:') ? 'A machine' : 'A person',
  user_display_name: request.screenUser.displayName
}))

await app.listen({ port: 3000 })
