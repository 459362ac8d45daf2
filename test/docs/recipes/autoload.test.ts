import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { bearer } from '../../helpers.ts'
import { Program, startRecipe, tokenOf } from '../program.ts'

t.test('an autoloaded route needs a token', async t => {
  const url = await startRecipe(t, 'autoload/app.js')
  t.equal((await fetch(`${url}/screen/profile`)).status, 401)
  const headers = bearer(await tokenOf(url, 'ada', 'correct horse'))
  const profile = await fetch(`${url}/screen/profile`, { headers })
  t.equal(profile.status, 200)
  t.match(await profile.json(), { title: 'Ada Lovelace' })
})

t.test('the prefix of the autoloaded routes is not put before those of the login', async t => {
  const url = await startRecipe(t, 'autoload/app.js')
  const headers = bearer(await tokenOf(url, 'ada', 'correct horse'))
  const form = await fetch(`${url}/auth/login`)
  t.match(await form.json(), { auth_action: '/auth/login' })
  t.equal((await fetch(`${url}/menu/main`, { headers })).status, 200)
  t.equal((await fetch(`${url}/screen/menu/main`, { headers })).status, 404)
  t.equal((await fetch(`${url}/screen/auth/login`, { headers })).status, 404)
  t.equal((await fetch(`${url}/profile`, { headers })).status, 404)
})

const REGISTRATION = `async app => {
  await app.register(screenAuth, { checkCredentials: () => null, mainMenu: () => ({}) })
}`

/** A host whose login is in an autoloaded file, beside a file with a route. Returns where it listens. */
function autoloaded(t: Test, login: string, options: object = {}): Promise<string> {
  const dir = t.testdir({
    'app.mjs': `
      import autoload from '@fastify/autoload'
      import Fastify from 'fastify'
      const app = Fastify()
      await app.register(autoload, {
        dir: new URL('routes', import.meta.url).pathname, options: ${JSON.stringify(options)}
      })
      await app.listen({ port: 3000 })`,
    routes: {
      'login.js': `import screenAuth from 'fastify-screen-auth'\nimport fp from 'fastify-plugin'\n${login}`,
      'profile.js': `export default async app => app.get('/profile', async () => 'open')`
    }
  })
  return new Program(t, pathToFileURL(join(dir, 'app.mjs'))).listening()
}

t.test(
  'an autoloaded file that is wrapped with fastify-plugin guards the routes of the other files',
  async t => {
    const url = await autoloaded(t, `export default fp(${REGISTRATION})`, { prefix: '/screen' })
    t.equal((await fetch(`${url}/screen/profile`)).status, 401)
    t.match(await (await fetch(`${url}/auth/login`)).json(), { auth_action: '/auth/login' })
  }
)

t.test('an autoloaded file that is not wrapped guards no other file: therefore the recipe', async t => {
  const url = await autoloaded(t, `export default ${REGISTRATION}`)
  t.equal(await (await fetch(`${url}/profile`)).text(), 'open')
  t.equal((await fetch(`${url}/menu/main`)).status, 401)
})
