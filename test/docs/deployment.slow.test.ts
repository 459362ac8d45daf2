// The program, the nginx blocks and the Dockerfile of docs/deployment.md, and what docs/operations.md does with them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'
import t, { type Test } from 'tap'
import { until } from '../helpers.ts'
import { needs } from '../needs.ts'
import { folder, inProject, pack, save } from '../package/project.ts'
import { ask, freePort, isListening, RedisServer } from '../redis-server.ts'
import { readPage } from './page.ts'
import { APP, Program, SERVER, startProgram, TESTS, TYPED, temporaryFolder, withNodeRedis } from './program.ts'
import { BLOCKED, each, gets, login, REJECTED, type Row, type Step, times, Visitor } from './table.ts'

const pages = ['docs/deployment.md', 'docs/operations.md'].map(readPage)
const samples = pages.flatMap(page => page.samples)
const code = pages.flatMap(page => page.code)
/** Returns the first block in a language that contains a text. */
const block = (language: string, part: string) =>
  `${samples.find(sample => sample.language === language && sample.code.includes(part))?.code}`
/** Returns the first inline code that begins with a text. */
const inline = (start: string) => `${code.find(code => code.startsWith(start))}`

/** Starts nginx with the page's block but without TLS, as a proxy for a server. Returns its URL and its port for HTTP. */
async function nginx(t: Test, upstream: string, change = (code: string) => code) {
  const folder = temporaryFolder(t, tmpdir())
  const [http, https] = [await freePort(), await freePort()]
  const server = change(block('nginx', 'server {'))
    .replace('listen 80;', `listen ${http};`)
    .replace('listen 443 ssl;', `listen ${https};`)
    .replace(/ssl_certificate.*;/g, '')
    .replaceAll('http://127.0.0.1:3000', upstream)
    .replaceAll(/\/(run|var)\/[a-z/]*\//g, `${folder}/`)
  const file = join(folder, 'nginx.conf')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${folder}/${name};`
  )
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {}
     http { access_log off; ${temporary.join('\n')} ${server} }`
  )
  const child = spawn('nginx', ['-p', folder, '-e', 'stderr', '-c', file])
  t.teardown(() => child.kill('SIGKILL'))
  const errors = text(child.stderr)
  while (!(await isListening(https))) {
    if (child.exitCode !== null) throw new Error(await errors)
    await sleep(20)
  }
  return { http, url: `http://127.0.0.1:${https}` }
}

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

/** Returns a row of a login through a proxy that has appended an address. */
const from =
  (status: number) =>
  (address: string): Row => ['POST /auth/login', { fields: {}, headers: { 'x-forwarded-for': address } }, status]

