// The packed tarball in the project of a host, beside the tools that load it in their own ways.
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { folder, inProject, pack, run, save } from './project.ts'

const TOOLS = `
  fastify@5 @types/node@20 @sinclair/typebox@0.34 @fastify/type-provider-typebox@5
  typescript@6.0 typescript-5.7@npm:typescript@5.7 typescript-5.4@npm:typescript@5.4 jest@30 esbuild@0.28
`

/** The report of `npm pack` about the tarball. */
let packed: Awaited<ReturnType<typeof pack>>
/** What npm prints while it installs the tarball alone. */
let output: string

t.before(async () => {
  packed = await pack()
  await save('package.json', '{ "private": true }')
  output = await inProject('sh', ['-c', `npm install --no-audit --no-fund ./${packed.filename} fastify@5 2>&1`])
  await inProject('npm', ['install', '--no-audit', '--no-fund', ...TOOLS.trim().split(/\s+/)])
  await save('app.mjs', `${IMPORTS}${LOG_IN}logIn().then(console.log)`)
  await save('app.cjs', `${REQUIRES}${LOG_IN}logIn().then(console.log)`)
})

/** What a host imports, as ES module and as CommonJS. */
const IMPORTS = `
  import { fastify } from 'fastify'
  import screenAuth, { optionsFromEnv } from 'fastify-screen-auth'
  import { ScreenContract } from 'fastify-screen-auth/schemas'
`
const REQUIRES = `
  const { fastify } = require('fastify')
  const screenAuth = require('fastify-screen-auth')
  const { optionsFromEnv } = screenAuth
  const { ScreenContract } = require('fastify-screen-auth/schemas')
`

/** Logs in, and returns the results with and without the token. Not by `inject`, which Jest cannot load. */
const LOG_IN = `
  async function logIn() {
    const app = fastify()
    app.register(screenAuth, {
      ...optionsFromEnv({}),
      secret: 'consumer-secret-of-at-least-32-bytes',
      checkCredentials: ({ username, password }) =>
        username === 'ada' && password === 'right' ? { username, displayName: 'Ada' } : null,
      mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
    })
    app.get('/profile', { schema: { response: { 200: ScreenContract } } }, async () => ({ layout: 'Card' }))
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const first = await fetch(url + '/profile')
    const body = JSON.stringify({ fields: { username: 'ada', password: 'right' } })
    const headers = { 'content-type': 'application/json' }
    const { token } = await (await fetch(url + '/auth/login', { method: 'POST', headers, body })).json()
    const profile = await fetch(url + '/profile', { headers: { authorization: 'Bearer ' + token } })
    const { user_display_name } = await profile.json()
    await app.close()
    return [first.status, profile.status, user_display_name].join(' ')
  }
`
const LOGGED_IN = '401 200 Ada'

/** The program of a host that exports declarations, and has a TypeBox and an HTTP/2 server of its own. */
const HOST = `
  import { type Static, Type, type TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
  import { fastify } from 'fastify'
  import screenAuth, { bearerToken, opaqueTokens, optionsFromEnv, screenAuth as named } from 'fastify-screen-auth'
  import { ScreenContract } from 'fastify-screen-auth/schemas'
  import type { MenuScreen } from 'fastify-screen-auth/screens'

  export const schema = { response: { 200: ScreenContract } }
  export const again: typeof ScreenContract = { ...ScreenContract, description: 'another' }
  const Envelope = Type.Object({ screen: Type.Optional(ScreenContract), screens: Type.Array(ScreenContract) })
  export const envelope: Static<typeof Envelope> = { screens: [{ layout: 'Card' }] }
  const mainMenu = (): MenuScreen => ({ layout: 'Menu', title: 'Main', menu: { panel_title: 'Main', tabs: [] } })

  export const app = fastify({ http2: true })
  app.register(named, { ...optionsFromEnv({}), mainMenu, checkCredentials: () => null })
  app.register(screenAuth, { enabled: false, mainMenu })
  app.get('/screen', { schema }, async request => {
    await opaqueTokens().issue(app.screenAuth.userOf(request), request)
    await app.screenAuth.reauthenticate(request, 'password')
    return { layout: 'Card', title: bearerToken(request) }
  })
  // @ts-expect-error: no layout
  app.get('/wrong', { schema }, async () => ({ layot: 'Card' }))
  // @ts-expect-error: no layout
  fastify().withTypeProvider<TypeBoxTypeProvider>().get('/wrong', { schema }, async () => ({ layot: 'Card' }))
`

