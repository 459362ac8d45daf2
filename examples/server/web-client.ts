import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import helmet from '@fastify/helmet'
import { build, type OutputFile, transform } from 'esbuild'
import type { FastifyInstance, RouteHandler } from 'fastify'

const WEB = fileURLToPath(new URL('../web/', import.meta.url))
const BRAND = fileURLToPath(new URL('../brand/', import.meta.url))

/** Files that a brand folder (the host's logo and colour) must contain. The server reads no other file of it. */
export const BRAND_FILES = ['logo.svg', 'brand.css']

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2'
}

/** Serves the web client on public routes: the page at `/`, and its files below `/web/`. */
export async function webClient(
  app: FastifyInstance,
  { brand = BRAND }: { brand?: string | undefined }
): Promise<void> {
  app.addHook('onRoute', route => {
    route.config = { ...route.config, screenAuth: false }
  })
  bundled ??= bundle()
  const files = await bundled
  const fileOf = (entry: string) => files.find(({ path }) => path.startsWith(`${entry}-`)) as OutputFile
  const [logo, colour] = BRAND_FILES.map(name => readFileSync(join(brand, name))) as [Buffer, Buffer]
  const { code } = await transform(`${fileOf('frame').text}${colour}`, { loader: 'css', minify: true })
  const style = code.replaceAll('</', '<\\/')
  const script = fileOf('start').text
  const page = [
    ['<link rel="stylesheet" href="web/frame.css">', `<style>${style}</style>`],
    ['<script src="web/start.js"></script>', `<script>${script}</script>`],
    ['brand/logo.svg', `data:image/svg+xml;base64,${logo.toString('base64')}`],
    ['web/app.js', `web/${fileOf('app').path}`],
    ['web/style.css', `web/${fileOf('style').path}`]
  ].reduce((text, [from = '', to = '']) => text.replaceAll(from, () => to), readFileSync(`${WEB}index.html`, 'utf8'))
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: contentSecurityPolicy(script, style) },
    // The example runs at http://127.0.0.1. With TLS, the proxy must send this header.
    strictTransportSecurity: false
  })
  // A file may be cached for ever, because its URL changes with its content. The page has the URLs.
  const caching = 'public, max-age=31536000, immutable'
  for (const { path, contents } of files) app.get(`/web/${path}`, sending(path, Buffer.from(contents), caching))
  app.get('/', { prefixTrailingSlash: 'slash' }, sending('index.html', Buffer.from(page), 'no-cache'))
  // The page uses relative URLs, so its own URL must end with a slash if the app has a prefix.
  if (app.prefix) app.get('', (_, reply) => reply.redirect(`${app.prefix}/`))
}

let bundled: Promise<OutputFile[]> | undefined

/** Bundles the files of the page. Their names contain a hash of their content. */
async function bundle(): Promise<OutputFile[]> {
  const { outputFiles } = await build({
    absWorkingDir: WEB,
    entryPoints: ['app.js', 'style.css', 'frame.css', 'start.js'],
    outdir: 'dist',
    write: false,
    bundle: true,
    minify: true,
    format: 'esm',
    entryNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.woff2': 'file', '.svg': 'dataurl' }
  })
  return outputFiles.map(file => ({ ...file, text: file.text, path: basename(file.path) }))
}

/** Returns a handler that sends a file, compressed if the client accepts that. A font is compressed already. */
function sending(name: string, content: Buffer, caching: string): RouteHandler {
  const compressed = gzipSync(content)
  const etag = `W/"${hashOf(content)}"`
  const type = TYPES[extname(name)] as string
  return (request, reply) => {
    reply.headers({ 'cache-control': caching, etag, vary: 'accept-encoding' })
    if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
    reply.type(type)
    if (type === TYPES['.woff2'] || !/\bgzip\b(?!;q=0(\.0+)?\b)/.test(`${request.headers['accept-encoding']}`))
      return reply.send(content)
    return reply.header('content-encoding', 'gzip').send(compressed)
  }
}

/** Allows only files of this server, and what the page itself contains: its script, its style and its pictures. */
function contentSecurityPolicy(script: string, style: string): Record<string, string[]> {
  return {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'", `'sha256-${hashOf(script)}'`],
    styleSrc: ["'self'", `'sha256-${hashOf(style)}'`],
    fontSrc: ["'self'"],
    imgSrc: ['data:'],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
    requireTrustedTypesFor: ["'script'"],
    trustedTypes: ["'none'"]
  }
}

function hashOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64')
}
