// Plugins and routes from folders, with the login among the plugins: what plugins/auth.js needs is said there.
import { join } from 'node:path'
import autoload from '@fastify/autoload'
import Fastify from 'fastify'

const app = Fastify({ logger: true })

await app.register(autoload, { dir: join(import.meta.dirname, 'plugins') })

// The prefix is for the files of the folder. The login stays at /auth/login: it has a `prefix` option of its own.
await app.register(autoload, { dir: join(import.meta.dirname, 'routes'), options: { prefix: '/screen' } })

await app.listen({ port: 3000 })