t.test('the tarball contains the published files and nothing else', async t => {
  const folders = new Set(packed.files.map(({ path }) => path.split('/')[0]))
  const documents = ['CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'SECURITY.md']
  const withDocuments = ['client', 'conformance', 'docs', 'schemas']
  t.strictSame([...folders].sort(), [...documents, 'dist', 'package.json', ...withDocuments].sort())
  const others = packed.files.filter(({ path }) => !/^dist\/|\.(md|js)$|^LICENSE$|^package\.json$/.test(path))
  t.strictSame(
    others.map(({ path }) => path),
    ['schemas/known-screen.schema.json']
  )
})

t.test('the tarball is at most 193 KB', async t => t.ok(packed.size <= 193_000, `${packed.size} bytes`))

t.test('npm warns of nothing when it installs the tarball', async t => {
  // On Node 20 it warns of `cookie`, a dependency of Fastify.
  t.notMatch(output, /npm warn (?!EBADENGINE)/)
})

for (const app of ['app.mjs', 'app.cjs']) {
  t.test(`${app} loads the package and logs in`, async t => {
    t.equal(await inProject('node', [app]), LOGGED_IN)
  })

  t.test(`esbuild makes a program of ${app} that logs in`, async t => {
    await inProject('npx', ['esbuild', '--bundle', '--platform=node', '--outfile=bundle.cjs', app])
    t.equal(await inProject('node', ['bundle.cjs']), LOGGED_IN)
  })
}

t.test('Jest loads the package without any configuration', async () => {
  const test = `test('logs in', async () => expect(await logIn()).toBe('${LOGGED_IN}'), 30_000)`
  await save('jest.test.js', REQUIRES + LOG_IN + test)
  await inProject('npx', ['jest', 'jest.test.js'])
})

t.test('the plugin needs no TypeBox until a route has the schema of a screen', async t => {
  const [typebox, away] = [join(folder, 'node_modules/@sinclair'), join(folder, 'away')]
  await rename(typebox, away)
  t.teardown(() => rename(away, typebox))
  const code = `
    const app = require('fastify')()
    app.register(require('fastify-screen-auth'), { enabled: false, mainMenu: () => ({ layout: 'Menu' }) })
    app.ready().then(() => console.log('ready'))`
  t.equal(await run('without.cjs', code), 'ready')
})

t.test('`import` and `require` give the same names and the same values', async t => {
  const code = `
    import { createRequire } from 'node:module'
    import * as imported from 'fastify-screen-auth'
    import * as schemas from 'fastify-screen-auth/schemas'
    const require = createRequire(import.meta.url)
    const pairs = [[imported, require('fastify-screen-auth')], [schemas, require('fastify-screen-auth/schemas')]]
    for (const [one, other] of pairs)
      for (const name of new Set([...Object.keys(one), ...Object.keys(other)]))
        if (one[name] !== other[name]) console.log(name)`
  t.equal(await run('same.mjs', code), '')
})

t.test('the schemas, the types of screens and the published contract have subpaths', async t => {
  const code = `
    import { createRequire } from 'node:module'
    import * as schemas from 'fastify-screen-auth/schemas'
    import * as screens from 'fastify-screen-auth/screens'
    const require = createRequire(import.meta.url)
    const { $id } = require('fastify-screen-auth/schemas/AuthRequest.json')
    const [one, other] = ['', '-3.0'].map(name => require('fastify-screen-auth/openapi' + name + '.json').openapi)
    console.log(...Object.keys(schemas).sort(), ...Object.keys(screens), $id, one, other)`
  const names = 'AuthRequest AuthResponse Field ScreenContract Section'
  t.equal(await run('subpaths.mjs', code), `${names} urn:screen-service-auth:1:AuthRequest 3.1.0 3.0.3`)
})

for (const [typescript, module, files, options] of [
  ['typescript', 'nodenext', ['host.mts', 'host.cts']],
  ['typescript-5.4', 'nodenext', ['host.mts', 'host.cts']],
  // Here TypeScript 5.4 finds errors in the types of other packages.
  ['typescript-5.4', 'commonjs', ['host.ts'], { moduleResolution: 'node', skipLibCheck: true }],
  ['typescript-5.4', 'preserve', ['host.ts']],
  // TypeScript 5.6 and 5.7 take the TypeBox of `require` for that of `import` if they find it first.
  ['typescript-5.7', 'preserve', ['host.ts']]
] as const)
  t.test(`${typescript} with \`module: ${module}\` compiles a host with all types`, async t => {
    for (const file of files) await save(file, HOST)
    const common = { target: 'es2022', strict: true, declaration: true, types: ['node'], outDir: 'out' }
    await save('tsconfig.json', JSON.stringify({ compilerOptions: { ...common, module, ...options }, files }))
    const tsc = join(folder, 'node_modules', typescript, 'bin/tsc')
    t.equal(await inProject('node', [tsc, '--project', 'tsconfig.json']), '')
  })