/** What nginx forwards through a Unix socket to the nginx of the page. */
const OTHER_PROXY = `server {
  listen 443 ssl;
  proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
  location / { proxy_pass http://unix:/run/nginx/screens.sock; }
}`
const PREFIXED = APP.replace('  tokens,', `  tokens, ${inline('prefix: ')},`).replace(/'\/(auth|healthz)/g, "'/app/$1")
const below = (slash: string) => (conf: string) =>
  conf
    .replace('location / {', `${inline('location /app')} {`)
    .replace(/proxy_pass .*;/, inline(`proxy_pass http://127.0.0.1:3000${slash};`))
const BELOW: Step[] = [
  ['GET /app/menu/main', {}, 401],
  ['GET /app/auth/login', {}, 200, { auth_action: '/app/auth/login' }],
  ['POST /app/auth/login', { fields: {}, keep: 'ada' }, 200, { success: true }],
  ['GET /app/menu/main', { as: 'ada' }, 200],
  ['GET /app/healthz', {}, 200],
  ['POST /app/auth/logout', { as: 'ada' }, 204]
]
const SOCKET = join(temporaryFolder(t, tmpdir()), 'socket')
const ON_SOCKET = SERVER.replace(/trustProxy: .*,/, `${inline('trustProxy: address')},`).replace(
  /await app.listen.*/,
  inline('await app.listen({ path').replace('/run/screens/socket', SOCKET)
)
/** The program with public files, and a guarded one among them. */
const WITH_FILES = APP.replace(
  "app.post('/auth/logout'",
  `const file = async ({ host, protocol, id, headers: { cookie = '' } }, reply) =>
    reply.header('cache-control', 'public, max-age=3600').send({ host, protocol, id, cookie })
  app.get('/assets/file', { config: { screenAuth: false } }, file)
  app.get('/assets/mistake', file)
  $&`
)
const CACHE = inline('proxy_cache_path')

type Variant = Parameters<typeof startProgram>[2]
/** A program and a configuration of nginx, and the requests that nginx forwards. */
const PROXIES: Record<string, Variant & { conf?: (conf: string) => string; steps: Step[] }> = {
  'failures count for the client address and never for a forged one': {
    steps: [
      ...LIMITS,
      ['GET /menu/main', {}, 401, '', { 'strict-transport-security': 'max-age=31536000', 'x-frame-options': String }],
      ['POST /auth/login', { text: 'x'.repeat(2_000_000) }, 413]
    ]
  },
  'through a Unix socket to the program, failures count for the client address, too': {
    server: ON_SOCKET,
    conf: conf =>
      conf.replace(/proxy_pass .*;/, inline('proxy_pass http://unix:').replace('/run/screens/socket', SOCKET)),
    steps: [({ t }) => t.equal(statSync(SOCKET).mode & 0o777, 0o777, 'nginx, another user, may connect'), ...LIMITS]
  },
  'through a Unix socket from another proxy to nginx, failures count for the client address, too': {
    conf: conf => OTHER_PROXY + conf.replace('listen 443 ssl;', inline('listen unix:')),
    steps: LIMITS
  },
  'another proxy appends the client address; logins from an address or a /48 are limited, and no other requests': {
    conf: conf =>
      conf
        .replace('rate=1r/s', 'rate=1r/m')
        .replace('burst=100', 'burst=3')
        .replace('listen 443 ssl;', `$& ${inline('set_real_ip_from').replace('10.0.0.0', '127.0.0.0')}`),
    steps: [
      ...each(['2001:db8:1:ff00::1', '2001:db8:1::2', '2001:db8:1:2:3:4:5:6', '::1, 2001:db8:1:2::'], from(200)),
      ...each(['2001:db8:1:ff00::1', '2001:db8:1:8000::'], from(429)),
      ['POST /auth/log%69n', { headers: { 'x-forwarded-for': '2001:db8:1::2' } }, 429],
      ['GET /menu/main', { headers: { 'x-forwarded-for': '2001:db8:1::2' } }, 401],
      ...each(['2001:db8:2::1', ...Array(4).fill('::ffff:192.0.2.1'), '::ffff:192.0.2.2'], from(200)),
      from(429)('::ffff:192.0.2.1')
    ]
  },
  'below a path that nginx keeps, the form has the URL of the login': { app: PREFIXED, conf: below(''), steps: BELOW },
  'below a path that nginx removes, the form has the URL of the login': {
    app: PREFIXED,
    server: SERVER.replace('logger: true,', `logger: true, ${inline('rewriteUrl')},`),
    conf: below('/'),
    steps: BELOW
  },
  'every response under pressure is a 503, so that clients keep their token': {
    env: { MAX_RSS_BYTES: '1' },
    steps: [
      // The plugin first checks the memory after a second, so this login succeeds.
      ['POST /auth/login', { fields: {}, keep: 'ada' }, 200],
      ['GET /healthz', { eventually: true }, 503],
      ...gets('/healthz /menu/main /unknown', { as: 'ada' }, 503, {}, { 'retry-after': '10' }),
      login({}, { success: false, token: null, error: String, screen: null }, 503)
    ]
  },
  'the cache of the page stores public files only, and nothing of a user': {
    app: WITH_FILES,
    conf: conf => `${CACHE} ${conf.replace('location / {', `${block('nginx', 'location /assets')} $&`)}`,
    steps: [
      async ({ t, send }) => {
        const forged = { ...HOST, 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'evil', cookie: 'token=old' }
        const { status, body } = await send('GET /assets/file', { as: 'ada', headers: forged })
        t.match([status, body], [200, { ...HOST, protocol: /^https?$/, id: String, cookie: /^$/ }])
        t.strictSame((await send('GET /assets/file')).body, body)
      },
      ['GET /assets/mistake', { as: 'ada' }, 401]
    ]
  }
}

// The reader's folder. Before the first test, because tap ends when it has run the tests that it knows.
await pack()
await inProject('sh', ['-ec', block('sh', 'npm install')])
for (const [i, name] of ['app', 'server', 'app.test'].entries()) await save(`${name}.ts`, `${TYPED[i]}`)
const [, version] = /^FROM node:(\d+)/m.exec(block('dockerfile', 'FROM')) ?? []
const node = await inProject('npm', `exec -y --package=node@${version} -- node -p process.execPath`.split(' '))

if (['nginx', 'redis-server'].map(name => needs(t, name)).every(path => path !== undefined)) {
  for (const [name, { conf, steps, ...program }] of Object.entries(PROXIES))
    t.test(`nginx: ${name}`, async t => {
      const server = startProgram(t, await RedisServer.start(t), program)
      await until(() => /Server listening/.test(server.output))
      const { http, url } = await nginx(t, program.server === ON_SOCKET ? '' : await server.listening(), conf)
      await Visitor.visit(t, url, ...steps)
      t.notMatch(server.output, /6\.6\.6/)
      const plain = await fetch(`http://127.0.0.1:${http}/menu/main?a=b`, { redirect: 'manual' })
      t.match([plain.status, plain.headers.get('location')], [301, 'https://127.0.0.1/menu/main?a=b'])
    })

  t.test('a rolling restart to a new password of Redis fails no request, and ends no session', async t => {
    const redis = await RedisServer.start(t)
    const url = (password: string) => redis.url.replace('//', `//:${password}@`)
    const tell = (password: string, command: string) => ask({ url: url(password) }, command.split(' '))
    // Responds only after SIGTERM, and reads the session once more.
    const route = `app.get('/screen/slow', async request => {
      console.log('a request is open')
      await once(process, 'SIGTERM')
      await sleep(100)
      return { layout: 'Card', title: (await app.screenAuth.verifyToken(request.headers.authorization.slice(7))).username }
    })
    $&`
    const server = SERVER.replace('await metrics.listen', route)
    const start = async (PORT: string, password: string) => {
      const program = startProgram(t, redis, { server, env: { PORT, REDIS_URL: url(password) } })
      const direct = await Visitor.visit(t, await program.listening(Number(PORT)))
      await direct.take(['GET /healthz', { eventually: true }, 200, { status: 'ok' }])
      return { program, direct, PORT }
    }
    await tell('', 'CONFIG SET requirepass OLD')
    await tell('OLD', 'CONFIG REWRITE')
    const thief = createClient({ url: url('OLD'), socket: { reconnectStrategy: false } })
    await thief.on('error', () => {}).connect()
    const ports = [`${await freePort()}`, `${await freePort()}`]
    const servers = await Promise.all(ports.map(port => start(port, 'OLD')))
    const upstream = inline('upstream').replace(/10\S+:3000/g, () => `127.0.0.1:${ports.pop()}`)
    const proxy = await nginx(t, 'http://screens', conf => upstream + conf)
    const { send, take, tokenOf } = await Visitor.visit(t, proxy.url)
    const token = await tokenOf('ada')
    const statuses: unknown[] = []
    const abort = new AbortController()
    t.teardown(() => abort.abort())
    const load = async () => {
      while (!abort.signal.aborted) statuses.push((await send('GET /menu/main', { token })).status)
    }
    const loads = [load(), load(), load()]
    await tell('OLD', inline('ACL SETUSER default >'))
    for (const { program, direct, PORT } of servers) {
      const slow = direct.send('GET /screen/slow', { token })
      await until(() => /a request is open/.test(program.output))
      t.equal(await program.stop('SIGTERM'), 0)
      t.match(await slow, { status: 200, body: { title: 'ada' } })
      t.notMatch(program.output, /OLD|NEW/)
      await start(PORT, 'NEW')
      // No request waits any more that this server has refused.
      const { length } = statuses
      await until(() => statuses.length > length + 50)
    }
    await tell('NEW', inline('CONFIG SET requirepass'))
    await tell('NEW', inline('CONFIG REWRITE'))
    abort.abort()
    await Promise.all(loads)
    t.strictSame([...new Set(statuses)], [200])
    const [, folder] = (await tell('NEW', 'CONFIG GET dir')) as [string, string]
    t.notMatch(readFileSync(join(folder, 'redis.conf'), 'utf8'), /OLD/)
    t.equal(await thief.ping(), 'PONG', 'open connections stay open')
    await tell('NEW', inline('CLIENT KILL'))
    await t.rejects(thief.ping())
    await take(['GET /menu/main', { token, eventually: true }, 200])
    await redis.stop()
    await redis.start()
    await t.rejects(tell('OLD', 'PING'), /WRONGPASS/)
    await take(['GET /menu/main', { token, eventually: true }, 200])
  })

  t.test('the script unlocks a user on the running servers', async t => {
    const redis = await RedisServer.start(t, '--requirepass', 'right')
    const env = (password: string) => ({ REDIS_URL: redis.url.replace('//', `//:${password}@`), REDIS_PREFIX: 'shop:' })
    const file = join(temporaryFolder(t), 'unlock.js')
    writeFileSync(file, block('js', 'unlock'))
    const unlock = (password: string, ...args: string[]) => new Program(t, ['node', file, ...args], env(password))
    const { take } = await Visitor.visit(t, startProgram(t, redis, { env: env('right') }))
    await take(...times(10, login({ password: 'wrong' }, REJECTED)), login({}, BLOCKED))
    for (const misused of [unlock('right'), unlock('hunter2#', 'ada')])
      t.match([await misused.end(), misused.output], [2, /^Usage: (?!.*hunter2).*\n$/])
    const refused = unlock('hunter2', 'ada')
    t.equal(await refused.end(), 1)
    t.match(refused.output, /WRONGPASS/)
    t.notMatch(refused.output, /hunter2/)
    const done = unlock('right', 'ada')
    t.equal(await done.end(), 0)
    t.match(done.output, /Unlocked ada\n$/)
    await take(login({}, { success: true }))
  })

  t.test('the metrics count requests, logins and refusals, on a port of their own', async t => {
    // Empty values, such as those of a template, count as missing.
    const server = startProgram(t, await RedisServer.start(t), { env: { HOST: '', PORT: '', METRICS_PORT: '' } })
    await Visitor.visit(
      t,
      server,
      ...each([1, 2, 3], id => [`GET /screen/order/${id}`, { as: 'ada' }, 200]),
      ['GET /invented?secret=1', {}, 401],
      ['GET /metrics', { as: 'ada' }, 404],
      ['GET /metrics', { token: 'garbage' }, 401],
      ...times(10, login({ username: 'bob' }, REJECTED)),
      login({ username: 'bob' }, BLOCKED),
      ['POST /auth/login', { text: 'no JSON' }, 415]
    )
    const { send } = await Visitor.visit(t, await server.listening(9464))
    const { body: exported } = await send('GET /metrics')
    for (const line of [
      'http_request_duration_seconds_count{method="GET",route="/screen/order/:id",status="200"} 3',
      'http_request_duration_seconds_count{method="GET",route="unknown",status="401"} 2',
      ...['accepted"} 1', 'rejected"} 10', 'blocked"} 1', 'malformed"} 1', 'failed"} 0'].map(
        value => `logins_total{outcome="${value}`
      ),
      ...['missing"} 1', 'invalid"} 1', 'unavailable"} 0'].map(value => `refusals_total{reason="${value}`)
    ])
      t.match(exported, line)
    t.notMatch(exported, /invented|secret/)
    t.notMatch(server.output, /"level":40/, 'no warning')
    // It sends no request, and would delay the end of the program.
    await once(connect(Number(new URL(await server.listening(9464)).port)), 'connect')
    t.equal(await server.stop('SIGHUP'), 0)

    // The alert rules use only names and labels that are exported.
    const rules = block('yaml', 'alert')
    const selectors = [...rules.matchAll(/\b([a-z_]+)(?:{(.*?)})?(?:\[\d+m\]| ==)/g)]
    t.ok(selectors.length > 4)
    for (const [, name, labels = ''] of selectors) {
      t.match(exported, RegExp(`^${name}[{ ]`, 'm'))
      // The metrics of a working server have no failure statuses, so any status is accepted.
      for (const [, label, , values = ''] of labels.matchAll(/(\w+)(=~?)"(.*?)"/g))
        for (const value of label === 'status' ? ['\\d+'] : values.split('|'))
          t.match(exported, RegExp(`^${name}{.*\\b${label}="${value}"`, 'm'))
    }
  })
}

t.test('the compiler accepts the program and its tests, also with node-redis, and the tests pass', async t => {
  await save('node-redis.ts', withNodeRedis(`${TYPED[1]}`))
  await inProject('npm', ['install', '--no-save', 'redis'])
  const flags = '--strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes --noUnusedLocals --skipLibCheck false'
  t.equal(await inProject('npx', ['tsc', ...flags.split(' ')]), '')
  t.match(await inProject(node, ['--test', 'app.test.ts']), /pass 4\n.*fail 0\n/)
})

t.test('the commands of the Dockerfile build a program that serves requests and exits cleanly on SIGTERM', async t => {
  // A remaining line that is not a shell command ends the script with an error.
  const script = block('dockerfile', 'FROM')
    .replace(/^(FROM|EXPOSE|USER) .*$/gm, '')
    .replace(/^WORKDIR (.*)$/gm, 'mkdir -p "$image$1"; cd "$image$1"')
    .replace(/^COPY (.*) \S+$/gm, '(to=$PWD; cd "$context"; cp $1 "$to")')
    .replace(/^RUN /gm, '')
    .replace(/^ENV /gm, 'export ')
    .replace(/^CMD (.*)$/gm, (_, words) => `exec ${dirname(node)}/${JSON.parse(words).join(' ')}`)
  const env = { REDIS_URL: 'redis://127.0.0.1:1', context: folder, image: temporaryFolder(t, tmpdir()) }
  const container = new Program(t, ['sh', '-euc', script], env)
  await Visitor.visit(t, container, ['GET /auth/login', {}, 200])
  t.equal(await container.stop('SIGTERM'), 0)
  t.match(container.output, /"msg":"screen-auth: every route/)
})

/** Mistakes in app.js, and how many of the four tests of the page then pass. */
const MISTAKES: [what: string, passed: number, code: string, replacement: string][] = [
  ['makes no mistake', 4, '', ''],
  ['forgets an await', 3, "username === 'ada' && password === 'correct horse'", '(async () => false)()'],
  ['fails for an unknown user', 3, "username === 'ada' && password", '({ ada: { password } })[username].password'],
  ['keeps the session', 3, 'await tokens.revoke(bearerToken(request))', ''],
  ['opens a route', 1, '{ schema }', '{ schema, config: { screenAuth: false } }']
]

for (const [what, passed, ...mistake] of MISTAKES)
  t.test(`${passed} of the 4 tests of the page pass if the app ${what}`, async t => {
    await save('app.js', APP.replace(...mistake))
    await save('app.test.js', TESTS)
    const program = new Program(t, [process.execPath, '--test', join(folder, 'app.test.js')])
    await program.end()
    t.match(program.output, new RegExp(`pass ${passed}\n.*fail ${4 - passed}\n`))
  })
