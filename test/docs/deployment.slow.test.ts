// The nginx blocks and the Dockerfile of docs/deployment.md, with the program of that page.
import { existsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { until } from '../helpers.ts'
import { needs } from '../needs.ts'
import { folder, inProject, pack, save } from '../package/project.ts'
import { RedisServer } from '../redis-server.ts'
import { block, inline, nginx, PROGRAM, startProgram } from './nginx.ts'
import { Program, statusOf, temporaryFolder } from './program.ts'
import { BLOCKED, gets, REJECTED, type Row, times, Visitor } from './table.ts'

const HOST = { host: 'screens.example.com' }
const logIn = (from: string, password: string, body: object, forged = '127.0.0.3'): Row => [
  'POST /auth/login',
  { from, fields: { password }, headers: { ...HOST, 'x-forwarded-for': forged } },
  200,
  body
]
const LIMITS = [
  ...times(10, logIn('127.0.0.2', 'wrong', REJECTED)),
  logIn('127.0.0.2', 'correct horse', BLOCKED, '6.6.6.6'),
  logIn('127.0.0.3', 'correct horse', { success: true }, '127.0.0.2')
]

const isReady = ['nginx', 'redis-server'].map(name => needs(t, name)).every(path => path !== undefined)

if (isReady) {
  t.test('nginx forwards requests, and failures count for the client address and never for a forged one', async t => {
    const program = startProgram(t, await RedisServer.start(t))
    const { http, url } = await nginx(t, await program.listening())
    await Visitor.visit(
      t,
      url,
      ...LIMITS,
      ['GET /menu/main', {}, 401, '', { 'strict-transport-security': 'max-age=31536000', 'x-frame-options': String }],
      ['POST /auth/login', { text: 'x'.repeat(2_000_000) }, 413]
    )
    t.notMatch(program.output, /6\.6\.6/)
    const plain = await fetch(`http://127.0.0.1:${http}/menu/main?a=b`, { redirect: 'manual' })
    t.match([plain.status, plain.headers.get('location')], [301, 'https://127.0.0.1/menu/main?a=b'])
  })

  t.test('through a Unix socket to the program, failures count for the client address, too', async t => {
    const socket = join(temporaryFolder(t, tmpdir()), 'socket')
    const listening = inline('await app.listen({ path').replace('/run/screens/socket', socket)
    const code = PROGRAM.replace(/trustProxy: .*,/, `${inline('trustProxy: address')},`)
    startProgram(t, await RedisServer.start(t), { code: code.replace(/await app.listen.*/, listening) })
    await until(() => existsSync(socket))
    t.equal(statSync(socket).mode & 0o777, 0o777, 'nginx, which runs as another user, may connect')
    const [, upstream = ''] = /proxy_pass (.*);/.exec(inline('proxy_pass http://unix:')) ?? []
    await Visitor.visit(t, (await nginx(t, upstream.replace('/run/screens/socket', socket))).url, ...LIMITS)
  })

  t.test('through a Unix socket from another proxy to nginx, failures count for the client address, too', async t => {
    const program = startProgram(t, await RedisServer.start(t))
    const other = `server {
      listen 443 ssl;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      location / { proxy_pass http://unix:/run/nginx/screens.sock; }
    }`
    const behind = (code: string) => other + code.replace('listen 443 ssl;', block('nginx', 'real_ip_header'))
    await Visitor.visit(t, (await nginx(t, await program.listening(), behind)).url, ...LIMITS)
  })

  const prefixed = PROGRAM.replace('  tokens,', `  tokens, ${inline('prefix: ')},`).replace(
    /'\/(auth|healthz)/g,
    "'/app/$1"
  )
  for (const [name, code, slash] of [
    ['keeps', prefixed, ''],
    ['removes', prefixed.replace('logger: true,', `logger: true, ${inline('rewriteUrl')},`), '/']
  ] as const)
    t.test(`below a path that nginx ${name}, the login is reachable where its form says`, async t => {
      const below = (code: string) =>
        code
          .replace('location / {', `${inline('location /app')} {`)
          .replace(/proxy_pass .*;/, inline(`proxy_pass http://127.0.0.1:3000${slash};`))
      const { url } = await nginx(t, await startProgram(t, await RedisServer.start(t), { code }).listening(), below)
      await Visitor.visit(
        t,
        url,
        ['GET /app/menu/main', {}, 401],
        ['GET /app/auth/login', {}, 200, { auth_action: '/app/auth/login' }],
        ['POST /app/auth/login', { fields: {}, keep: 'ada' }, 200, { success: true }],
        ['GET /app/menu/main', { as: 'ada' }, 200],
        ['GET /app/healthz', {}, 200],
        ['POST /app/auth/logout', { as: 'ada' }, 204]
      )
    })

  /** Each response has the number of the request that the program has received. */
  const counting = PROGRAM.replace(
    "app.post('/auth/logout'",
    `let count = 0
     app.addHook('onRequest', async (_request, reply) => void reply.header('x-count', ++count))
     const headers = { 'cache-control': 'public, max-age=3600' }
     const asset = async (_request, reply) => reply.headers(headers).send({ host: _request.host })
     app.get('/assets/public', { config: { screenAuth: false } }, asset)
     app.get('/assets/mistake', asset)
     $&`
  )

  t.test('the cache of the page stores public files only, and those without the token of a user', async t => {
    const cached = (code: string) =>
      block('nginx', 'proxy_cache_path') + code.replace('location / {', `${block('nginx', 'location /assets')} $&`)
    const program = startProgram(t, await RedisServer.start(t), { code: counting })
    const { send, take } = await Visitor.visit(t, (await nginx(t, await program.listening(), cached)).url)
    const forged = { headers: { host: 'screens.example.com', 'x-forwarded-host': 'evil.example' } }
    const first = await send('GET /assets/public', { as: 'ada', ...forged })
    t.match(first, { status: 200, body: { host: 'screens.example.com' } })
    await take(
      ['GET /assets/public', {}, 200, { host: 'screens.example.com' }, { 'x-count': first.headers['x-count'] }],
      ['GET /assets/mistake', { as: 'ada' }, 401],
      ['GET /menu/main', { as: 'ada' }, 200],
      ['GET /menu/main', {}, 401]
    )
  })

  t.test('a cache of all responses stores none of a guarded route and none of the login', async t => {
    const cached = (code: string) =>
      block('nginx', 'proxy_cache_path') +
      code.replace('location / {', '$& proxy_cache screens; proxy_cache_valid any 1h;')
    const program = startProgram(t, await RedisServer.start(t), { code: counting })
    await Visitor.visit(
      t,
      (await nginx(t, await program.listening(), cached)).url,
      ['GET /auth/login', {}, 200, {}, { 'x-count': '1' }],
      ['GET /auth/login', {}, 200, {}, { 'x-count': '2' }],
      ...gets('/menu/main /screen/order/7', { as: 'ada' }, 200),
      ...gets('/menu/main /screen/order/7', {}, 401),
      ...gets('/menu/main /screen/order/7', { as: 'ada' }, 200)
    )
  })
}

t.test('the commands of the Dockerfile build a program that serves requests and exits cleanly on SIGTERM', async t => {
  // The reader's files: the program, its package.json and lock file, and the packed package.
  await save('app.js', PROGRAM)
  await pack()
  await inProject('sh', ['-ec', block('sh').replace('npm install', 'npm install --package-lock-only')])
  // A remaining line that is not a shell command ends the script with an error.
  const script = block('dockerfile')
    .replace(/^(FROM|EXPOSE|USER) .*$/gm, '')
    .replace(/^WORKDIR (.*)$/gm, 'mkdir -p "$image$1"; cd "$image$1"')
    .replace(/^COPY (.*) \S+$/gm, '(to=$PWD; cd "$context"; cp $1 "$to")')
    .replace(/^RUN /gm, '')
    .replace(/^ENV /gm, 'export ')
    .replace(/^CMD (.*)$/gm, (_, words) => `exec ${JSON.parse(words).join(' ')}`)
  const env = { REDIS_URL: 'redis://127.0.0.1:1', context: folder, image: temporaryFolder(t, tmpdir()) }
  const container = new Program(t, ['sh', '-euc', script], env)
  t.equal(await statusOf(`${await container.listening()}/auth/login`), 200)
  t.equal(await container.stop('SIGTERM'), 0)
  t.match(container.output, /"msg":"screen-auth: every route/)
})
