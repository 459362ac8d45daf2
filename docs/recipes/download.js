// Files behind the login. An <img> or a link of a browser sends no Authorization header, and a token must not be in a URL.
// So a guarded screen has signed links instead, each good for one file and a minute, and a public route serves them.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { mkdir, readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import fastifyStatic from '@fastify/static'
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'

const LIFETIME = Number(process.env.LINK_SECONDS ?? 60) * 1000
const root = resolve(process.env.FILES_DIR ?? 'files')
await mkdir(root, { recursive: true })

// Random, so a restart ends all links. Several servers must share one key of 32 random bytes.
const key = randomBytes(32)
const sign = (file, expires) => createHmac('sha256', key).update(`${expires} ${file}`).digest()

/** Call it only behind the guard, and only for a file that the user may have. */
function linkTo(file) {
  const expires = Date.now() + LIFETIME
  const signature = sign(file, expires).toString('base64url')
  return `/download?${new URLSearchParams({ file, expires, signature })}`
}

const app = Fastify({ logger: true })

await app.register(screenAuth, {
  checkCredentials: ({ username, password }) =>
    username === 'ada' && password === 'correct horse' ? { username: 'ada', displayName: 'Ada Lovelace' } : null,
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})
await app.register(fastifyStatic, { root, serve: false, cacheControl: false })

app.get('/screen/files', async () => {
  const entries = await readdir(root, { withFileTypes: true })
  const files = entries.filter(entry => entry.isFile()).map(({ name }) => name)
  const items = files.map(label => ({ label, action: { type: 'open_url', url: linkTo(label) } }))
  // A menu, because its items open a page in a browser. The rows of a List open screens.
  return { layout: 'Menu', title: 'Files', menu: { panel_title: 'Files', tabs: [{ label: 'Files', items }] } }
})

const querystring = {
  type: 'object',
  required: ['file', 'expires', 'signature'],
  properties: {
    file: { type: 'string' },
    expires: { type: 'integer' },
    // 32 bytes as Base64url: timingSafeEqual throws for another length.
    signature: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' }
  }
}
const download = {
  config: { screenAuth: false },
  schema: { querystring },
  // A link works for each person who reads it, so it is not logged with the request.
  logLevel: 'warn'
}

app.get('/download', download, async (request, reply) => {
  const { file, expires, signature } = request.query
  const isOurs = timingSafeEqual(sign(file, expires), Buffer.from(signature, 'base64url'))
  if (!isOurs || expires <= Date.now()) return reply.code(403).send()
  // As an attachment, so that an HTML file does not run as a page of this server; an <img> shows it all the same.
  return reply
    .headers({ 'cache-control': 'private, no-store', 'x-content-type-options': 'nosniff' })
    .download(file, { root })
})

await app.listen({ port: 3000 })
