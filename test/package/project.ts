// A project of a host, into which a test installs the packed tarball.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { outsideTap } from '../helpers.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))
const { PATH = '', HOME = '' } = process.env

export const folder = await mkdtemp(join(tmpdir(), 'consumer-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))

/** Runs a command in the project and returns what it prints. */
export async function inProject(command: string, args: string[], cwd = folder): Promise<string> {
  const { stdout } = await promisify(execFile)(...outsideTap(command, args), { cwd, env: { PATH, HOME } })
  return stdout.trim()
}

export const save = (name: string, text: string) => writeFile(join(folder, name), text)

/** Saves a program in the project and returns what it prints. */
export async function run(name: string, code: string): Promise<string> {
  await save(name, code)
  return inProject('node', [name])
}

/** Packs the package into the project, and returns the report of `npm pack`. */
export async function pack(): Promise<{ filename: string; files: { path: string }[] }> {
  // Without scripts: they would rebuild dist while other tests use it.
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  return JSON.parse(await inProject('npm', args, root))[0]
}

/** What a host imports, as ES module and as CommonJS. */
export const IMPORTS = `
  import { fastify } from 'fastify'
  import screenAuth, { optionsFromEnv } from 'fastify-screen-auth'
  import { ScreenContract } from 'fastify-screen-auth/schemas'
`
export const REQUIRES = `
  const { fastify } = require('fastify')
  const screenAuth = require('fastify-screen-auth')
  const { optionsFromEnv } = screenAuth
  const { ScreenContract } = require('fastify-screen-auth/schemas')
`

/** Logs in, and returns the results with and without the token. Not by `inject`, which Jest cannot load. */
export const LOG_IN = `
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
export const LOGGED_IN = '401 200 Ada'

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

/** The ways to load modules, and the files of a project with this setting. */
const SETTINGS: [module: string, options: object, files: string[]][] = [
  ['commonjs', { moduleResolution: 'node' }, ['host.ts']],
  ['node16', {}, ['host.mts', 'host.cts']],
  ['nodenext', {}, ['host.mts', 'host.cts']],
  ['preserve', {}, ['host.ts']]
]

/** Adds a test for every module setting, or for one of them. */
export function testModuleSettings(name: string, typescript: string, more: object = {}, only?: string): void {
  for (const [module, options, files] of SETTINGS.filter(([module]) => module === (only ?? module)))
    t.test(`${name} and \`module: ${module}\` compiles a host with all types`, async t => {
      for (const file of files) await save(file, HOST)
      t.equal(await compile(files, { module, ...options, ...more }, typescript), '')
    })
}

/** Compiles the project and prints the errors in it and in our types. Those of Node and Fastify take long to check. */
const COMPILE = `
  const ts = require(process.argv[2])
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options, fileNames, errors } = ts.parseJsonConfigFileContent(config, ts.sys, '.')
  const program = ts.createProgram(fileNames, options)
  const isOurs = ({ fileName }) =>
    fileName.includes('/node_modules/fastify-screen-auth/dist/') || !fileName.includes('/node_modules/')
  const ours = program.getSourceFiles().filter(isOurs)
  const faults = [
    ...errors,
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...ours.flatMap(file => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
    // Each file separately: emitting the whole program would check all of it.
    ...ours.flatMap(file => (file.isDeclarationFile ? [] : program.emit(file).diagnostics))
  ]
  const host = { getCanonicalFileName: name => name, getCurrentDirectory: ts.sys.getCurrentDirectory, getNewLine: () => '\\n' }
  process.stdout.write(ts.formatDiagnostics(faults, host))
  if (!ours.some(({ fileName }) => fileName.endsWith('ts') && fileName.includes('/dist/'))) console.log('our types were not found')
`

export async function compile(files: string[], options: object, typescript: string): Promise<string> {
  const common = { target: 'es2022', strict: true, declaration: true, types: ['node'], outDir: 'out' }
  await save('tsconfig.json', JSON.stringify({ compilerOptions: { ...common, ...options }, files }))
  await save('compile.cjs', COMPILE)
  return inProject('node', ['compile.cjs', typescript])
}
