// Checks the nginx block, the systemd unit and the Dockerfile of docs/deployment.md with the program of that page.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { type RequestOptions, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { bearer, outsideTap, until } from '../helpers.ts'
import { needs } from '../needs.ts'
import { freePort, isListening } from '../redis-server.ts'
import { readPage } from './page.ts'
import { Program, startCode, statusOf, temporaryFolder } from './program.ts'

const HOST = 'screens.example.com'
const SECRET = { SVC_AUTH_SECRET: 'a-secret-for-the-tests-of-this-page' }
const root = fileURLToPath(new URL('../../', import.meta.url))
const run = promisify(execFile)

const { samples, code: inlineCode } = readPage('docs/deployment.md')

/** Returns the page's only inline code that matches. */
function inline(pattern: RegExp): string {
  const [code, ...others] = inlineCode.filter(code => pattern.test(code))
  if (code === undefined || others.length > 0) throw new Error(`the page must have ${pattern} once`)
  return code
}

/** Returns the page's only block in a language. */
function block(language: string): string {
  const [sample, ...others] = samples.filter(sample => sample.language === language)
  if (sample === undefined || others.length > 0) throw new Error(`the page must have one block of ${language}`)
  return sample.code
}

t.test('the page marks only its nginx, ini and dockerfile blocks as tested', async t => {
  const languages = samples.filter(({ testedBy }) => testedBy !== null).map(({ language }) => language)
  t.strictSame(languages, ['nginx', 'ini', 'dockerfile'])
})

/** Starts nginx with the page's block, as a proxy for a server, changed by `change`. Returns its two ports. */
async function nginx(t: Test, upstream: string, change = (code: string) => code) {
  const folder = temporaryFolder(t, tmpdir())
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${HOST}`],
    ...['-keyout', key, '-out', certificate]
  ])
  const [http, https] = [await freePort(), await freePort()]
  const server = block('nginx')
    .replace('listen 80;', `listen ${http};`)
    .replace('listen 443 ssl;', `listen ${https} ssl;`)
    .replace(/(?<=ssl_certificate )\S+(?=;)/, certificate)
    .replace(/(?<=ssl_certificate_key )\S+(?=;)/, key)
    .replace('http://127.0.0.1:3000', upstream)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(name => `${name}_temp_path ${folder}/${name};`)
    .join('\n')
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {}
     http { access_log off; ${temporary} ${change(server)} }`
  )
  const child = spawn('nginx', ['-p', folder, '-e', 'stderr', '-c', file])
  t.teardown(() => child.kill('SIGKILL'))
  const errors = text(child.stderr)
  while (!(await isListening(https))) {
    if (child.exitCode !== null) throw new Error(await errors)
    await sleep(20)
  }
  return { http, https }
}

/** Sends a request over TLS with the page's host name. */
function send(port: number, options: RequestOptions, body?: string) {
  const headers = { host: HOST, ...options.headers }
  const connection = { host: '127.0.0.1', port, servername: HOST, rejectUnauthorized: false, agent: false }
  return request({ ...connection, ...options, headers }).end(body)
}

