// The published contract: what others validate with, lint and generate code from.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { publishedFiles } from '../../schemas/build/publish.ts'
import { outsideTap } from '../helpers.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const bin = (name: string) => join(root, 'node_modules/.bin', name)

const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
const published = publishedFiles(version)
const schemas = Object.keys(published)
  .filter(path => path.startsWith('json/'))
  .map(path => JSON.parse(published[path] as string))

t.test('the committed files are what `npm run contract` writes', async t => {
  for (const [path, text] of Object.entries(published)) {
    t.equal(
      await readFile(join(root, 'schemas/generated', path), 'utf8'),
      text,
      `${path} is stale: npm run contract`
    )
  }
})

t.test('each type is a JSON Schema 2020-12 of its own, which its examples match', async t => {
  t.equal(schemas.length, 5)
  for (const schema of schemas) {
    const validate = new Ajv2020({ strict: true }).compile(schema)
    t.equal(schema.$id, `urn:fastify-screen-auth:${schema.title}`)
    t.ok(schema.description)
    t.ok(schema.examples.length > 0)
    for (const example of schema.examples) t.ok(validate(example), schema.title)
  }
})

t.test('all the schemas can be loaded together', async t => {
  const ajv = new Ajv2020()
  t.equal(ajv.addSchema(schemas).getSchema('urn:fastify-screen-auth:AuthResponse')?.({}), false)
})

t.test('the AuthResponse schema refuses what is neither a success nor a failure', async t => {
  const validate = new Ajv2020().compile(schemas.find(({ title }) => title === 'AuthResponse'))
  const screen = { layout: 'Menu' }
  const cases: [boolean, object][] = [
    [true, { success: true, token: 't', error: null, screen }],
    [true, { success: false, token: null, error: 'e', screen: null, more: 1 }],
    [false, { success: true, token: null, error: null, screen }],
    [false, { success: true, token: '', error: null, screen }],
    [false, { success: true, token: 't', error: 'e', screen }],
    [false, { success: true, token: 't', error: null, screen: null }],
    [false, { success: false, token: 't', error: 'e', screen: null }],
    [false, { success: false, token: null, error: null, screen: null }],
    [false, { success: false, token: null, error: 'e', screen }],
    [false, { success: false, token: null, error: 'e' }]
  ]
  for (const [isValid, body] of cases) t.equal(validate(body), isValid, JSON.stringify(body))
})

t.test('openapi.json has every status of every route with an example, and its security', async t => {
  const { openapi, paths, components } = JSON.parse(published['openapi.json'] as string)
  t.match(openapi, /^3\.1\./)
  t.match(components.securitySchemes, { screenAuth: { type: 'http', scheme: 'bearer' } })
  const statuses = Object.entries<Record<string, { responses: object }>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) =>
      [method, path, ...Object.keys(responses)].join(' ')
    )
  )
  t.strictSame(statuses, [
    'get /auth/login 200 404 500',
    'post /auth/login 200 400 413 415 500 503',
    'get /menu/main 200 401 500 503'
  ])
  const responses = Object.values<Record<string, { responses: Record<string, object> }>>(paths).flatMap(
    methods => Object.values(methods).flatMap(({ responses }) => Object.values(responses))
  )
  for (const response of responses) t.match(JSON.stringify(response), /"examples?":/)
  t.strictSame(paths['/menu/main'].get.security, [{ screenAuth: [] }])
  t.strictSame(paths['/auth/login'].post.security, [])
})

t.test('openapi.json has nothing that the recommended rules of Redocly would say', async t => {
  const [command, args] = outsideTap(bin('redocly'), [
    'lint',
    'schemas/generated/openapi.json',
    '--format=json'
  ])
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const { stdout } = await run(command, args, { cwd: root, env })
  t.match(JSON.parse(stdout), { totals: { errors: 0, warnings: 0, ignored: 0 } })
})

t.test('a strict TypeScript client compiles with the types that openapi-typescript makes', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'openapi-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const types = join(folder, 'contract.ts')
  await run(...outsideTap(bin('openapi-typescript'), ['schemas/generated/openapi.json', '--output', types]), {
    cwd: root
  })
  await writeFile(
    join(folder, 'client.ts'),
    `import type { components, paths } from './contract.js'
     type Answer = paths['/auth/login']['post']['responses'][200]['content']['application/json']
     type Screen = components['schemas']['ScreenContract']

     export async function logIn(base: string, username: string, password: string): Promise<Screen> {
       const form: Screen = await (await fetch(base + '/auth/login')).json()
       const body: components['schemas']['AuthRequest'] = { fields: { username, password } }
       const init = { method: 'POST', body: JSON.stringify(body) }
       const answer: Answer = await (await fetch(base + (form.auth_action ?? ''), init)).json()
       if (answer.screen === null) throw new Error(answer.error ?? 'no message')
       const token: string | null = answer.token
       const label: string | undefined = answer.screen.sections?.[0]?.fields[0]?.label
       // @ts-expect-error: a token is a string or null
       const wrong: number = answer.token
       return { layout: answer.screen.layout, title: String(label ?? token ?? wrong) }
     }`
  )
  const options = [
    '--strict',
    // Of TypeScript's own types for the web, which take long to check.
    '--skipLibCheck',
    '--noEmit',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--lib',
    'es2022,dom'
  ]
  const tsc = [...outsideTap(bin('tsc'), [...options, 'client.ts'])] as const
  await run(...tsc, { cwd: folder }).catch(({ stdout }) => t.fail(stdout))
})
