import { once } from 'node:events'
import { type ClientRequest, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Scenario } from '../../index.ts'
import { before, clientWith, type MinimalClient, submitting } from './minimal-client.ts'

/** A client that satisfies every clause, with a habit of its own. */
interface ConformingClient {
  name: string
  scenarios: readonly Scenario[]
  client: typeof MinimalClient
}

const AUTH = ['login', 'reject-then-login', 'login-then-expire', 'start-again'] as const
const ALL = [...AUTH, 'no-auth'] as const

const conforming = <Habit>(
  scenarios: readonly Scenario[],
  clientOf: (habit: Habit) => typeof MinimalClient,
  habits: Record<string, NoInfer<Habit>>
): ConformingClient[] => Object.entries(habits).map(([name, habit]) => ({ name, scenarios, client: clientOf(habit) }))

/** Returns a client that sends an automatic request before each of its own requests. */
const sendingAutomatic = ([path, init]: [path: string, init?: { method?: string; headers?: Record<string, string> }]) =>
  clientWith({
    async send(...args) {
      // Unlike fetch, `request` can send the headers that a browser sets itself.
      const sending = request(this.base + path, init ?? {})
      await responseTo(sending)
      return super.send(...args)
    }
  })

/** Returns a client that does something after it has opened a screen. */
const later = (act: (client: MinimalClient) => Promise<unknown>) =>
  clientWith({
    async open(url) {
      const screen = await super.open(url)
      await act(this)
      return screen
    }
  })

/** Returns a client that sends further headers, or the whole URL. */
const framed = ({ all = {}, isProxied = false }: { all?: Record<string, string>; isProxied?: boolean }) =>
  clientWith({
    send(method, path, { body, headers } = {}) {
      const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
      const sending = request(this.base, {
        method,
        path: isProxied ? this.base + path : path,
        headers: { ...all, ...type, ...this.authorization(), ...headers }
      })
      return responseTo(sending, body)
    }
  })

async function responseTo(sending: ClientRequest, body?: unknown) {
  sending.end(body === undefined ? undefined : JSON.stringify(body))
  const [response] = await once(sending, 'response')
  const received = await text(response)
  return { status: response.statusCode as number, body: received === '' ? undefined : JSON.parse(received) }
}

/** Every conforming client, each with a habit of real clients. */
export const conformingClients: ConformingClient[] = [
  ...conforming(ALL, clientWith, {
    'follows the contract literally': {},
    'has stored the token of an earlier run': {
      start() {
        this.token = 'token-of-an-earlier-run'
        return super.start()
      },
      logIn() {
        this.token = undefined
        return super.logIn()
      }
    },
    'puts a number into each URL, against caches': {
      send(method, path, sent) {
        return super.send(method, method === 'GET' ? `${path}?_=1700000000000` : path, sent)
      }
    }
  }),
  ...conforming(ALL, framed, {
    'sends the whole URL, as to a proxy': { all: { 'Content-Type': 'application/json' }, isProxied: true },
    'offers an upgrade to HTTP/2': {
      all: {
        Connection: 'Upgrade, HTTP2-Settings',
        Upgrade: 'h2c',
        'HTTP2-Settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAA'
      }
    }
  }),
  ...conforming(ALL, sendingAutomatic, {
    'sends preflights, as a browser does': [
      '/x',
      { method: 'OPTIONS', headers: { 'access-control-request-method': 'GET' } }
    ],
    'has a browser that requests an icon': ['/favicon.ico'],
    'has a browser that requests a source map': ['/assets/index.js.map'],
    'has a browser that requests a file of its own': ['/.well-known/appspecific/com.chrome.devtools.json'],
    'has a browser that prefetches': ['/screen/first', { headers: { purpose: 'prefetch' } }],
    'has a tool that waits for the server': ['/', { method: 'HEAD' }],
    'is a page that was opened at this URL': ['/', { headers: { 'sec-fetch-dest': 'document' } }]
  }),
  ...conforming(ALL, later, {
    'requests the same screen twice': client => client.send('GET', '/screen/first'),
    'polls the menu': async client => {
      for (let count = 0; count < 5; count++) await client.send('GET', '/menu/main')
    },
    'checks with HEAD whether a screen has changed': client => client.send('HEAD', '/screen/first'),
    'saves a card': client => client.send('POST', '/screen/first', { body: { changes: { name: 'x' } } }),
    'sends the form of a button': client =>
      client.send('POST', '/screen/first', { body: { action_id: 'x', fields: { password: 'other' } } })
  }),
  ...conforming(AUTH, later, {
    'logs out and in again': async client => {
      client.token = undefined
      await client.logIn()
      await client.send('GET', '/screen/second')
    }
  }),
  ...conforming(['login'], later, {
    'sends its token with the request for the form': client => client.send('GET', '/auth/login')
  }),
  ...conforming(AUTH, submitting, {
    'sends the character set of JSON': fields => ({
      body: JSON.stringify({ fields }),
      headers: { 'content-type': 'Application/JSON; charset=utf-8' }
    }),
    'escapes ASCII characters in JSON': fields => ({
      body: JSON.stringify({ fields }, null, 2).replace(/[bg]/g, one => `\\u00${one.charCodeAt(0).toString(16)}`),
      headers: { 'content-type': 'application/json' }
    })
  }),
  ...conforming(AUTH, clientWith, {
    'writes the scheme in lower case': {
      authorization(): Record<string, string> {
        return this.token === undefined ? {} : { authorization: `bearer ${this.token}` }
      }
    }
  }),
  ...conforming(['login-then-expire'], clientWith, {
    'requests the menu without a token before the login': {
      async expired(url) {
        this.token = undefined
        if ((await this.start()) !== undefined) await this.send('GET', url)
      }
    },
    'reports the end of its session before the login': {
      async expired(url) {
        this.token = undefined
        await this.send('POST', '/log', { body: { event: 'expired' } })
        if ((await this.logIn()) !== undefined) await this.send('GET', url)
      }
    }
  }),
  ...conforming(['reject-then-login'], clientWith, {
    'fetches the form again after a rejection': {
      async rejected(_form, attempts) {
        const { body: form } = await this.send('GET', '/auth/login')
        return this.fillIn(form, attempts)
      }
    }
  }),
  ...conforming(['reject-then-login'], before('rejected'), {
    'requests other data while the form is open': ['GET', '/news']
  }),
  ...conforming(AUTH, before('fillIn'), {
    'reports its version before the login': ['POST', '/version', { body: { version: '1.0' } }]
  }),
  ...conforming(['login'], clientWith, {
    'aborts a request and sends it again': {
      async submit(form) {
        const { hostname, port } = new URL(this.base)
        const socket = connect(Number(port), hostname)
        const body = JSON.stringify({ fields: this.fields(form) })
        const head = `POST ${form.auth_action} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`
        socket.resume().end(`${head}${body.slice(0, -1)}`)
        await once(socket, 'close')
        return super.submit(form)
      }
    }
  })
]
