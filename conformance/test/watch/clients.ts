// The clients that conform, each with a habit of real clients, and the clients with one fault each.
import { once } from 'node:events'
import { type ClientRequest, type RequestOptions, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import type { Scenario } from '../../index.ts'
import { afterLogin, clientWith, ENTERED, type Json, type Methods, MinimalClient, type Sent } from './minimal-client.ts'

const AUTH = ['login', 'reject-then-login', 'login-then-expire', 'start-again'] as const
const ALL = [...AUTH, 'no-auth'] as const

const conforming = <Habit>(
  scenarios: readonly Scenario[],
  clientOf: (habit: Habit) => typeof MinimalClient,
  habits: Record<string, NoInfer<Habit>>
) => Object.entries(habits).map(([name, habit]) => ({ name, scenarios, client: clientOf(habit) }))

const before =
  (step: 'start' | 'logIn' | 'fillIn' | 'rejected' | 'open' | 'expired') =>
  ([method, path, sent]: [method: string, path: string, sent?: Sent]) =>
    clientWith({
      async [step](this: MinimalClient, ...given: [Json, Json]) {
        await this.send(method, path, sent)
        return MinimalClient.prototype[step].apply(this, given)
      }
    })

const submitting = (change: (fields: Json) => Sent) =>
  clientWith({
    submit(form) {
      return this.send('POST', form.auth_action, change(this.fields(form)))
    }
  })

const storing = (methods: Methods) => clientWith(methods, 'token-of-an-earlier-run')

const authorized = (change: (token: string) => Record<string, string>) =>
  clientWith({
    authorization() {
      return this.token === undefined ? {} : change(this.token)
    }
  })

const sendingAutomatic = ([path, init = {}]: [path: string, init?: RequestOptions]) =>
  clientWith({
    async send(...args) {
      // Unlike fetch, `request` can send the headers that a browser sets itself.
      await responseTo(request(this.base + path, init))
      return super.send(...args)
    }
  })

const later = (act: (client: MinimalClient) => Promise<unknown>) =>
  clientWith({
    async open(url) {
      const screen = await super.open(url)
      await act(this)
      return screen
    }
  })

async function responseTo(sending: ClientRequest, body?: unknown) {
  sending.end(body === undefined ? undefined : JSON.stringify(body))
  const [response] = await once(sending, 'response')
  const received = await text(response)
  return { status: response.statusCode as number, body: received === '' ? undefined : JSON.parse(received) }
}

export const conformingClients = [
  ...conforming(ALL, clientWith, {
    'follows the contract literally': {},
    'sends the whole URL, as to a proxy': {
      send(method, path, { body, headers: own } = {}) {
        const headers = { 'Content-Type': 'application/json', ...this.authorization(), ...own }
        return responseTo(request(this.base, { method, path: this.base + path, headers }), body)
      }
    },
    'puts a number into each URL, against caches': {
      send(method, path, sent) {
        return super.send(method, method === 'GET' ? `${path}?_=1700000000000` : path, sent)
      }
    }
  }),
  ...conforming(ALL, storing, {
    'has stored the token of an earlier run': {
      logIn() {
        this.token = undefined
        return super.logIn()
      }
    }
  }),
  ...conforming(ALL, sendingAutomatic, {
    'sends preflights, as a browser does': [
      '/x',
      { method: 'OPTIONS', headers: { 'access-control-request-method': 'GET' } }
    ],
    'has a browser that requests an icon': ['/favicon.ico'],
    'has a browser that requests a file of its own': ['/.well-known/appspecific/com.chrome.devtools.json'],
    'has a browser that prefetches': ['/screen/first', { headers: { purpose: 'prefetch' } }],
    'has a tool that waits for the server': ['/', { method: 'HEAD' }],
    'is a page that was opened at this URL': ['/', { headers: { 'sec-fetch-dest': 'document' } }]
  }),
  ...conforming(ALL, later, {
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
    })
  }),
  ...conforming(AUTH, authorized, {
    'writes the scheme in lower case': token => ({ authorization: `bearer ${token}` })
  }),
  ...conforming(['login-then-expire'], clientWith, {
    'requests the menu without a token before the login': {
      async expired(url) {
        this.token = undefined
        await this.send('GET', '/menu/main')
        return super.expired(url)
      }
    },
    'reports the end of its session before the login': {
      async expired(url) {
        this.token = undefined
        await this.send('POST', '/log', { body: { event: 'expired' } })
        return super.expired(url)
      }
    }
  }),
  ...conforming(['reject-then-login'], clientWith, {
    'fetches the form again after a rejection': {
      rejected() {
        return this.logIn()
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

/** Returns clients with one fault each. A key has the ids of the cases that must find it, the scenario, and the fault. */
const breaking = <Change>(
  clientOf: (change: Change) => typeof MinimalClient,
  changes: Record<`${string}, ${Scenario}: ${string}`, NoInfer<Change>>
) =>
  Object.entries(changes).map(([key, change]) => {
    const [ids = '', scenario] = key.split(/[,:] /)
    return { name: key, ids: ids.split(' '), scenario: scenario as Scenario, client: clientOf(change as Change) }
  })

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const alwaysAuthorized: Methods = {
  authorization() {
    return bearer(this.token ?? '')
  }
}

const filling = (change: (fields: Json) => Json) =>
  clientWith({ fields: form => change(MinimalClient.prototype.fields(form)) })

const instead =
  (step: 'start' | 'submit' | 'rejected' | 'expired') =>
  (act: (client: MinimalClient, given: Json) => Promise<unknown>) =>
    clientWith({
      [step](this: MinimalClient, given: Json) {
        return act(this, given)
      }
    })

const submittingTo = ([method, pathOf]: [method: string, pathOf: (action: string) => string]) =>
  instead('submit')((client, form) => {
    const body = { fields: client.fields(form) }
    return client.send(method, pathOf(form.auth_action), method === 'GET' ? {} : { body })
  })

const percentEncoded = (text: string) =>
  [...Buffer.from(text)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('')

export const brokenClients = [
  ...breaking(before('start'), {
    'asks-for-menu-first, login: requests the root first': ['GET', '/'],
    'asks-for-menu-first, login: sends HEAD first': ['HEAD', '/menu/main'],
    'fetches-form-at-once, login: requests the menu twice': ['GET', '/menu/main'],
    'asks-for-menu-first, no-auth: requests the root first': ['GET', '/']
  }),
  ...breaking(instead('start'), { 'asks-for-menu-first, login: requests the form first': client => client.logIn() }),
  ...breaking(storing, {
    'starts-again-at-login, start-again: sends the stored token to the login': {},
    'starts-again-at-login, start-again: does nothing when the stored token is refused': { async logIn() {} },
    'drops-token-on-401, start-again: sends the stored token again': {
      async logIn() {
        await this.send('GET', '/menu/main')
      }
    }
  }),
  ...breaking(clientWith, {
    'sends-no-made-up-token, login: sends a header without a token': alwaysAuthorized,
    'sends-no-token-without-login, no-auth: sends a header without a token': alwaysAuthorized,
    'fetches-form-on-401, login: does nothing after the first 401': { async logIn() {} },
    'fetches-form-on-401, login-then-expire: logs in with the remembered values, without the form': {
      async submit(form) {
        this.expired = async url => {
          this.token = undefined
          if ((await this.fillIn(form)) !== undefined) await this.send('GET', url)
        }
        return super.submit(form)
      }
    },
    'sends-credentials-nowhere-else, login: sends the credentials as Basic': {
      authorization() {
        const basic = { authorization: `Basic ${btoa(Object.values(ENTERED).join(':'))}` }
        return this.token === undefined ? basic : super.authorization()
      }
    },
    'submits-to-auth-action, reject-then-login: submits the second attempt to a path of its own': {
      rejected(form, attempts) {
        return super.rejected({ ...form, auth_action: '/login' }, attempts)
      }
    }
  }),
  ...breaking(before('open'), {
    'never-asks-for-form, no-auth: logs in in the no-auth mode': ['POST', '/auth/login', { body: { fields: ENTERED } }],
    'never-asks-for-form, no-auth: requests the form if the menu has no name': ['GET', '/auth/login']
  }),
  ...breaking(before('logIn'), {
    'fetches-form-on-401, login: requests other screens after the first 401': ['GET', '/screen/first']
  }),
  ...breaking(submittingTo, {
    'submits-to-auth-action, login: submits to a path of its own': ['POST', () => '/auth/login'],
    'submits-to-auth-action, login: submits with PUT': ['PUT', to => to],
    'submits-to-auth-action, login: submits with GET': ['GET', to => `${to}?${new URLSearchParams(ENTERED)}`],
    'sends-credentials-nowhere-else, login: the password is in the URL': [
      'POST',
      to => `${to}?p=${encodeURI(ENTERED.password)}`
    ],
    'sends-credentials-nowhere-else, login: the username is in the URL': ['POST', to => `${to}?u=${ENTERED.username}`]
  }),
  ...breaking(afterLogin, {
    'sends-credentials-nowhere-else, login: sends the entered values to another path': (client, form) =>
      client.send('POST', '/telemetry', { body: client.fields(form) }),
    'sends-credentials-nowhere-else, login: sends the password in a cookie': client => {
      const headers = { cookie: `p=${percentEncoded(ENTERED.password).toUpperCase()}` }
      return client.send('GET', '/screen/first', { headers })
    },
    'sends-credentials-nowhere-else, login: sends the password in a URL, in Base64': client =>
      client.send('GET', `/screen/first?p=${encodeURIComponent(btoa(ENTERED.password))}`),
    'sends-token-nowhere-else, login: sends the token in a URL, too': client =>
      client.send('GET', `/screen/first?token=${client.token}`),
    'sends-token-nowhere-else, login: sends a part of the token as the protocol of a WebSocket': client => {
      const headers = { 'sec-websocket-protocol': `bearer, ${client.token?.slice(10, 40)}` }
      return client.send('GET', '/screen/first', { headers })
    },
    'shows-menu-of-login, login: requests the menu after the login': client => client.send('GET', '/menu/main'),
    'shows-menu-of-login, login: submits twice': (client, form) => client.submit(form),
    'shows-menu-of-login, login: fetches the form again after the login': client => client.send('GET', '/auth/login')
  }),
  ...breaking(submitting, {
    'sends-json-type, login: names no JSON type': fields => ({ body: JSON.stringify({ fields }) }),
    'sends-auth-request, login: compresses the body': fields => ({
      body: gzipSync(JSON.stringify({ fields })),
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    }),
    'sends-auth-request, login: submits form data': fields => ({ body: String(new URLSearchParams(fields)) }),
    'sends-auth-request, login: submits the fields without the map': fields => ({ body: fields }),
    'sends-auth-request, login: submits the fields as a list': fields => ({
      body: { fields: Object.entries(fields).map(([id, value]) => ({ id, value })) }
    }),
    'sends-auth-request, login: sends a byte order mark': fields => ({ body: `\uFEFF${JSON.stringify({ fields })}` }),
    'sends-auth-request, login: submits in Latin-1': fields => ({
      body: Buffer.from(JSON.stringify({ fields: { ...fields, username: 'Jürgen' } }), 'latin1')
    })
  }),
  ...breaking(filling, {
    'sends-no-other-fields, login: adds a field': fields => ({ ...fields, remember: 'yes' }),
    'sends-all-fields, login: omits the password': ({ password, ...fields }) => fields,
    'sends-auth-request, login: sends the password as a number': fields => ({ ...fields, password: 60 }),
    'sends-what-was-entered, login: trims the password': fields => ({ ...fields, password: fields.password.trim() }),
    'sends-all-fields, login: uses labels': ({ username, password }) => ({ Benutzername: username, Kennwort: password })
  }),
  ...breaking(instead('rejected'), {
    'keeps-form-on-rejection, reject-then-login: starts again after a rejection': client => client.start(),
    'keeps-form-on-rejection, reject-then-login: gives up after a rejection': async () => {}
  }),
  ...breaking(before('rejected'), {
    'keeps-form-on-rejection, reject-then-login: opens a screen after a rejection': ['GET', '/screen/first']
  }),
  ...breaking(authorized, {
    'sends-token-in-header, login-then-expire: sends the token without the scheme': token => ({ authorization: token }),
    'sends-token-in-header, login: sends the token twice': token => bearer(`${token}, Bearer ${token}`),
    'sends-token-unchanged, login-then-expire: sends no token': () => ({}),
    'sends-token-unchanged, login-then-expire: cuts the token': token => bearer(token.slice(0, 2048)),
    'sends-token-unchanged, login: decodes the token': token => bearer(decodeURIComponent(token).replaceAll(' ', '')),
    'sends-token-unchanged, login-then-expire: writes the token in lower case': token => bearer(token.toLowerCase()),
    'sends-token-unchanged, login: sends the token encoded as in a URL': token => bearer(encodeURIComponent(token)),
    'sends-token-unchanged, login: cuts the token at a full stop': token => bearer(String(token.split('.')[0]))
  }),
  ...breaking(instead('expired'), {
    'returns-to-login-on-401, login-then-expire: does nothing after a 401': async () => {},
    'returns-to-login-on-401, login-then-expire: requests screens without a token': async (client, url) => {
      client.token = undefined
      await client.send('GET', '/screen/second')
      return MinimalClient.prototype.expired.call(client, url)
    },
    'drops-token-on-401, login-then-expire: sends the old token to the login': client => client.logIn(),
    'drops-token-on-401, login-then-expire: sends a token of its own to the login': client => {
      client.token = 'guest'
      return client.logIn()
    },
    'drops-token-on-401, login-then-expire: keeps the old token in a cookie': async (client, url) => {
      const headers = { cookie: `last=${percentEncoded(client.token as string)}` }
      client.token = undefined
      await client.logIn()
      await client.send('GET', url, { headers })
    }
  }),
  ...breaking(before('expired'), {
    'drops-token-on-401, login-then-expire: repeats the request after a 401': ['GET', '/screen/first']
  })
]
