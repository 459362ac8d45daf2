// What needs packages that the checkout does not have: nest.md, lambda.js, firebase.js, and the proxy of guard.md.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { needs } from '../needs.ts'
import { folder, inProject, pack, save } from '../package/project.ts'
import { RedisServer } from '../redis-server.ts'
import { readPage } from './page.ts'
import { Program, sourceOf } from './program.ts'
import { BLOCKED, login, REJECTED, type Received, Visitor } from './table.ts'

const SVC_AUTH_SECRET = 'a-secret-for-the-tests-of-recipes'

const { filename } = await pack()
await save('package.json', '{ "type": "module" }')
await inProject('npm', [
  ...['install', '--ignore-scripts', '--no-audit', '--no-fund', `./${filename}`, 'fastify@5', 'redis@5'],
  ...['common', 'core', 'platform-fastify'].map(name => `@nestjs/${name}@12`),
  ...['reflect-metadata', 'rxjs@7', 'jest@30', '@swc/jest', '@swc/core', '@types/jest@30', '@types/node@20'],
  ...['@fastify/aws-lambda@6', '@fastify/http-proxy@11', 'serverless-http@4', '@google-cloud/functions-framework@5']
])

let files = 0

async function start(t: Test, code: string, env = {}): Promise<Program> {
  const name = `program-${files++}.mjs`
  await save(name, code)
  return new Program(t, [process.execPath, join(folder, name)], env)
}

const [app = '', tests = ''] = readPage('docs/recipes/nest.md').samples.map(({ code }) => code)

const DECORATORS = { experimentalDecorators: true, emitDecoratorMetadata: true, types: ['jest', 'node'] }
const TYPESCRIPT = { target: 'es2023', module: 'nodenext', strict: true, skipLibCheck: true, noEmit: true }
const SWC = {
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true }
  },
  module: { type: 'es6' }
}
const JEST = {
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\./.*)\\.js$': '$1' },
  transform: { '\\.ts$': ['@swc/jest', SWC] }
}

t.test('nest.md: the application and its tests compile, and pass in Jest', async t => {
  await save('app.ts', app)
  await save('app.test.ts', tests)
  await save('jest.config.json', JSON.stringify(JEST))
  const command = [join(folder, 'node_modules/jest/bin/jest.js'), '--config', join(folder, 'jest.config.json')]
  const program = new Program(t, [process.execPath, '--experimental-vm-modules', ...command], { SVC_AUTH_SECRET })
  t.equal(await program.end(), 0, program.output)
  t.match(program.output, /needs a token except GET \/auth\/login, GET \/healthz,/)
  const options = { compilerOptions: { ...TYPESCRIPT, ...DECORATORS }, files: ['app.ts', 'app.test.ts'] }
  await save('tsconfig.json', JSON.stringify(options))
  const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))
  t.equal(await inProject('node', [tsc, '--project', 'tsconfig.json']), '')
})

const lambda = sourceOf('lambda.js')

const serverless = lambda
  .replace("awsLambda from '@fastify/aws-lambda'", "serverless from 'serverless-http'")
  .replace(/awsLambda\(app.*\)/, 'serverless(app.server)')

/** Returns an event of an HTTP API, whose header names an address that the client has made up and the real one. */
function eventOf(method: string, path: string, { fields = {}, token = '', address = '192.0.2.1' } = {}) {
  const authorization = token === '' ? {} : { authorization: `Bearer ${token}` }
  return {
    version: '2.0',
    rawPath: path,
    rawQueryString: '',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `6.6.6.6, ${address}`, ...authorization },
    requestContext: { http: { method, path, sourceIp: address } },
    body: method === 'POST' ? JSON.stringify({ fields }) : ''
  }
}

const loginOf = (password: string, address = '192.0.2.1') =>
  eventOf('POST', '/auth/login', { fields: { username: 'ada', password }, address })
const guesses = (length: number) => Array.from({ length }, () => loginOf('wrong'))

