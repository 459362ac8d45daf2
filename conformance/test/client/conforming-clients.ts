import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Scenario } from '../../index.ts'
import { type Json, MinimalClient, type Sent } from './minimal-client.ts'

/** A client that keeps every clause, in a way of its own. */
interface ConformingClient {
  name: string
  scenarios: readonly Scenario[]
  client: typeof MinimalClient
}

const AUTH = ['login', 'reject-then-login', 'login-then-expire', 'start-again'] as const
const ALL = [...AUTH, 'no-auth'] as const

const conforming = (
  name: string,
  scenarios: readonly Scenario[],
  client: typeof MinimalClient
): ConformingClient => ({ name, scenarios, client })

/** A client that sends a request before each of its own, which says nothing about it. */
const beside = (before: (client: MinimalClient) => Promise<unknown>) =>
  class extends MinimalClient {
    override async send(...args: Parameters<MinimalClient['send']>) {
      await before(this)
      return super.send(...args)
    }
  }

/** A client that sends every request with further headers. */
const withHeaders = (headers: Record<string, string>) =>
  class extends MinimalClient {
    override authorization() {
      return { ...headers, ...super.authorization() }
    }
  }

/** A client that does something when it has opened a screen. */
const later = (act: (client: MinimalClient) => Promise<unknown>) =>
  class extends MinimalClient {
    override async open(url: string) {
      const screen = await super.open(url)
      await act(this)
      return screen
    }
  }

