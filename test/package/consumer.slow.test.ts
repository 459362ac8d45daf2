// The packed tarball, in a project of its own as a user would have it.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { outsideTap } from '../helpers.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const { PATH = '', HOME = '' } = process.env

const folder = await mkdtemp(join(tmpdir(), 'consumer-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))

/** What `npm pack` says of the tarball. */
let packed: { filename: string; files: { path: string }[] }

/** Runs a command in the consumer's project and returns what it prints. */
async function inProject(command: string, args: string[], cwd = folder): Promise<string> {
  const { stdout } = await run(...outsideTap(command, args), { cwd, env: { PATH, HOME } })
  return stdout.trim()
}

/** Links to something from the `node_modules` of the project. */
async function link(target: string, name: string): Promise<void> {
  const path = join(folder, 'node_modules', name)
  await mkdir(dirname(path), { recursive: true })
  await symlink(target, path)
}

const LOGIN = `
  const options = {
    secret: 'consumer-secret-of-at-least-32-bytes',
    checkCredentials: ({ username, password }) =>
      username === 'ada' && password === 'right' ? { username, displayName: 'Ada' } : null,
    mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
  }
  const walk = async app => {
    const first = await app.inject('/menu/main')
    const payload = { fields: { username: 'ada', password: 'right' } }
    const { token } = (await app.inject({ method: 'POST', url: '/auth/login', payload })).json()
    const menu = await app.inject({ url: '/menu/main', headers: { authorization: 'Bearer ' + token } })
    console.log(first.statusCode, menu.statusCode, menu.json().user_display_name)
  }
`

/** Compiles the project and prints what is wrong in it and in our types: those of Node and Fastify take long to check. */
const COMPILE = `
  const ts = require(process.argv[2])
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, '.')
  const program = ts.createProgram(fileNames, options)
  const isOurs = ({ fileName }) =>
    fileName.includes('/node_modules/fastify-screen-auth/') || !fileName.includes('/node_modules/')
  const ours = program.getSourceFiles().filter(isOurs)
  const faults = [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...ours.flatMap(file => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
    // Each by itself: to emit the whole program would check all of it.
    ...ours.flatMap(file => (file.isDeclarationFile ? [] : program.emit(file).diagnostics))
  ]
  const host = { getCanonicalFileName: name => name, getCurrentDirectory: ts.sys.getCurrentDirectory, getNewLine: () => '\\n' }
  process.stdout.write(ts.formatDiagnostics(faults, host))
  if (!ours.some(({ fileName }) => fileName.endsWith('.d.ts'))) console.log('our types were not found')
`

// Without the registry: what the package finds is what it declares, and Fastify.
t.before(async () => {
  // Without scripts: `prepare` would build dist anew under the tests that run beside this one.
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  packed = JSON.parse(await inProject('npm', pack, root))[0]
  const installed = join(folder, 'node_modules/fastify-screen-auth')
  await mkdir(installed, { recursive: true })
  await inProject('tar', ['-xzf', packed.filename, '--strip-components=1', '-C', installed])
  const { dependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  for (const name of [...Object.keys(dependencies), 'fastify', '@types/node'])
    await link(join(root, 'node_modules', name), name)
  await link(join(root, 'node_modules/type-provider-typebox-6'), '@fastify/type-provider-typebox')
})

t.test('a JavaScript app with ES modules imports it', async t => {
  await writeFile(
    join(folder, 'app.mjs'),
    `import Fastify from 'fastify'
     import screenAuth, { optionsFromEnv } from 'fastify-screen-auth'
     import * as schemas from 'fastify-screen-auth/schemas'
     import 'fastify-screen-auth/screens'
     ${LOGIN}
     const app = Fastify()
     await app.register(screenAuth, { ...optionsFromEnv({}), ...options })
     await walk(app)
     console.log(Object.keys(schemas).sort().join())`
  )
  t.equal(
    await inProject('node', ['app.mjs']),
    '401 200 Ada\nAuthRequest,AuthResponse,Field,ScreenContract,Section'
  )
})

t.test('a CommonJS app requires it', async t => {
  await writeFile(
    join(folder, 'app.cjs'),
    `const Fastify = require('fastify')
     const screenAuth = require('fastify-screen-auth')
     const { ScreenContract } = require('fastify-screen-auth/schemas')
     ${LOGIN}
     const app = Fastify()
     app.register(screenAuth, { ...screenAuth.optionsFromEnv({}), ...options })
     walk(app).then(() => console.log(ScreenContract.$id))`
  )
  t.equal(await inProject('node', ['app.cjs']), '401 200 Ada\nScreenContract')
})

t.test('a strict TypeScript app compiles against its types and runs', async t => {
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        target: 'es2022',
        module: 'nodenext',
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        types: ['node'],
        outDir: 'out'
      },
      files: ['app.mts', 'common.cts']
    })
  )
  await writeFile(
    join(folder, 'app.mts'),
    `import Fastify from 'fastify'
     import screenAuth, { optionsFromEnv, type ScreenUser, type TokenService } from 'fastify-screen-auth'
     import { AuthResponse, ScreenContract } from 'fastify-screen-auth/schemas'
     import type { MenuScreen } from 'fastify-screen-auth/screens'
     import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'

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
       checkCredentials: async (fields, request) => {
         request.log.info(fields.company)
         const username: string = fields.username
         return fields.password === 'right' ? { username, displayName: 'Ada' } : { error: 'No.' }
       },
       mainMenu: async (user, request) => ({ layout: 'Menu', title: user?.displayName ?? request.url, menu: { tabs: [] }, more: 1 }),
       loginForm: form => ({ ...form, footer: 'x' }),
       prefix: '/api'
     })
     app.get('/profile', { schema: { response: { 200: ScreenContract } } }, async request => profileOf(request.screenUser!))
     // @ts-expect-error: no screen
     app.get('/no-screen', { schema: { response: { 200: ScreenContract } } }, async () => ({ layot: 'Card' }))
     // @ts-expect-error: no screen for a type provider, either
     app.withTypeProvider<TypeBoxTypeProvider>().get('/none', { schema: { response: { 200: ScreenContract } } }, async () => ({ layot: 'Card' }))
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
  await writeFile(
    join(folder, 'common.cts'),
    `import screenAuth = require('fastify-screen-auth')
     export const { enabled } = screenAuth.optionsFromEnv({})
     export const plugin = screenAuth.default`
  )
  await writeFile(join(folder, 'compile.cjs'), COMPILE)
  t.equal(await inProject('node', ['compile.cjs', join(root, 'node_modules/typescript')]), '')
  t.equal(
    await inProject('node', ['out/app.mjs']),
    'ada {"layout":"Card","title":"Ada","user_display_name":"Ada","rows":[1]} undefined no'
  )
})

t.test('the types of a bundler project are found, those of the errors too', async t => {
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: { target: 'es2022', module: 'preserve', strict: true, types: ['node'], outDir: 'out' },
      files: ['bundled.ts']
    })
  )
  await writeFile(
    join(folder, 'bundled.ts'),
    `import { errorCodes } from 'fastify-screen-auth'
     const error = new errorCodes.FST_SCREEN_AUTH_NO_USER()
     // @ts-expect-error: it is no number
     export const code: number = error.code`
  )
  t.equal(await inProject('node', ['compile.cjs', join(root, 'node_modules/typescript')]), '')
})

t.test('the published contract is there for any JSON reader', async t => {
  await writeFile(
    join(folder, 'contract.cjs'),
    `const { $id, examples } = require('fastify-screen-auth/schemas/AuthRequest.json')
     console.log($id, examples.length, Object.keys(require('fastify-screen-auth/openapi.json').paths).join())
     console.log(require('fastify-screen-auth/openapi-3.0.json').openapi)`
  )
  t.equal(
    await inProject('node', ['contract.cjs']),
    'urn:screen-service-auth:1:AuthRequest 1 /auth/login,/menu/main\n3.0.3'
  )
})

t.test('the example of the README runs as it is printed', async t => {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const [, example = ''] = /```js\n(import Fastify.*?)```/s.exec(readme) ?? []
  await writeFile(
    join(folder, 'readme.mjs'),
    `${example.replace('logger: true', 'logger: false').replace('port: 3000', 'port: 0')}
     const statuses = ['/menu/main', '/healthz', '/screen/profile'].map(async url => (await app.inject(url)).statusCode)
     const payload = { fields: { username: 'ada', password: 'correct horse' } }
     const { token } = (await app.inject({ method: 'POST', url: '/auth/login', payload })).json()
     const profile = await app.inject({ url: '/screen/profile', headers: { authorization: 'Bearer ' + token } })
     console.log((await Promise.all(statuses)).join(' '), profile.body)
     await app.close()`
  )
  t.equal(
    await inProject('node', ['readme.mjs']),
    '401 200 401 {"layout":"Card","title":"ada","user_display_name":"Ada Lovelace"}'
  )
})

t.test('the plugin starts without loading TypeBox', async t => {
  const [typebox, away] = [join(folder, 'node_modules/@sinclair'), join(folder, 'away')]
  await rename(typebox, away)
  t.teardown(() => rename(away, typebox))
  await writeFile(
    join(folder, 'start.mjs'),
    `import Fastify from 'fastify'
     import screenAuth, { optionsFromEnv } from 'fastify-screen-auth'
     ${LOGIN}
     const app = Fastify()
     await app.register(screenAuth, { ...optionsFromEnv({}), ...options })
     await walk(app)`
  )
  t.equal(await inProject('node', ['start.mjs']), '401 200 Ada')
})

t.test('the tarball contains the published files and nothing else', async t => {
  const folders = new Set(packed.files.map(({ path }) => path.split('/')[0]))
  t.strictSame([...folders].sort(), [
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'dist',
    'docs',
    'package.json'
  ])
})
