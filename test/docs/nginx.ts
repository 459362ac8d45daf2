import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { freePort, isListening, type RedisServer } from '../redis-server.ts'
import { readPage } from './page.ts'
import { type Program, startCode, temporaryFolder } from './program.ts'

export const { samples, code: inlineCode } = readPage('docs/deployment.md')

/** Returns the first block of the page in a language that contains a text. */
export const block = (language: string, part = '') =>
  `${samples.find(sample => sample.language === language && sample.code.includes(part))?.code}`

/** Returns the first inline code of the page that begins with a text. */
export const inline = (start: string) => `${inlineCode.find(code => code.startsWith(start))}`

/** The program of the page. */
export const PROGRAM = block('js')

/** Starts the program of the page, or a variant of it, with a Redis. */
export const startProgram = (t: Test, { url }: RedisServer, { code = PROGRAM, env = {} } = {}): Program =>
  startCode(t, code, { REDIS_URL: url, ...env })

/** Starts nginx with the page's block but without TLS, as a proxy for a server. Returns its URL and its port for HTTP. */
export async function nginx(t: Test, upstream: string, change = (code: string) => code) {
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
