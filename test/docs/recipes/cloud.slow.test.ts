// Lambda and Cloud Functions: lambda.js with two adapters, and firebase.js on the framework that Cloud Functions use.
import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import type { Json } from '../../examples/process.ts'
import { needs } from '../../needs.ts'
import { RedisServer } from '../../redis-server.ts'
import { logIn, Program, post, statusOf, tokenOf } from '../program.ts'
import { createProject, save } from '../project.ts'

const SVC_AUTH_SECRET = 'a-secret-for-the-tests-of-recipes'
const sourceOf = (name: string) => readFileSync(new URL(`../../../docs/recipes/${name}`, import.meta.url), 'utf8')
const path = await createProject(t, [
  ...['fastify@5', '@fastify/aws-lambda@6', 'redis@5', '@google-cloud/functions-framework@5'],
  // The socket of version 3 is a plain object, that of version 4 a stream.
  ...['serverless-http-3@npm:serverless-http@3', 'serverless-http-4@npm:serverless-http@4']
])

const lambda = sourceOf('lambda.js')

/** Returns lambda.js with serverless-http, which gets `app`. */
const serverless = (version: number, app: string) =>
  lambda
    .replace('awsLambda from', 'serverless from')
    .replace('@fastify/aws-lambda', `serverless-http-${version}`)
    .replace(/awsLambda\(app.*\)/, `serverless(${app})`)

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

const login = (password: string, address?: string) =>
  eventOf('POST', '/auth/login', { fields: { username: 'ada', password }, ...(address && { address }) })

/** Starts an instance of the function, which handles the events one after the other. Returns its responses. */
async function respond(t: Test, redis: RedisServer, code: string, events: object[]) {
  const file = save(
    path(`instance-${Math.random()}.mjs`),
    `${code}
    for (const event of JSON.parse(process.env.EVENTS)) {
      const { statusCode, body } = await handler(event, {})
      console.log('RESPONSE ' + JSON.stringify({ status: statusCode, body: body && JSON.parse(body) }))
    }
    process.exit()`
  )
  const env = { SVC_AUTH_SECRET, REDIS_URL: redis.url, EVENTS: JSON.stringify(events) }
  const program = new Program(t, [process.execPath, file], env)
  t.equal(await program.end(), 0)
  return [...program.output.matchAll(/^RESPONSE (.*)$/gm)].map(([, json = '']) => JSON.parse(json) as Json)
}

for (const [name, code] of needs(t, 'redis-server')
  ? Object.entries({
      '@fastify/aws-lambda': lambda,
      'serverless-http 3': serverless(3, 'app.server'),
      'serverless-http 4': serverless(4, 'app.server')
    })
  : []) {
  t.test(`lambda with ${name}: instances accept the tokens of each other, and count failures together`, async t => {
    const redis = await RedisServer.start(t)
    const [form, refused, accepted] = await respond(t, redis, code, [
      ...[eventOf('GET', '/auth/login'), eventOf('GET', '/menu/main'), login('correct horse')],
      ...Array.from({ length: 5 }, () => login('wrong'))
    ])
    t.match(form, { status: 200, body: { auth_action: '/auth/login' } })
    t.equal(refused.status, 401)
    const { token } = accepted.body
    const [menu, ...logins] = await respond(t, redis, code, [
      eventOf('GET', '/menu/main', { token }),
      ...Array.from({ length: 6 }, () => login('wrong')),
      login('correct horse'),
      login('correct horse', '192.0.2.2')
    ])
    t.match(menu, { status: 200, body: { layout: 'Menu' } })
    const [blocked, other] = logins.slice(-2)
    t.match(blocked, { status: 200, body: { error: /^Too many attempts/ } })
    t.match(other, { status: 200, body: { success: true } })
  })

  t.test(`lambda with ${name}: a slow login gets a 503`, async t => {
    const slow = code
      .replace(/checkCredentials: [\s\S]*: null,/, 'checkCredentials: () => new Promise(() => {}),')
      .replace('timeout: 5', 'timeout: 1')
    const [response] = await respond(t, await RedisServer.start(t), slow, [login('correct horse')])
    t.match(response, { status: 503, body: { success: false, error: String } })
  })
}

if (needs(t, 'redis-server'))
  t.test('lambda with `serverless(app)`: all clients have one address', async t => {
    const events = [...Array.from({ length: 10 }, () => login('wrong')), login('correct horse', '192.0.2.2')]
    const responses = await respond(t, await RedisServer.start(t), serverless(4, 'app'), events)
    t.match(responses.at(-1), { body: { error: /^Too many attempts/ } })
  })

t.test('lambda and firebase do not start without their settings', async t => {
  for (const [name, env] of [
    ['lambda.js', { REDIS_URL: 'redis://127.0.0.1:1' }],
    ['lambda.js', { SVC_AUTH_SECRET }],
    ['firebase.js', {}]
  ] as const) {
    const program = new Program(t, [process.execPath, save(path(name), sourceOf(name))], env)
    t.equal(await program.end(), 1)
    t.match(program.output, /Set SVC_AUTH_SECRET/)
  }
})

/** Starts firebase.js on the framework of Cloud Functions. Returns its URL. */
function startFunction(t: Test, code = sourceOf('firebase.js')): Promise<string> {
  const file = save(
    path(`function-${Math.random()}.mjs`),
    `${code}
    import { http } from '@google-cloud/functions-framework'
    import { getTestServer } from '@google-cloud/functions-framework/testing'
    http('screens', screens)
    getTestServer('screens').listen({ port: 3000 })`
  )
  return new Program(t, [process.execPath, file], { SVC_AUTH_SECRET }).listening()
}

t.test('firebase: the login and posted screens get the body that the platform has read', async t => {
  const url = await startFunction(t)
  t.equal(await statusOf(`${url}/menu/main`), 401)
  const token = await tokenOf(url)
  t.equal(await statusOf(`${url}/menu/main`, token), 200)
  t.match(await (await post(`${url}/screen/echo`, { title: 'Ünïcode' }, token)).json(), { title: 'Ünïcode' })
  t.match(await (await logIn(url, { password: 'wrong' })).json(), { success: false, error: String })
  t.equal((await logIn(url, { password: ['correct horse'] })).status, 400)
  t.equal((await logIn(url, { password: 'x'.repeat(20_000) })).status, 413)
})

t.test('firebase: without the hook, a login ends within `checks.timeout`', async t => {
  const code = sourceOf('firebase.js').replace(/^app.addHook.*$/m, '')
  const url = await startFunction(
    t,
    code.replace('...optionsFromEnv(),', '...optionsFromEnv(), checks: { timeout: 1 },')
  )
  const response = await logIn(url)
  t.equal(response.status, 503)
  t.match(await response.json(), { success: false, token: null, error: String, screen: null })
})
