// Plugins and routes from folders. The login is one of the plugins: see plugins/auth.js.
import { join } from 'node:path'
import autoload from '@fastify/autoload'
import Fastify from 'fastify'

const app = Fastify({ logger: true })

await app.register(autoload, { dir: join(import.meta.dirname, 'plugins') })

// The prefix applies to the files of this folder. The login stays at /auth/login: it has its own `prefix` option.
await app.register(autoload, { dir: join(import.meta.dirname, 'routes'), options: { prefix: '/screen' } })

await app.listen({ port: 3000 })
