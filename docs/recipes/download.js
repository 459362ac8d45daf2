// Files behind the login. In a browser, an <img> or a link sends no Authorization header, and a URL must not contain a
// token. So a guarded screen has signed links, and a public route serves the files. Each link is valid for one file and
// one minute.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { mkdir, readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import fastifyStatic from '@fastify/static'
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'

const LIFETIME = Number(process.env.LINK_SECONDS ?? 60) * 1000
const root = resolve(process.env.FILES_DIR ?? 'files')
await mkdir(root, { recursive: true })

// Random: a restart invalidates all links. Several servers must share one key of 32 random bytes.
const key = randomBytes(32)
const sign = (file, expires) => createHmac('sha256', key).update(`${expires} ${file}`).digest()

/** Returns a signed link. Call it only behind the guard, and only for a file that the user may read. */
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
  // A Menu, because its items can open a URL in a browser. The rows of a List open screens.
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
  // Anyone who reads a link can use it, so requests with it are not logged.
  logLevel: 'warn'
}

app.get('/download', download, async (request, reply) => {
  const { file, expires, signature } = request.query
  const isOurs = timingSafeEqual(sign(file, expires), Buffer.from(signature, 'base64url'))
  if (!isOurs || expires <= Date.now()) return reply.code(403).send()
  // An attachment, so that a browser does not run an HTML file as a page of this server. An <img> still shows images.
  return reply
    .headers({ 'cache-control': 'private, no-store', 'x-content-type-options': 'nosniff' })
    .download(file, { root })
})

await app.listen({ port: 3000 })
