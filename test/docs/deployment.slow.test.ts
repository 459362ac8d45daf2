// The nginx, the unit and the container of docs/deployment.md, taken from the page, with the program that is on it.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { outsideTap } from '../helpers.ts'
import { needs } from '../needs.ts'
import { freePort, isListening } from '../redis-server.ts'
import { readPage } from './page.ts'
import { Program, READER } from './program.ts'

const PAGE = 'docs/deployment.md'
const HOST = 'screens.example.com'
const SECRET = { SVC_AUTH_SECRET: 'a-secret-for-the-tests-of-this-page' }
const root = fileURLToPath(new URL('../../', import.meta.url))
const run = promisify(execFile)

/** The one block of the page in a language. */
function block(language: string): string {
  const [sample, ...others] = readPage(PAGE).samples.filter(sample => sample.language === language)
  if (sample === undefined || others.length > 0) throw new Error(`${PAGE} must have one block of ${language}`)
  return sample.code
}

function temporaryFolder(t: Test, parent = tmpdir()): string {
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'deployment-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

interface Nginx {
  http: number
  https: number
  /** Asks over TLS, from an address of this machine. */
  ask(path: string, from: string, headers?: Record<string, string>, body?: string): Promise<Response>
}

interface Response {
  status: number | undefined
  headers: IncomingMessage['headers']
  body: string
}

/** Starts nginx with the block of the page, in front of a server. */
async function nginx(t: Test, upstream: string): Promise<Nginx> {
  const folder = temporaryFolder(t)
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${HOST}`],
    ...['-addext', `subjectAltName=DNS:${HOST}`, '-keyout', key, '-out', certificate]
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
     http { access_log off; ${temporary} ${server} }`
  )
  const child = spawn('nginx', ['-p', folder, '-e', 'stderr', '-c', file])
  t.teardown(() => child.kill('SIGKILL'))
  const complaints = text(child.stderr)
  while (!(await isListening(https))) {
    if (child.exitCode !== null) throw new Error(await complaints)
    await sleep(20)
  }
  return {
    http,
    https,
    async ask(path, localAddress, headers = {}, body) {
      const connection = { host: '127.0.0.1', port: https, servername: HOST, localAddress }
      const outgoing = request({
        ...connection,
        path,
        method: body === undefined ? 'GET' : 'POST',
        headers: { host: HOST, ...headers },
        rejectUnauthorized: false,
        agent: false
      })
      outgoing.end(body)
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
      return { status: response.statusCode, headers: response.headers, body: await text(response) }
    }
  }
}

/** The program of the page, within the checkout, so that it imports the package by its name. */
async function program(t: Test): Promise<{ url: string; program: Program }> {
  const file = join(temporaryFolder(t, join(root, '.tap')), 'app.mjs')
  writeFileSync(file, block('js'))
  const program = new Program(t, pathToFileURL(file), SECRET)
  return { url: await program.listening(), program }
}

t.test('the page has no other block that it says is tested here', async t => {
  const marked = readPage(PAGE).samples.filter(({ testedBy }) => testedBy !== null)
  t.strictSame(
    marked.map(({ language }) => language),
    ['nginx', 'ini', 'dockerfile']
  )
})

if (needs(t, 'nginx')) {
  t.test(
    'behind nginx the login counts failures by the address of the client, and no forged one',
    async t => {
      const { url, program: app } = await program(t)
      const proxy = await nginx(t, url)
      const logIn = async (from: string, password: string, forged: string) => {
        const headers = { 'content-type': 'application/json', 'x-forwarded-for': forged }
        const fields = { username: 'ada', password }
        return (await proxy.ask('/auth/login', from, headers, JSON.stringify({ fields }))).body
      }
      for (let i = 0; i < 10; i++) t.match(await logIn('127.0.0.2', 'wrong', `6.6.6.${i}`), /Wrong username/)
      t.match(await logIn('127.0.0.2', 'correct horse', '6.6.6.66'), /Too many tries/)
      t.match(await logIn('127.0.0.3', 'correct horse', '127.0.0.2'), /"success":true/)
      t.match(app.output, /"address":"127.0.0.2".*"screen-auth: login rejected"/)
      t.notMatch(app.output, /6\.6\.6/)
    }
  )

  t.test('nginx redirects to TLS, adds HSTS, and passes on what the program responds', async t => {
    const proxy = await nginx(t, (await program(t)).url)
    const plain = await fetch(`http://127.0.0.1:${proxy.http}/menu/main?a=b`, { redirect: 'manual' })
    t.equal(plain.status, 301)
    t.equal(plain.headers.get('location'), 'https://127.0.0.1/menu/main?a=b')
    const menu = await proxy.ask('/menu/main', '127.0.0.2')
    t.equal(menu.status, 401)
    t.match(menu.headers, {
      'www-authenticate': 'Bearer realm="screen"',
      'strict-transport-security': 'max-age=31536000'
    })
    const json = { 'content-type': 'application/json' }
    t.equal((await proxy.ask('/auth/login', '127.0.0.2', json, 'x'.repeat(2_000_000))).status, 413)
  })

  t.test('nginx passes WebSockets on, and the host that was asked for', async t => {
    const upstream = createServer().listen(0, '127.0.0.1')
    t.teardown(() => upstream.close())
    upstream.on('upgrade', ({ headers }, socket) => {
      socket.end(
        `HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n${headers.host}`
      )
    })
    await once(upstream, 'listening')
    const { port } = upstream.address() as AddressInfo
    const proxy = await nginx(t, `http://127.0.0.1:${port}`)
    const outgoing = request({
      ...{ host: '127.0.0.1', agent: false, servername: HOST, rejectUnauthorized: false },
      port: proxy.https,
      headers: { host: HOST, upgrade: 'websocket', connection: 'Upgrade' }
    })
    outgoing.end()
    const [response, socket, head] = await once(outgoing, 'upgrade')
    t.equal(response.statusCode, 101)
    t.equal(String(head) + (await text(socket)), HOST)
  })
}

