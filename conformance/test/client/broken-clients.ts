import type { Scenario } from '../../index.ts'
import {
  afterLogin,
  before,
  clientWith,
  ENTERED,
  type Json,
  type Methods,
  MinimalClient,
  type Sent,
  submitting
} from './minimal-client.ts'

/** A client that violates one clause in one way. */
interface BrokenClient {
  name: string
  /** The clause that the client violates. */
  clause: string
  scenario: Scenario
  client: typeof MinimalClient
}

/** Returns clients that violate a clause, each by one of the changes. */
const breaking = <Change>(
  clause: string,
  scenario: Scenario,
  clientOf: (change: Change) => typeof MinimalClient,
  changes: Record<string, NoInfer<Change>>
): BrokenClient[] =>
  Object.entries(changes).map(([name, change]) => ({ name, clause, scenario, client: clientOf(change) }))

/** Returns a client with a token of an earlier run. */
const storing = (methods: Methods) => clientWith(methods, 'token-of-an-earlier-run')

const authorized = (change: (token: string) => Record<string, string>) =>
  clientWith({
    authorization() {
      return this.token === undefined ? {} : change(this.token)
    }
  })

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

/** Returns a client that sends its old token somewhere after the 401 and the next login. */
const leakingOld = (leak: (old: string) => Sent & { path?: string }) =>
  instead('expired')(async (client, url) => {
    const { path = url, ...sent } = leak(client.token as string)
    client.token = undefined
    if ((await client.logIn()) !== undefined) await client.send('GET', path, sent)
  })