/** Starts an instance of the function, which handles the events one after the other. Returns its responses. */
async function respond(t: Test, redis: RedisServer, code: string, events: object[]) {
  const loop = `
    for (const event of JSON.parse(process.env.EVENTS)) {
      const { statusCode: status, body } = await handler(event, {})
      console.log('RESPONSE ' + JSON.stringify({ status, body: body && JSON.parse(body) }))
    }
    process.exit()`
  const env = { SVC_AUTH_SECRET, REDIS_URL: redis.url, EVENTS: JSON.stringify(events) }
  const program = await start(t, code + loop, env)
  t.equal(await program.end(), 0)
  return [...program.output.matchAll(/^RESPONSE (.*)$/gm)].map(([, json = '']) => JSON.parse(json) as Received)
}

if (needs(t, 'redis-server')) {
  for (const [name, code] of Object.entries({ '@fastify/aws-lambda': lambda, 'serverless-http': serverless }))
    t.test(`lambda.js: with ${name}, instances share tokens and failures, and a slow login gets a 503`, async t => {
      const redis = await RedisServer.start(t)
      const [refused, accepted] = await respond(t, redis, code, [
        ...[eventOf('GET', '/menu/main'), loginOf('correct horse')],
        ...guesses(5)
      ])
      t.equal(refused?.status, 401)
      const [menu, ...logins] = await respond(t, redis, code, [
        eventOf('GET', '/menu/main', { token: accepted?.body.token }),
        ...guesses(6),
        loginOf('correct horse'),
        loginOf('correct horse', '192.0.2.2')
      ])
      t.match(menu, { status: 200, body: { layout: 'Menu' } })
      t.match(logins.slice(-2), [{ body: BLOCKED }, { body: { success: true } }])
      const slow = code
        .replace(/checkCredentials: [\s\S]*: null,/, 'checkCredentials: () => new Promise(() => {}),')
        .replace('timeout: 5', 'timeout: 1')
      const [response] = await respond(t, redis, slow, [loginOf('correct horse', '192.0.2.3')])
      t.match(response, { status: 503, body: { success: false, error: String } })
    })
}

/** Starts firebase.js on the framework of Cloud Functions. */
const startFunction = (t: Test, code: string) =>
  start(
    t,
    `${code}
    import { http } from '@google-cloud/functions-framework'
    import { getTestServer } from '@google-cloud/functions-framework/testing'
    http('screens', screens)
    getTestServer('screens').listen({ port: 3000 })`,
    { SVC_AUTH_SECRET }
  )

t.test('firebase.js: the login and posted screens get the body that the platform has read', async t => {
  await Visitor.visit(
    t,
    await startFunction(t, sourceOf('firebase.js')),
    ['GET /menu/main', {}, 401],
    ['GET /menu/main', { as: 'ada' }, 200, { layout: 'Menu' }],
    ['POST /screen/echo', { as: 'ada', json: { title: 'Ünïcode' } }, 200, { title: 'Ünïcode' }],
    login({ password: 'wrong' }, REJECTED),
    login({ password: ['correct horse'] }, { success: false }, 400),
    login({ password: 'x'.repeat(20_000) }, { success: false }, 413)
  )
})

t.test('guard.md: behind the proxy, the other server gets the name and no token, and its 401 is a 502', async t => {
  const upstream = Fastify()
  upstream.get('/:status', async ({ params, headers }, reply) => {
    const { status } = params as { status: number }
    return reply.code(status).header('www-authenticate', 'Basic').send(headers)
  })
  t.teardown(() => upstream.close())
  const proxy = readPage('docs/guard.md').samples.find(({ code }) => code.includes('http-proxy'))?.code
  const code = `${proxy}`.replace('http://127.0.0.1:3001', await upstream.listen())
  const sent = { as: 'ada', headers: { 'x-user': 'root' } }
  const received = { 'x-user': 'ada', authorization: undefined }
  await Visitor.visit(
    t,
    await start(t, sourceOf('remember-me.js').replace('await app.listen', `${code}\n$&`)),
    ['GET /orders/200', {}, 401, '', { 'www-authenticate': /^Bearer/ }],
    ['GET /orders/200', sent, 200, received],
    ['GET /orders/401', sent, 502, received, { 'www-authenticate': undefined }]
  )
})
