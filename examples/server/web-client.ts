import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import helmet from '@fastify/helmet'
import files from '@fastify/static'
import type { FastifyInstance } from 'fastify'

const PAGE = pathOf('../web/index.html')
/** Built client session: `npm run build` creates it. */
export const CLIENT = pathOf('../../client/dist/index.js')
const BRAND = pathOf('../brand/')

/** Files of other packages that the page loads, by their name in `/web/`. */
const MODULES = {
  'preact.js': 'preact',
  'preact-hooks.js': 'preact/hooks',
  'htm.js': 'htm',
  'inter.woff2': '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'
}

/** Files that a brand folder (the host's logo and colour) must contain. The server serves no other file of it. */
export const BRAND_FILES = ['logo.svg', 'brand.css']

/** Serves the web client on public routes: the page at `/`, and its files. */
export async function webClient(
  app: FastifyInstance,
  { brand = BRAND }: { brand?: string | undefined }
): Promise<void> {
  app.addHook('onRoute', route => {
    route.config = { ...route.config, screenAuth: false }
  })
  const page = readFileSync(PAGE, 'utf8')
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: contentSecurityPolicy(page) },
    // The example runs at http://127.0.0.1. With TLS, the proxy must send this header.
    strictTransportSecurity: false
  })
  await app.register(files, { root: pathOf('../web/'), prefix: '/web/', index: false })
  for (const [name, specifier] of Object.entries(MODULES)) {
    const path = fileURLToPath(import.meta.resolve(specifier))
    app.get(`/web/${name}`, (_, reply) => reply.sendFile(basename(path), dirname(path)))
  }
  await app.register(files, { root: dirname(CLIENT), prefix: '/client/', index: false, decorateReply: false })
  await app.register(files, {
    root: brand,
    prefix: '/brand/',
    index: false,
    decorateReply: false,
    allowedPath: path => BRAND_FILES.includes(path.slice(1))
  })
  app.get('/', { prefixTrailingSlash: 'slash' }, (_, reply) => reply.type('text/html; charset=utf-8').send(page))
  // The page uses relative URLs, so its own URL must end with a slash if the app has a prefix.
  if (app.prefix) app.get('', (_, reply) => reply.redirect(`${app.prefix}/`))
}

/**
 * Allows only files of this server. Forbids inline styles, inline scripts except the import map, conversion of text to
 * HTML, and form submissions by the browser.
 */
function contentSecurityPolicy(page: string): Record<string, string[]> {
  const [, importMap] = /<script type="importmap">(.*?)<\/script>/s.exec(page) as unknown as [string, string]
  const hash = createHash('sha256').update(importMap).digest('base64')
  return {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'", `'sha256-${hash}'`],
    styleSrc: ["'self'"],
    fontSrc: ["'self'"],
    imgSrc: ["'self'"],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
    requireTrustedTypesFor: ["'script'"],
    trustedTypes: ["'none'"]
  }
}

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url))
}
