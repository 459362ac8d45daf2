// Routes from a folder, behind the login. The login is registered here and not in an autoloaded file: there it would
// guard the scope of that file only, and the routes of the other files would be open; the log at the start warns of them.
import { join } from 'node:path'
import autoload from '@fastify/autoload'
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'

const users = new Map([['ada', { password: 'correct horse', displayName: 'Ada Lovelace' }]])

const app = Fastify({ logger: true })

// An autoloaded file may do this, too, if it is wrapped with fastify-plugin and so has no scope of its own:
// export default fp(async app => { await app.register(screenAuth, { … }) })
await app.register(screenAuth, {
  checkCredentials: ({ username, password }) => {
    const user = users.get(username)
    return user?.password === password ? { username, displayName: user.displayName } : null
  },
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

// The prefix is for the files of the folder. The login stays at /auth/login: it has a `prefix` option of its own.
await app.register(autoload, { dir: join(import.meta.dirname, 'routes'), options: { prefix: '/screen' } })

await app.listen({ port: 3000 })