async function responseTo(...args: Parameters<typeof send>) {
  const [response] = (await once(send(...args), 'response')) as [IncomingMessage]
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

const post = { method: 'POST', path: '/auth/login' }
const json = { 'content-type': 'application/json' }

if (needs(t, 'nginx')) {
  t.test('behind nginx, failures count for the client address and never for a forged one', async t => {
    const program = startCode(t, block('js'), SECRET)
    const { https } = await nginx(t, await program.listening())
    const logIn = async (localAddress: string, password: string, forged: string) => {
      const headers = { ...json, 'x-forwarded-for': forged }
      const fields = { username: 'ada', password }
      return (await responseTo(https, { ...post, localAddress, headers }, JSON.stringify({ fields }))).body
    }
    for (let i = 0; i < 10; i++) t.match(await logIn('127.0.0.2', 'wrong', `6.6.6.${i}`), /Wrong username/)
    t.match(await logIn('127.0.0.2', 'correct horse', '6.6.6.66'), /Too many attempts/)
    t.match(await logIn('127.0.0.3', 'correct horse', '127.0.0.2'), /"success":true/)
    t.match(program.output, /"address":"127.0.0.2".*"screen-auth: login rejected"/)
    t.notMatch(program.output, /6\.6\.6/)
  })

  t.test('through a Unix socket, failures count for the client address', async t => {
    const socket = join(temporaryFolder(t, tmpdir()), 'socket')
    const code = block('js').replace(/trustProxy: .*,/, `${inline(/^trustProxy: address/)},`)
    startCode(t, code.replace(/listen\(\{.*\}\)/, `listen({ path: ${JSON.stringify(socket)} })`), SECRET)
    const { https } = await nginx(t, `http://unix:${socket}:`)
    await until(() => existsSync(socket))
    const logIn = async (localAddress: string, password: string) => {
      const headers = { ...json, 'x-forwarded-for': '127.0.0.3' }
      const fields = { username: 'ada', password }
      return (await responseTo(https, { ...post, localAddress, headers }, JSON.stringify({ fields }))).body
    }
    for (let i = 0; i < 10; i++) await logIn('127.0.0.2', 'wrong')
    t.match(await logIn('127.0.0.2', 'correct horse'), /Too many attempts/)
    t.match(await logIn('127.0.0.3', 'correct horse'), /"success":true/)
  })

  const withPrefix = block('js').replace('...optionsFromEnv(),', `...optionsFromEnv(), ${inline(/^prefix: /)},`)
  const location = (strip: string) => (code: string) =>
    code.replace('location / {', inline(/^location \/app/)).replace(/proxy_pass (.*);/, `proxy_pass $1${strip};`)
  for (const [name, code, strip, isReachable] of [
    ['keeps', withPrefix, '', true],
    ['removes', withPrefix.replace('logger: true,', `logger: true, ${inline(/^rewriteUrl/)},`), '/', true],
    ['removes, and nobody puts back,', block('js'), '/', false]
  ] as const)
    t.test(`below a path that nginx ${name} the login is ${isReachable ? 'reachable' : 'not reachable'}`, async t => {
      const { https } = await nginx(t, await startCode(t, code, SECRET).listening(), location(strip))
      t.equal((await responseTo(https, { path: '/app/menu/main' })).status, 401)
      const form = JSON.parse((await responseTo(https, { path: '/app/auth/login' })).body)
      const body = JSON.stringify({ fields: { username: 'ada', password: 'correct horse' } })
      const sent = await responseTo(https, { ...post, path: form.auth_action, headers: json }, body)
      if (!isReachable) return t.equal(sent.status, 404)
      const headers = bearer(JSON.parse(sent.body).token)
      t.equal((await responseTo(https, { path: '/app/menu/main', headers })).status, 200)
    })

  t.test('a cache of nginx does not store a guarded route', async t => {
    const code = block('js').replace('closeWithGrace(', "app.get('/screen', async () => ({ id: Math.random() }))\n$&")
    const program = startCode(t, code, SECRET)
    const { https } = await nginx(t, await program.listening(), server => {
      const cache = 'proxy_cache_valid 1m; proxy_cache one; proxy_pass'
      return `proxy_cache_path ${temporaryFolder(t, tmpdir())} keys_zone=one:1m; ${server.replace('proxy_pass', cache)}`
    })
    const body = JSON.stringify({ fields: { username: 'ada', password: 'correct horse' } })
    const { token } = JSON.parse((await responseTo(https, { ...post, headers: json }, body)).body)
    const request = { path: '/screen', headers: bearer(token) }
    const [first, second] = [await responseTo(https, request), await responseTo(https, request)]
    t.match(first, { status: 200, headers: { 'cache-control': 'private, no-cache' } })
    t.not(first.body, second.body)
    t.equal((await responseTo(https, { path: '/screen' })).status, 401)
  })

  t.test('nginx redirects to TLS, adds HSTS and forwards the responses of the program', async t => {
    const { http, https } = await nginx(t, await startCode(t, block('js'), SECRET).listening())
    const plain = await fetch(`http://127.0.0.1:${http}/menu/main?a=b`, { redirect: 'manual' })
    t.equal(plain.status, 301)
    t.equal(plain.headers.get('location'), 'https://127.0.0.1/menu/main?a=b')
    t.match(await responseTo(https, { path: '/menu/main' }), {
      status: 401,
      headers: {
        'www-authenticate': 'Bearer realm="screen"',
        'strict-transport-security': 'max-age=31536000'
      }
    })
    const { status } = await responseTo(https, { ...post, headers: json }, 'x'.repeat(2_000_000))
    t.equal(status, 413)
  })

  t.test('nginx forwards WebSocket upgrades and the Host header of the client', async t => {
    const upstream = createServer().listen(0, '127.0.0.1')
    t.teardown(() => upstream.close())
    upstream.on('upgrade', ({ headers }, socket) => {
      const head = ['HTTP/1.1 101 Switching Protocols', 'upgrade: x', 'connection: upgrade', '', headers.host]
      socket.end(head.join('\r\n'))
    })
    await once(upstream, 'listening')
    const { https } = await nginx(t, `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`)
    const headers = { upgrade: 'websocket', connection: 'Upgrade' }
    const [response, socket, head] = await once(send(https, { headers }), 'upgrade')
    t.equal(response.statusCode, 101)
    t.equal(String(head) + (await text(socket)), HOST)
  })
}

if (needs(t, 'systemd-analyze'))
  t.test('systemd accepts the unit, and rates its exposure at 20 of 100 or less', async t => {
    const unit = join(temporaryFolder(t, tmpdir()), 'screens.service')
    writeFileSync(unit, block('ini').replace('/usr/bin/node', process.execPath))
    const analyze = (...args: string[]) => run('systemd-analyze', [...args, unit])
    t.strictSame(await analyze('verify', '--man=no'), { stdout: '', stderr: '' })
    // A service without any restriction is rated 100.
    await t.resolves(analyze('security', '--offline=true', '--threshold=20'))
  })

t.test('the commands of the Dockerfile build a program that serves requests and exits cleanly on SIGTERM', async t => {
  const [context, image] = [temporaryFolder(t, tmpdir()), temporaryFolder(t, tmpdir())]
  // The reader's files: the program, its package.json and lock file, and the packed package.
  writeFileSync(join(context, 'app.js'), block('js'))
  writeFileSync(join(context, 'package.json'), '{ "type": "module" }')
  const npm = (cwd: string, line: string) => run(...outsideTap('sh', ['-c', `npm ${line}`]), { cwd })
  await npm(root, `pack --ignore-scripts --pack-destination ${context}`)
  await npm(context, 'install --package-lock-only --no-audit --no-fund close-with-grace@2 fastify@5 ./*.tgz')
  // A remaining line that is not a shell command ends the script with an error.
  const script = block('dockerfile')
    .replace(/^(FROM|EXPOSE|USER) .*$/gm, '')
    .replace(/^WORKDIR (.*)$/gm, 'mkdir -p "$image$1"; cd "$image$1"')
    .replace(/^COPY (.*) \S+$/gm, '(to=$PWD; cd "$context"; cp $1 "$to")')
    .replace(/^RUN /gm, '')
    .replace(/^ENV /gm, 'export ')
    .replace(/^CMD (.*)$/gm, (_, words) => `exec ${JSON.parse(words).join(' ')}`)
  const container = new Program(t, ['sh', '-euc', script], { ...SECRET, context, image })
  t.equal(await statusOf(`${await container.listening()}/auth/login`), 200)
  t.equal(await container.stop('SIGTERM'), 0)
  t.match(container.output, /"msg":"screen-auth: every route/)
})