if (needs(t, 'systemd-analyze')) {
  t.test('systemd takes the unit, and finds little that a hole in the program could reach', async t => {
    const unit = join(temporaryFolder(t), 'screens.service')
    writeFileSync(unit, block('ini').replace('/usr/bin/node', process.execPath))
    const analyze = (...args: string[]) => run('systemd-analyze', [...args, unit])
    t.strictSame(await analyze('verify', '--man=no'), { stdout: '', stderr: '' })
    // Of 100, which is a service without any restriction.
    await t.resolves(analyze('security', '--offline=true', '--threshold=20'))
  })
}

t.test('what the container file says makes a program that serves, and ends well on SIGTERM', async t => {
  const [context, image] = [temporaryFolder(t), temporaryFolder(t)]
  await prepareContext(context)
  const { cwd, env, command } = await build(block('dockerfile'), context, image)
  const [file = '', ...args] = command
  const child = spawn(file, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: {
      ...READER,
      ...SECRET,
      ...env,
      NODE_OPTIONS: `--import ${new URL('any-port.js', import.meta.url)}`
    }
  })
  t.teardown(() => child.kill('SIGKILL'))
  const log = text(child.stdout as NonNullable<ChildProcess['stdout']>)
  const [{ named, real }] = await once(child, 'message')
  t.equal(named, 3000)
  t.equal((await fetch(`http://127.0.0.1:${real}/auth/login`)).status, 200)
  child.kill('SIGTERM')
  t.strictSame(await once(child, 'exit'), [0, null])
  t.match(await log, /"msg":"screen-auth: every route/)
})

/** What the reader has: the program, its package.json and lock file, and the packed package. */
async function prepareContext(context: string): Promise<void> {
  writeFileSync(join(context, 'app.js'), block('js'))
  const npm = (cwd: string, ...args: string[]) => run(...outsideTap('npm', args), { cwd })
  const { stdout } = await npm(root, 'pack', '--ignore-scripts', '--json', '--pack-destination', context)
  const [{ filename }] = JSON.parse(stdout)
  const dependencies = {
    'close-with-grace': '^2.5.0',
    fastify: '^5.12.8',
    'fastify-screen-auth': `file:${filename}`
  }
  writeFileSync(join(context, 'package.json'), JSON.stringify({ type: 'module', dependencies }))
  await npm(context, 'install', '--package-lock-only', '--no-audit', '--no-fund')
}

interface Container {
  cwd: string
  env: Record<string, string>
  command: string[]
}

/** Does in a folder what a container file says. */
async function build(source: string, context: string, image: string): Promise<Container> {
  const container: Container = { cwd: image, env: {}, command: [] }
  const steps: Record<string, (rest: string) => unknown> = {
    FROM: () => {},
    EXPOSE: () => {},
    USER: () => {},
    WORKDIR: path => {
      container.cwd = join(image, path)
      mkdirSync(container.cwd, { recursive: true })
    },
    COPY: rest =>
      run('sh', ['-c', `cp ${rest.split(' ').slice(0, -1).join(' ')} ${container.cwd}`], { cwd: context }),
    RUN: command => run(...outsideTap('sh', ['-c', command]), { cwd: container.cwd }),
    ENV: rest => {
      for (const pair of rest.split(' ')) {
        const [name = '', value = ''] = pair.split('=')
        container.env[name] = value
      }
    },
    CMD: rest => {
      container.command = JSON.parse(rest)
    }
  }
  for (const line of source.split('\n')) {
    const [, word = '', rest = ''] = /^(\w+) (.*)$/.exec(line) ?? []
    const step = steps[word]
    if (step === undefined) throw new Error(`the container file has ${line}`)
    await step(rest)
  }
  return container
}