const percentEncoded = (text: string) =>
  [...Buffer.from(text)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('')

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** Every broken client, with the clause that the kit must name. */
export const brokenClients: BrokenClient[] = [
  ...breaking('4 rule 1', 'login', before('start'), {
    'requests the root first': ['GET', '/'],
    'sends HEAD first': ['HEAD', '/menu/main']
  }),
  ...breaking('4 rule 1', 'login', instead('start'), { 'requests the form first': client => client.logIn() }),
  ...breaking('4 rule 1', 'no-auth', before('start'), { 'requests the root first': ['GET', '/'] }),
  ...breaking('4 rule 1', 'start-again', storing, {
    'opens the last screen first when it has a token': {
      async start() {
        await this.send('GET', '/screen/first')
        this.token = undefined
        return super.start()
      }
    }
  }),

  ...breaking('4 rule 2', 'login', clientWith, {
    'does nothing after the first 401': { async logIn() {} }
  }),
  ...breaking('4 rule 2', 'login', before('logIn'), {
    'requests other screens after the first 401': ['GET', '/screen/first']
  }),
  ...breaking('4 rule 2', 'login-then-expire', clientWith, {
    'logs in with the remembered values, without the form': {
      async submit(form) {
        this.expired = async url => {
          this.token = undefined
          if ((await this.fillIn(form)) !== undefined) await this.send('GET', url)
        }
        return super.submit(form)
      }
    }
  }),

  ...breaking('4 rule 3', 'login', instead('submit'), {
    'submits to a path of its own': (client, form) =>
      client.send('POST', '/auth/login', { body: { fields: client.fields(form) } }),
    'submits with PUT': (client, form) =>
      client.send('PUT', form.auth_action, { body: { fields: client.fields(form) } }),
    'submits with GET': (client, form) =>
      client.send('GET', `${form.auth_action}?${new URLSearchParams(client.fields(form))}`),
    'puts the password into a URL': (client, form) => {
      const path = `${form.auth_action}?password=${encodeURIComponent(ENTERED.password)}`
      return client.send('POST', path, { body: { fields: client.fields(form) } })
    },
    'puts the username into the URL': (client, form) =>
      client.send('POST', `${form.auth_action}?user=${ENTERED.username}`, { body: { fields: client.fields(form) } })
  }),
  ...breaking('4 rule 3', 'login', clientWith, {
    'sends the credentials as Basic': {
      authorization() {
        const basic = { authorization: `Basic ${btoa(Object.values(ENTERED).join(':'))}` }
        return this.token === undefined ? basic : super.authorization()
      }
    }
  }),
  ...breaking('4 rule 3', 'login', afterLogin, {
    'sends the entered values to another path': (client, form) =>
      client.send('POST', '/telemetry', { body: client.fields(form) }),
    'sends the password in a cookie': client =>
      client.send('GET', '/screen/first', {
        headers: { cookie: `p=${percentEncoded(ENTERED.password).toUpperCase()}` }
      }),
    'sends the password in a URL, in Base64': client =>
      client.send('GET', `/screen/first?p=${encodeURIComponent(btoa(ENTERED.password))}`)
  }),
  ...breaking('4 rule 3', 'reject-then-login', clientWith, {
    'submits the second attempt to a path of its own': {
      rejected(form, attempts) {
        return super.rejected({ ...form, auth_action: '/login' }, attempts)
      }
    }
  }),

  ...breaking('2.1 fields', 'login', submitting, {
    'submits form data': fields => ({ body: String(new URLSearchParams(fields)) }),
    'submits the fields without the map': fields => ({ body: fields }),
    'submits the fields as a list': fields => ({
      body: { fields: Object.entries(fields).map(([id, value]) => ({ id, value })) }
    }),
    'submits with a byte order mark': fields => ({ body: `\uFEFF${JSON.stringify({ fields })}` }),
    'submits in UTF-16': fields => ({ body: Buffer.from(JSON.stringify({ fields }), 'utf16le') }),
    'submits in Latin-1': fields => ({
      body: Buffer.from(JSON.stringify({ fields: { ...fields, username: 'Jürgen' } }), 'latin1')
    }),
    'submits an empty body': () => ({})
  }),
  ...breaking('2.1 fields', 'login', filling, {
    'omits the password': ({ password, ...fields }) => fields,
    'sends the password as a number': fields => ({ ...fields, password: 60 }),
    'trims the password': fields => ({ ...fields, password: fields.password.trim() }),
    'sends null for the username': fields => ({ ...fields, username: null }),
    'writes the username in capitals': fields => ({ ...fields, username: fields.username.toUpperCase() }),
    'sends a hash of the password': fields => ({ ...fields, password: btoa(fields.password) })
  }),
  ...breaking('2.1 fields', 'reject-then-login', clientWith, {
    'sends the password without its space at the second attempt': {
      rejected(form, attempts) {
        const { username, password } = this.fields(form)
        this.fields = () => ({ username, password: password.trim() })
        return super.rejected(form, attempts)
      }
    }
  }),
  ...breaking('2.5 id', 'login', filling, {
    'uses the labels as ids': ({ username, password }) => ({ Benutzername: username, Kennwort: password }),
    'writes the ids in capitals': ({ username, password }) => ({ Username: username, Password: password })
  }),

  ...breaking('4 rule 4', 'login', afterLogin, {
    'requests the menu after the login': client => client.send('GET', '/menu/main'),
    'submits twice': (client, form) => client.submit(form),
    'fetches the form again after the login': client => client.send('GET', '/auth/login')
  }),
  ...breaking('4 rule 5', 'reject-then-login', instead('rejected'), {
    'starts again after a rejection': client => client.start(),
    'gives up after a rejection': async () => {},
    'opens a screen after a rejection': async (client, form) => {
      await client.send('GET', '/screen/first')
      return client.fillIn(form)
    },
    'uses the token of a rejection': async client => {
      await client.send('GET', '/screen/first', { headers: bearer('null') })
      return client.logIn()
    }
  }),

  ...breaking('5.1', 'login-then-expire', authorized, {
    'sends the token without the scheme': token => ({ authorization: token }),
    'sends the token with another scheme': token => ({ authorization: `Token ${token}` })
  }),
  ...breaking('5.1', 'login', authorized, {
    'writes a colon after the scheme': token => ({ authorization: `Bearer: ${token}` }),
    'sends the token twice': token => bearer(`${token}, Bearer ${token}`),
    'sends the token as the password of Basic': token => ({
      authorization: `Basic ${btoa(`token:${token}`)}`
    })
  }),
  ...breaking('5.4', 'login-then-expire', authorized, {
    'sends the token in a header of its own': token => ({ 'x-auth-token': token }),
    'sends no token': () => ({}),
    'cuts the token': token => bearer(token.slice(0, 2048)),
    'decodes the token': token => bearer(decodeURIComponent(token).replaceAll(' ', '')),
    'writes the token in lower case': token => bearer(token.toLowerCase())
  }),
  ...breaking('5.4', 'login', authorized, {
    'sends the token in quotes': token => bearer(`"${token}"`),
    'sends the token encoded as in a URL': token => bearer(encodeURIComponent(token)),
    'sends the token in Base64': token => bearer(btoa(token)),
    'sends the part of the token before the first full stop': token => bearer(String(token.split('.')[0])),
    'sends the token in a cookie': token => ({ cookie: `token=${token}` })
  }),
  ...breaking('5.4', 'login', clientWith, {
    'sends the token with GET only': {
      async open(url) {
        const { token } = this
        this.token = undefined
        await this.send('POST', url, { body: { changes: {} } })
        this.token = token
        return super.open(url)
      }
    }
  }),
  ...breaking('5.4', 'login-then-expire', clientWith, {
    'sends the token in the query': {
      authorization: () => ({}),
      send(method, path, sent) {
        const query = this.token === undefined ? '' : `?token=${encodeURIComponent(this.token)}`
        return super.send(method, path + query, sent)
      }
    }
  }),

  ...breaking('5.7', 'no-auth', before('start'), {
    'requests the form in the no-auth mode': ['GET', '/auth/login']
  }),
  ...breaking('5.7', 'no-auth', clientWith, {
    'logs in in the no-auth mode': {
      async start() {
        const menu = await super.start()
        await this.send('POST', '/auth/login', { body: { fields: ENTERED } })
        return menu
      }
    },
    'requests the form if the menu has no name': {
      async start() {
        const menu = await super.start()
        await this.send('GET', '/auth/login')
        return menu
      }
    }
  }),

  ...breaking('5.8', 'login-then-expire', instead('expired'), {
    'does nothing after a 401': async () => {},
    'requests other screens without a token after a 401': async (client, url) => {
      client.token = undefined
      await client.send('GET', '/screen/second')
      return MinimalClient.prototype.expired.call(client, url)
    },
    'sends the old token to the login': client => client.logIn(),
    'sends a token of its own to the login': client => {
      client.token = 'guest'
      return client.logIn()
    },
    'keeps the old token after the second login': async (client, url) => {
      const { token } = client
      client.token = undefined
      await client.logIn()
      client.token = token
      await client.send('GET', url)
    }
  }),
  ...breaking('5.8', 'login-then-expire', before('expired'), {
    'repeats the request with the same token after a 401': ['GET', '/screen/first'],
    'requests the menu with the old token after a 401': ['GET', '/menu/main'],
    'requests other screens with the old token after a 401': ['GET', '/screen/second']
  }),
  ...breaking('5.8', 'login-then-expire', leakingOld, {
    'keeps the old token in a cookie': old => ({ headers: { cookie: `last=${percentEncoded(old)}` } }),
    'keeps the old token in a URL, encoded twice': old => ({
      path: `/screen/first?last=${encodeURIComponent(encodeURIComponent(old))}`
    }),
    'keeps the old token in a header, in Base64url': old => ({
      headers: { 'x-last': Buffer.from(old).toString('base64url') }
    })
  }),
  ...breaking('5.8', 'start-again', storing, {
    'sends the stored token to the login': {},
    'does nothing when the stored token is refused': { async logIn() {} },
    'sends the stored token again': {
      async logIn() {
        await this.send('GET', '/menu/main')
        this.token = undefined
        return super.logIn()
      }
    },
    'keeps the stored token after the login': {
      async logIn() {
        const { token } = this
        this.token = undefined
        const menu = await super.logIn()
        this.token = token
        return menu
      }
    }
  })
]
