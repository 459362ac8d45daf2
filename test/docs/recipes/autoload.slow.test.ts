import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
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

t.test('a 401 has the headers of a plugin whose name comes after that of the login', async t => {
  const url = await startRecipe(t, 'autoload/app.js')
  const refused = await fetch(`${url}/screen/profile`)
  t.equal(refused.status, 401)
  t.equal(refused.headers.get('x-frame-options'), 'SAMEORIGIN')
})

t.test('an autoloaded login that is not wrapped guards no other file: therefore the recipe', async t => {
  const dir = t.testdir({
    'app.mjs': `
      import autoload from '@fastify/autoload'
      import Fastify from 'fastify'
      const app = Fastify()
      await app.register(autoload, { dir: new URL('routes', import.meta.url).pathname })
      await app.listen({ port: 3000 })`,
    routes: {
      'login.js': `
        import screenAuth from 'fastify-screen-auth'
        export default async app => {
          await app.register(screenAuth, { checkCredentials: () => null, mainMenu: () => ({}) })
        }`,
      'profile.js': `export default async app => app.get('/profile', async () => 'open')`
    }
  })
  const url = await new Program(t, pathToFileURL(join(dir, 'app.mjs'))).listening()
  t.equal(await (await fetch(`${url}/profile`)).text(), 'open')
  t.equal((await fetch(`${url}/menu/main`)).status, 401)
})
