/** The server of login-storm.ts: one user with an Argon2id password, and a guarded route that reads a file. */
import { readFile } from 'node:fs/promises'
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'
import { hashPassword, verifyPassword } from '../examples/server/passwords.ts'

const passwordHash = await hashPassword('right')
const app = Fastify()

await app.register(screenAuth, {
  checks: { concurrency: Number(process.argv[2]) },
  checkCredentials: async ({ username, password }) =>
    (await verifyPassword(passwordHash, password)) ? { username, displayName: username } : null,
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: {} })
})
app.get('/file', () => readFile(new URL(import.meta.url)))

await app.listen({ port: 0 })
process.send?.(app.listeningOrigin)
