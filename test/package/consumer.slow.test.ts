// The packed tarball, installed in a separate project as by a user.
import { mkdir, readFile, rename, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import t from 'tap'
import {
  compile,
  folder,
  IMPORTS,
  inProject,
  LOG_IN,
  LOGGED_IN,
  pack,
  REQUIRES,
  root,
  run,
  save,
  testModuleSettings
} from './project.ts'

const installed = join(folder, 'node_modules/fastify-screen-auth')
const typescript = join(root, 'node_modules/typescript')

/** The report of `npm pack` about the tarball. */
let packed: Awaited<ReturnType<typeof pack>>

/** Creates a link to a package of this repository. */
async function link(name: string, to = folder): Promise<void> {
  const path = join(to, 'node_modules', name)
  await mkdir(dirname(path), { recursive: true })
  await symlink(join(root, 'node_modules', name), path)
}

// Without the registry: the package finds only its declared dependencies, and the project has no TypeBox of its own.
t.before(async () => {
  packed = await pack()
  await mkdir(installed, { recursive: true })
  await inProject('tar', ['-xzf', packed.filename, '--strip-components=1', '-C', installed])
  const { dependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) await link(name, installed)
  for (const name of ['fastify', '@types/node', '@fastify/type-provider-typebox', 'type-provider-typebox-6'])
    await link(name)
})

t.test('the tarball contains the published files and nothing else', async t => {
  const folders = new Set(packed.files.map(({ path }) => path.split('/')[0]))
  const documents = ['CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'SECURITY.md']
  const withDocuments = ['client', 'conformance', 'docs', 'examples', 'schemas']
  t.strictSame([...folders].sort(), [...documents, 'dist', 'package.json', ...withDocuments].sort())
  const others = packed.files.filter(({ path }) => !/^dist\/|\.(md|js|png)$|^LICENSE$|^package\.json$/.test(path))
  t.strictSame(
    others.map(({ path }) => path),
    ['schemas/known-screen.schema.json']
  )
})

t.test('a JavaScript app with ES modules can import the package and log in', async t => {
  t.equal(await run('app.mjs', `${IMPORTS}${LOG_IN}console.log(await logIn())`), LOGGED_IN)
})

t.test('a CommonJS app can require the package and log in', async t => {
  t.equal(await run('app.cjs', `${REQUIRES}${LOG_IN}logIn().then(console.log)`), LOGGED_IN)
})

t.test('the plugin needs no TypeBox until a route has the schema of a screen', async t => {
  const [typebox, away] = [join(installed, 'node_modules/@sinclair'), join(folder, 'away')]
  await rename(typebox, away)
  t.teardown(() => rename(away, typebox))
  const code = `
    const app = require('fastify')()
    app.register(require('fastify-screen-auth'), { enabled: false, mainMenu: () => ({ layout: 'Menu' }) })
    app.ready().then(() => console.log('ready'))`
  t.equal(await run('without.cjs', code), 'ready')
})

/** Loads the package in both ways. */
const BOTH = `
  import { createRequire } from 'node:module'
  import * as imported from 'fastify-screen-auth'
  const required = createRequire(import.meta.url)('fastify-screen-auth')
`

t.test('`import` and `require` give the same names and the same values', async t => {
  const code = `${BOTH}
    import * as schemas from 'fastify-screen-auth/schemas'
    const pairs = [[imported, required], [schemas, createRequire(import.meta.url)('fastify-screen-auth/schemas')]]
    for (const [one, other] of pairs)
      for (const name of new Set([...Object.keys(one), ...Object.keys(other)]))
        if (one[name] !== other[name]) console.log(name)`
  t.equal(await run('same.mjs', code), '')
})

t.test('a scope that has the plugin of `require` rejects the plugin of `import`', async t => {
  const code = `${BOTH}
    import { fastify } from 'fastify'
    const options = { enabled: false, mainMenu: () => ({ layout: 'Menu' }) }
    const app = fastify()
    app.register(required.default, options)
    app.register(async scope => scope.register(imported.default, options))
    const { FST_SCREEN_AUTH_ALREADY_REGISTERED } = imported.errorCodes
    await app.ready().catch(error => console.log(error instanceof FST_SCREEN_AUTH_ALREADY_REGISTERED))`
  t.equal(await run('twice.mjs', code), 'true')
})

t.test('the schemas and the types of screens can be imported by their subpaths', async t => {
  const code = `
    import * as schemas from 'fastify-screen-auth/schemas'
    import * as screens from 'fastify-screen-auth/screens'
    console.log(...Object.keys(schemas).sort(), ...Object.keys(screens))`
  t.equal(await run('schemas.mjs', code), 'AuthRequest AuthResponse Field ScreenContract Section')
})

t.test('the published contract can be loaded as JSON', async t => {
  const code = `
    const { $id, examples } = require('fastify-screen-auth/schemas/AuthRequest.json')
    console.log($id, examples.length, ...Object.keys(require('fastify-screen-auth/openapi.json').paths))
    console.log(require('fastify-screen-auth/openapi-3.0.json').openapi)`
  const expected = 'urn:screen-service-auth:1:AuthRequest 1 /auth/login /menu/main\n3.0.3'
  t.equal(await run('contract.cjs', code), expected)
})

testModuleSettings('the latest TypeScript', typescript, { ignoreDeprecations: '6.0' })

t.test('a strict TypeScript app compiles with the types of the package and runs', async t => {
  await save(
    'app.mts',
    `import Fastify from 'fastify'
     import screenAuth, { type LoginFields, optionsFromEnv, type ScreenUser, type TokenService } from 'fastify-screen-auth'
     import { AuthResponse, ScreenContract } from 'fastify-screen-auth/schemas'
     import type { MenuScreen } from 'fastify-screen-auth/screens'
     import type { TypeBoxTypeProvider } from 'type-provider-typebox-6'

     interface Profile { layout: 'Card'; title: string; rows: number[] }
     const menu = { layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } } satisfies MenuScreen
     // @ts-expect-error: a typing mistake
     const mistake = { ...menu, satus: 'Hello' } satisfies MenuScreen
     const profileOf = ({ displayName }: ScreenUser): Profile => ({ layout: 'Card', title: displayName, rows: [1] })
     const response: AuthResponse = { success: false, token: null, error: 'no', screen: null }

     const app = Fastify()
     await app.register(screenAuth, {
       ...optionsFromEnv({}),
       secret: ['consumer-secret-of-at-least-32-bytes', Buffer.alloc(32)],
       checkCredentials: async (fields: LoginFields & { company?: string }, request) => {
         request.log.info(fields.company)
         const username: string = fields.username
         return fields.password === 'right' ? { username, displayName: 'Ada' } : { error: 'No.' }
       },
       mainMenu: async (user, request) => ({ layout: 'Menu', title: user?.displayName ?? request.url, menu: { tabs: [] }, more: 1 }),
       loginForm: form => ({ ...form, footer: 'x' }),
       prefix: '/api'
     })
     const schema = { response: { 200: ScreenContract } }
     app.get('/profile', { schema }, async request => profileOf(request.screenUser!))
     // @ts-expect-error: no screen
     app.get('/no-screen', { schema }, async () => ({ layot: 'Card' }))
     // @ts-expect-error: no screen for a type provider, either
     app.withTypeProvider<TypeBoxTypeProvider>().get('/none', { schema }, async () => ({ layot: 'Card' }))
     app.get('/open', { config: { screenAuth: false } }, async request => String(request.screenUser?.username))
     // @ts-expect-error: the config is a boolean
     app.get('/wrong', { config: { screenAuth: 'no' } }, async () => 'x')

     const token: string = await app.screenAuth.issueToken({ username: 'ada', displayName: 'Ada' })
     const headers = { authorization: 'Bearer ' + token }
     const user: ScreenUser | null = await app.screenAuth.verifyToken(token)
     console.log(user?.username, (await app.inject({ url: '/profile', headers })).body, (await app.inject('/open')).body, response.error)

     const tokens: TokenService = { issue: async () => 'opaque', verify: async () => null }
     await Fastify().register(screenAuth, { enabled: false, mainMenu: () => ({ layout: 'Menu' }), tokens })
     // @ts-expect-error: a server with a login needs a checker
     const missing = () => Fastify().register(screenAuth, { mainMenu: () => ({ layout: 'Menu' }) })`
  )
  const options = { module: 'nodenext', exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true }
  t.equal(await compile(['app.mts'], options, typescript), '')
  const profile = '{"layout":"Card","title":"Ada","user_display_name":"Ada","rows":[1]}'
  t.equal(await inProject('node', ['out/app.mjs']), `ada ${profile} undefined no`)
})
