// The nginx block and the Dockerfile of docs/deployment.md, with the program of that page.
import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { until } from '../helpers.ts'
import { needs } from '../needs.ts'
import { folder, inProject, pack, save } from '../package/project.ts'
import { freePort, isListening } from '../redis-server.ts'
import { readPage } from './page.ts'
import { Program, startCode, statusOf, temporaryFolder } from './program.ts'
import { BLOCKED, REJECTED, type Row, times, Visitor } from './table.ts'

const SECRET = { SVC_AUTH_SECRET: 'a-secret-for-the-tests-of-this-page' }
const { samples, code: inlineCode } = readPage('docs/deployment.md')
const inline = (start: string) => `${inlineCode.find(code => code.startsWith(start))}`
const block = (language: string) => `${samples.find(sample => sample.language === language)?.code}`

/** Starts nginx with the page's block but without TLS, as a proxy for a server. Returns its URL and its port for HTTP. */
async function nginx(t: Test, upstream: string, change = (code: string) => code) {
  const folder = temporaryFolder(t, tmpdir())
  const [http, https] = [await freePort(), await freePort()]
  const server = block('nginx')
    .replace('listen 80;', `listen ${http};`)
    .replace('listen 443 ssl;', `listen ${https};`)
    .replace(/ssl_certificate.*;/g, '')
    .replace('http://127.0.0.1:3000', upstream)
  const file = join(folder, 'nginx.conf')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${folder}/${name};`
  )
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {}
     http { access_log off; ${temporary.join('\n')} ${change(server)} }`
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

if (needs(t, 'nginx')) {
  t.test('nginx forwards requests, and failures count for the client address and never for a forged one', async t => {
    const program = startCode(t, block('js'), SECRET)
    const { http, url } = await nginx(t, await program.listening())
    await Visitor.visit(
      t,
      url,
      ...LIMITS,
      ['GET /menu/main', {}, 401, '', { 'strict-transport-security': 'max-age=31536000' }],
      ['POST /auth/login', { text: 'x'.repeat(2_000_000) }, 413]
    )
    t.notMatch(program.output, /6\.6\.6/)
    const plain = await fetch(`http://127.0.0.1:${http}/menu/main?a=b`, { redirect: 'manual' })
    t.match([plain.status, plain.headers.get('location')], [301, 'https://127.0.0.1/menu/main?a=b'])
  })

  t.test('through a Unix socket, failures count for the client address, too', async t => {
    const socket = join(temporaryFolder(t, tmpdir()), 'socket')
    const code = block('js').replace(/trustProxy: .*,/, `${inline('trustProxy: address')},`)
    startCode(t, code.replace(/listen\(\{.*\}\)/, `listen({ path: ${JSON.stringify(socket)} })`), SECRET)
    await until(() => existsSync(socket))
    await Visitor.visit(t, (await nginx(t, `http://unix:${socket}:`)).url, ...LIMITS)
  })

  const prefixed = block('js').replace('...optionsFromEnv(),', `...optionsFromEnv(), ${inline('prefix: ')},`)
  for (const [name, code, slash] of [
    ['keeps', prefixed, ''],
    ['removes', prefixed.replace('logger: true,', `logger: true, ${inline('rewriteUrl')},`), '/']
  ] as const)
    t.test(`below a path that nginx ${name}, the login is reachable where its form says`, async t => {
      const below = (code: string) =>
        code.replace('location / {', inline('location /app')).replace(/proxy_pass (.*);/, `proxy_pass $1${slash};`)
      const { url } = await nginx(t, await startCode(t, code, SECRET).listening(), below)
      await Visitor.visit(
        t,
        url,
        ['GET /app/menu/main', {}, 401],
        ['GET /app/auth/login', {}, 200, { auth_action: '/app/auth/login' }],
        ['POST /app/auth/login', { fields: {}, keep: 'ada' }, 200, { success: true }],
        ['GET /app/menu/main', { as: 'ada' }, 200]
      )
    })
}

t.test('the commands of the Dockerfile build a program that serves requests and exits cleanly on SIGTERM', async t => {
  // The reader's files: the program, its package.json and lock file, and the packed package.
  await save('app.js', block('js'))
  await save('package.json', '{ "type": "module" }')
  const { filename } = await pack()
  const packages = ['close-with-grace@2', 'fastify@5', `./${filename}`]
  await inProject('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund', ...packages])
  // A remaining line that is not a shell command ends the script with an error.
  const script = block('dockerfile')
    .replace(/^(FROM|EXPOSE|USER) .*$/gm, '')
    .replace(/^WORKDIR (.*)$/gm, 'mkdir -p "$image$1"; cd "$image$1"')
    .replace(/^COPY (.*) \S+$/gm, '(to=$PWD; cd "$context"; cp $1 "$to")')
    .replace(/^RUN /gm, '')
    .replace(/^ENV /gm, 'export ')
    .replace(/^CMD (.*)$/gm, (_, words) => `exec ${JSON.parse(words).join(' ')}`)
  const env = { ...SECRET, context: folder, image: temporaryFolder(t, tmpdir()) }
  const container = new Program(t, ['sh', '-euc', script], env)
  t.equal(await statusOf(`${await container.listening()}/auth/login`), 200)
  t.equal(await container.stop('SIGTERM'), 0)
  t.match(container.output, /"msg":"screen-auth: every route/)
})
