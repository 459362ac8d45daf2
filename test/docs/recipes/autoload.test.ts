import autoload from '@fastify/autoload'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { bearer } from '../../helpers.ts'
import { startRecipe, tokenOf } from '../program.ts'

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

/** A host whose login is in an autoloaded file, beside a file with a route. */
async function autoloaded(t: Test, login: string, options: object = {}) {
  const dir = t.testdir({
    'login.js': `import screenAuth from 'fastify-screen-auth'\nimport fp from 'fastify-plugin'\n${login}`,
    'profile.js': `export default async app => app.get('/profile', async () => 'open')`
  })
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(autoload, { dir, options })
  await app.ready()
  return app
}

t.test(
  'an autoloaded file that is wrapped with fastify-plugin guards the routes of the other files',
  async t => {
    const app = await autoloaded(t, `export default fp(${REGISTRATION})`, { prefix: '/screen' })
    t.equal((await app.inject('/screen/profile')).statusCode, 401)
    t.equal((await app.inject('/auth/login')).json().auth_action, '/auth/login')
    t.ok(app.hasRoute({ method: 'GET', url: '/menu/main' }))
  }
)

t.test('an autoloaded file that is not wrapped guards no other file: therefore the recipe', async t => {
  const app = await autoloaded(t, `export default ${REGISTRATION}`)
  t.equal((await app.inject('/profile')).body, 'open')
  t.equal((await app.inject('/menu/main')).statusCode, 401)
})
