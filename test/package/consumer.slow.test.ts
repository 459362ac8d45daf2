// The packed tarball, installed in a separate project as by a user.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { outsideTap } from '../helpers.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { PATH = '', HOME = '' } = process.env

const folder = await mkdtemp(join(tmpdir(), 'consumer-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))

/** The report of `npm pack` about the tarball. */
let packed: { filename: string; files: { path: string }[] }

/** Runs a command in the consumer's project and returns what it prints. */
async function inProject(command: string, args: string[], cwd = folder): Promise<string> {
  const { stdout } = await promisify(execFile)(...outsideTap(command, args), { cwd, env: { PATH, HOME } })
  return stdout.trim()
}

const save = (name: string, text: string) => writeFile(join(folder, name), text)

/** Saves a program in the project and returns what it prints. */
async function run(name: string, code: string): Promise<string> {
  await save(name, code)
  return inProject('node', [name])
}

/** Creates a link in the `node_modules` of the project. */
async function link(target: string, name: string): Promise<void> {
  const path = join(folder, 'node_modules', name)
  await mkdir(dirname(path), { recursive: true })
  await symlink(target, path)
}

// Without the registry: the package finds only its declared dependencies and the packages of the project.
t.before(async () => {
  // Without scripts: `prepare` would rebuild dist while other tests use it.
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

/** Code that logs in, and prints the results with and without the token. Imports must precede it. */
const LOGIN = `
  const app = Fastify()
  app.register(screenAuth, {
    ...optionsFromEnv({}),
    secret: 'consumer-secret-of-at-least-32-bytes',
    checkCredentials: ({ username, password }) =>
      username === 'ada' && password === 'right' ? { username, displayName: 'Ada' } : null,
    mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
  })
  const walk = async () => {
    const first = await app.inject('/menu/main')
    const payload = { fields: { username: 'ada', password: 'right' } }
    const { token } = (await app.inject({ method: 'POST', url: '/auth/login', payload })).json()
    const menu = await app.inject({ url: '/menu/main', headers: { authorization: 'Bearer ' + token } })
    console.log(first.statusCode, menu.statusCode, menu.json().user_display_name)
  }
  walk()
`
const IMPORTS = `
  import Fastify from 'fastify'
  import screenAuth, { optionsFromEnv } from 'fastify-screen-auth'
`

t.test('a JavaScript app with ES modules can import the package and start without TypeBox', async t => {
  const [typebox, away] = [join(folder, 'node_modules/@sinclair'), join(folder, 'away')]
  await rename(typebox, away)
  t.teardown(() => rename(away, typebox))
  t.equal(await run('app.mjs', IMPORTS + LOGIN), '401 200 Ada')
})

t.test('a CommonJS app can require the package', async t => {
  const code = `
    const Fastify = require('fastify')
    const screenAuth = require('fastify-screen-auth')
    const { optionsFromEnv } = screenAuth
    ${LOGIN}`
  t.equal(await run('app.cjs', code), '401 200 Ada')
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

/** Compiles the project and prints the errors in it and in our types. Those of Node and Fastify take long to check. */
const COMPILE = `
  const ts = require(${JSON.stringify(join(root, 'node_modules/typescript'))})
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
    // Each file separately: emitting the whole program would check all of it.
    ...ours.flatMap(file => (file.isDeclarationFile ? [] : program.emit(file).diagnostics))
  ]
  const host = { getCanonicalFileName: name => name, getCurrentDirectory: ts.sys.getCurrentDirectory, getNewLine: () => '\\n' }
  process.stdout.write(ts.formatDiagnostics(faults, host))
  if (!ours.some(({ fileName }) => fileName.endsWith('.d.ts'))) console.log('our types were not found')
`

async function compile(module: string, files: string[], strictest: object = {}): Promise<string> {
  const common = { target: 'es2022', strict: true, types: ['node'], outDir: 'out' }
  const compilerOptions = { ...common, module, ...strictest }
  await save('tsconfig.json', JSON.stringify({ compilerOptions, files }))
  return run('compile.cjs', COMPILE)
}

t.test('a strict TypeScript app compiles with the types of the package and runs', async t => {
  await save(
    'app.mts',
    `import Fastify from 'fastify'
     import screenAuth, { type LoginFields, optionsFromEnv, type ScreenUser, type TokenService } from 'fastify-screen-auth'
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
  await save(
    'common.cts',
    `import screenAuth = require('fastify-screen-auth')
     export const { enabled } = screenAuth.optionsFromEnv({})
     export const plugin = screenAuth.default`
  )
  const strictest = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true }
  t.equal(await compile('nodenext', ['app.mts', 'common.cts'], strictest), '')
  const profile = '{"layout":"Card","title":"Ada","user_display_name":"Ada","rows":[1]}'
  t.equal(await inProject('node', ['out/app.mjs']), `ada ${profile} undefined no`)
})

t.test('a bundler project finds the types, including those of the errors', async t => {
  await save(
    'bundled.ts',
    `import { errorCodes } from 'fastify-screen-auth'
     const error = new errorCodes.FST_SCREEN_AUTH_NO_USER()
     // @ts-expect-error: it is no number
     export const code: number = error.code`
  )
  t.equal(await compile('preserve', ['bundled.ts']), '')
})
