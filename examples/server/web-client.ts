import { fileURLToPath } from 'node:url'
import helmet from '@fastify/helmet'
import files from '@fastify/static'
import type { FastifyInstance } from 'fastify'

/** Serves the web client on public routes: its page at `/`, and the files of the page from two folders. */
export async function webClient(app: FastifyInstance): Promise<void> {
  app.addHook('onRoute', route => {
    route.config = { ...route.config, screenAuth: false }
  })
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: CONTENT_SECURITY_POLICY },
    // The example runs at http://127.0.0.1. With TLS, the proxy sends this header.
    strictTransportSecurity: false
  })
  for (const name of ['web', 'client']) {
    await app.register(files, {
      root: folder(name),
      prefix: `/${name}/`,
      index: false,
      decorateReply: name === 'web'
    })
  }
  app.get('/', { prefixTrailingSlash: 'slash' }, (_, reply) => reply.sendFile('index.html', folder('web')))
  // The page loads relative URLs, so below a prefix its own URL must end with a slash.
  if (app.prefix) app.get('', (_, reply) => reply.redirect(`${app.prefix}/`))
}

/** Only files of this server; no inline script or style, no HTML from text, no form that submits by itself. */
const CONTENT_SECURITY_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'"],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
  requireTrustedTypesFor: ["'script'"],
  trustedTypes: ["'none'"]
}

function folder(name: string): string {
  return fileURLToPath(new URL(`../${name}/`, import.meta.url))
}