/** Every conforming client: each is a habit of real ones. */
export const conformingClients: ConformingClient[] = [
  conforming('does what the contract says', ALL, MinimalClient),
  conforming(
    'comes back to the login by way of the menu, without a token',
    ['login-then-expire'],
    class extends MinimalClient {
      override async expired(url: string) {
        this.token = undefined
        if ((await this.start()) !== undefined) await this.send('GET', url)
      }
    }
  ),
  conforming(
    'has stored the token of an earlier run',
    ALL,
    class extends MinimalClient {
      override token: string | undefined = 'token-of-an-earlier-run'
      override logIn() {
        this.token = undefined
        return super.logIn()
      }
    }
  ),
  conforming(
    'fetches the form again after a rejection',
    ['reject-then-login'],
    class extends MinimalClient {
      override async rejected(_form: Json, tries: number) {
        const { body: form } = await this.send('GET', '/auth/login')
        return this.fillIn(form, tries)
      }
    }
  ),
  conforming(
    'asks for a picture of its own while the form is open',
    ['reject-then-login'],
    class extends MinimalClient {
      override async rejected(form: Json, tries: number) {
        await this.send('GET', '/news')
        return super.rejected(form, tries)
      }
    }
  ),
  conforming(
    'reports its version before the login',
    AUTH,
    class extends MinimalClient {
      override async fillIn(form: Json, tries?: number) {
        await this.send('POST', '/version', { body: { version: '1.0' } })
        return super.fillIn(form, tries)
      }
    }
  ),
  conforming(
    'sends preflights, as a browser does',
    ALL,
    beside(({ base }) =>
      fetch(`${base}/x`, { method: 'OPTIONS', headers: { 'access-control-request-method': 'GET' } })
    )
  ),
  conforming(
    'has a browser that asks for an icon',
    ALL,
    beside(({ base }) => fetch(`${base}/favicon.ico`))
  ),
  conforming(
    'has a browser that asks for a source map',
    ALL,
    beside(({ base }) => fetch(`${base}/assets/index.js.map`))
  ),
  conforming(
    'has a browser that asks for a file of its own',
    ALL,
    beside(({ base }) => fetch(`${base}/.well-known/appspecific/com.chrome.devtools.json`))
  ),
  conforming(
    'has a browser that prefetches',
    ALL,
    beside(({ base }) => fetch(`${base}/screen/first`, { headers: { purpose: 'prefetch' } }))
  ),
  conforming(
    'has a tool that waits for the server',
    ALL,
    beside(({ base }) => fetch(`${base}/`, { method: 'HEAD' }))
  ),
  conforming(
    'is a page that was opened at this address',
    ALL,
    beside(
      ({ base }) =>
        new Promise((resolve, reject) => {
          const navigation = { headers: { 'sec-fetch-dest': 'document' } }
          request(`${base}/`, navigation, response => resolve(response.resume()))
            .on('error', reject)
            .end()
        })
    )
  ),
  conforming('names its language', ALL, withHeaders({ 'accept-language': 'de-CH, de;q=0.9' })),
  conforming('closes each connection', ALL, withHeaders({ connection: 'close' })),
  conforming(
    'writes the scheme in lower case',
    AUTH,
    class extends MinimalClient {
      override authorization(): Record<string, string> {
        return this.token === undefined ? {} : { authorization: `bearer ${this.token}` }
      }
    }
  ),
  conforming(
    'names the character set of JSON',
    AUTH,
    class extends MinimalClient {
      override submit(form: Json) {
        const headers = { 'content-type': 'Application/JSON; charset=utf-8' }
        return this.send('POST', form.auth_action, {
          body: JSON.stringify({ fields: this.fields(form) }),
          headers
        })
      }
    }
  ),
  conforming(
    'escapes what is not ASCII, and more',
    AUTH,
    class extends MinimalClient {
      override submit(form: Json) {
        const body = JSON.stringify({ fields: this.fields(form) }, null, 2).replace(
          /[bg]/g,
          character => `\\u00${character.charCodeAt(0).toString(16)}`
        )
        return this.send('POST', form.auth_action, { body, headers: { 'content-type': 'application/json' } })
      }
    }
  ),
  conforming(
    'puts a number into each address, against caches',
    ALL,
    class extends MinimalClient {
      override send(method: string, path: string, sent?: Sent) {
        return super.send(method, method === 'GET' ? `${path}?_=1700000000000` : path, sent)
      }
    }
  ),
  conforming(
    'asks twice for the same screen',
    ALL,
    later(client => client.send('GET', '/screen/first'))
  ),
  conforming(
    'polls the menu',
    ALL,
    later(async client => {
      for (let count = 0; count < 5; count++) await client.send('GET', '/menu/main')
    })
  ),
  conforming(
    'asks with HEAD whether a screen has changed',
    ALL,
    later(client => client.send('HEAD', '/screen/first'))
  ),
  conforming(
    'saves a card',
    ALL,
    later(client => client.send('POST', '/screen/first', { body: { changes: { name: 'x' } } }))
  ),
  conforming(
    'sends the form of a button',
    ALL,
    later(client =>
      client.send('POST', '/screen/first', { body: { action_id: 'x', fields: { password: 'other' } } })
    )
  ),
  conforming(
    'logs out and in again',
    AUTH,
    later(async client => {
      client.token = undefined
      await client.logIn()
      await client.send('GET', '/screen/second')
    })
  ),
  conforming(
    'sends its token along to the form',
    ['login'],
    later(client => client.send('GET', '/auth/login'))
  ),
  conforming(
    'gives up a request and sends it again',
    ['login'],
    class extends MinimalClient {
      override async submit(form: Json) {
        const { hostname, port } = new URL(this.base)
        const socket = connect(Number(port), hostname)
        const body = JSON.stringify({ fields: this.fields(form) })
        const head = `POST ${form.auth_action} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`
        socket.resume().end(`${head}${body.slice(0, -1)}`)
        await once(socket, 'close')
        return super.submit(form)
      }
    }
  ),
  conforming(
    'speaks HTTP/1.0',
    ALL,
    class extends MinimalClient {
      override async send(method: string, path: string, { body, headers }: Sent = {}) {
        const { hostname, port } = new URL(this.base)
        const socket = connect(Number(port), hostname)
        const content = body === undefined ? '' : JSON.stringify(body)
        const all = {
          'Content-Type': 'application/json',
          'Content-Length': String(Buffer.byteLength(content)),
          ...this.authorization(),
          ...headers
        }
        const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
        socket.write([`${method} ${path} HTTP/1.0`, ...lines, '', content].join('\r\n'))
        const [head = '', received = ''] = (await text(socket)).split('\r\n\r\n')
        return {
          status: Number(head.split(' ')[1]),
          body: received === '' ? undefined : JSON.parse(received)
        }
      }
    }
  ),
  ...(
    [
      ['sends bodies in chunks', { 'Transfer-Encoding': 'chunked' }],
      ['waits for a 100 before it sends a body', { Expect: '100-continue' }],
      ['would rather speak HTTP/2', { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c' }]
    ] as const
  ).map(([name, extra]) =>
    conforming(
      name,
      ALL,
      class extends MinimalClient {
        override async send(method: string, path: string, { body, headers }: Sent = {}) {
          const type = body === undefined ? {} : { 'Content-Type': 'application/json', ...extra }
          const sending = request(new URL(path, this.base), {
            method,
            headers: {
              ...('Upgrade' in extra && { ...extra, 'HTTP2-Settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAA' }),
              ...type,
              ...this.authorization(),
              ...headers
            }
          })
          if (body === undefined) sending.end()
          else sending.end(JSON.stringify(body))
          const [response] = await once(sending, 'response')
          const received = await text(response)
          return {
            status: response.statusCode,
            body: received === '' ? undefined : JSON.parse(received)
          }
        }
      }
    )
  ),
  conforming(
    'sends the whole URL, as to a proxy',
    ALL,
    class extends MinimalClient {
      override async send(method: string, path: string, { body, headers }: Sent = {}) {
        const { hostname, port } = new URL(this.base)
        const sending = request({
          hostname,
          port,
          method,
          path: this.base + path,
          headers: { 'Content-Type': 'application/json', ...this.authorization(), ...headers }
        })
        if (body === undefined) sending.end()
        else sending.end(JSON.stringify(body))
        const [response] = await once(sending, 'response')
        const received = await text(response)
        return { status: response.statusCode, body: received === '' ? undefined : JSON.parse(received) }
      }
    }
  )
]

/** Clients whose bodies are compressed, or not as they say: they log in, with a warning. */
export const compressingClients = (
  [
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['identity', Buffer.from]
  ] as [string, (text: string) => Buffer][]
).map(
  ([coding, compress]) =>
    class extends MinimalClient {
      override submit(form: Json) {
        const body = compress(JSON.stringify({ fields: this.fields(form) }))
        const headers = { 'content-type': 'application/json', 'content-encoding': coding }
        return this.send('POST', form.auth_action, { body, headers })
      }
    }
)
