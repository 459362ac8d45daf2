import type { Scenario } from '../../index.ts'
import { ENTERED, type Json, MinimalClient, type Sent } from './minimal-client.ts'

/** A client that breaks one clause in one way. */
interface BrokenClient {
  name: string
  /** The clause that it breaks. */
  clause: string
  scenario: Scenario
  client: typeof MinimalClient
}

const broken = (
  name: string,
  clause: string,
  scenario: Scenario,
  client: typeof MinimalClient
): BrokenClient => ({
  name,
  clause,
  scenario,
  client
})

const authorized = (change: (token: string) => Record<string, string>) =>
  class extends MinimalClient {
    override authorization() {
      return this.token === undefined ? {} : change(this.token)
    }
  }

const submitting = (change: (fields: Json, form: Json) => Sent, method = 'POST') =>
  class extends MinimalClient {
    override submit(form: Json) {
      return this.send(method, form.auth_action, change(this.fields(form), form))
    }
  }

const filling = (change: (fields: Json) => Json) =>
  class extends MinimalClient {
    override fields(form: Json) {
      return change(super.fields(form))
    }
  }

/** A client that sends a request of its own after each login, or any other after the first screen. */
const telling = (tell: (client: MinimalClient) => Promise<unknown>) =>
  class extends MinimalClient {
    override async welcome(screen: Json) {
      await tell(this)
      return screen
    }
  }

/** A client that has a token of an earlier run. */
class Storing extends MinimalClient {
  override token: string | undefined = 'token-of-an-earlier-run'
}

/** A client that puts the token that it had before the 401 somewhere. */
const reminding = (remind: (old: string) => Sent & { path?: string }) =>
  class extends MinimalClient {
    override async expired(url: string) {
      const { path = url, ...sent } = remind(this.token as string)
      this.token = undefined
      if ((await this.logIn()) !== undefined) await this.send('GET', path, sent)
    }
  }

const percentEncoded = (text: string) =>
  [...Buffer.from(text)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('')

/** Every broken client, and the clause that the kit must name. */
export const brokenClients: BrokenClient[] = [
  broken(
    'asks for the form first',
    '4 rule 1',
    'login',
    class extends MinimalClient {
      override start() {
        return this.logIn()
      }
    }
  ),
  broken(
    'asks for the root first',
    '4 rule 1',
    'login',
    class extends MinimalClient {
      override async start() {
        await this.send('GET', '/')
        return super.start()
      }
    }
  ),
  broken(
    'does nothing after the first 401',
    '4 rule 2',
    'login',
    class extends MinimalClient {
      override async logIn() {}
    }
  ),
  broken(
    'asks for other screens after the first 401',
    '4 rule 2',
    'login',
    class extends MinimalClient {
      override async logIn() {
        await this.send('GET', '/screen/first')
        return super.logIn()
      }
    }
  ),
  broken(
    'submits to a path of its own',
    '4 rule 3',
    'login',
    class extends MinimalClient {
      override submit(form: Json) {
        return super.submit({ ...form, auth_action: '/auth/login' })
      }
    }
  ),
  broken(
    'submits with PUT',
    '4 rule 3',
    'login',
    submitting(fields => ({ body: { fields } }), 'PUT')
  ),
  broken(
    'submits form data',
    '2.1 fields',
    'login',
    submitting(fields => ({ body: String(new URLSearchParams(fields)) }))
  ),
  broken(
    'submits the fields without the map',
    '2.1 fields',
    'login',
    submitting(fields => ({ body: fields }))
  ),
  broken(
    'submits the fields as a list',
    '2.1 fields',
    'login',
    submitting(fields => ({
      body: { fields: Object.entries(fields).map(([id, value]) => ({ id, value })) }
    }))
  ),
  broken(
    'leaves the password out',
    '2.1 fields',
    'login',
    filling(({ password, ...fields }) => fields)
  ),
  broken(
    'sends the password as a number',
    '2.1 fields',
    'login',
    filling(fields => ({ ...fields, password: 60 }))
  ),
  broken(
    'takes the labels for ids',
    '2.5 id',
    'login',
    class extends MinimalClient {
      override fields(form: Json) {
        const values = Object.values(ENTERED)
        return Object.fromEntries(
          form.sections[0].fields.map(({ label }: Json, index: number) => [label, values[index]])
        )
      }
    }
  ),
  broken(
    'trims the password',
    '2.1 fields',
    'login',
    filling(fields => ({ ...fields, password: fields.password.trim() }))
  ),
  broken(
    'asks for the menu after the login',
    '4 rule 4',
    'login',
    class extends MinimalClient {
      override async welcome() {
        return (await this.send('GET', '/menu/main')).body
      }
    }
  ),
  broken(
    'submits twice',
    '4 rule 4',
    'login',
    class extends MinimalClient {
      override async welcome(screen: Json, form: Json) {
        await this.submit(form)
        return screen
      }
    }
  ),
  broken(
    'starts anew after a rejection',
    '4 rule 5',
    'reject-then-login',
    class extends MinimalClient {
      override rejected() {
        return this.start()
      }
    }
  ),
  broken(
    'gives up after a rejection',
    '4 rule 5',
    'reject-then-login',
    class extends MinimalClient {
      override async rejected() {}
    }
  ),
  broken(
    'goes on with the token of a rejection',
    '4 rule 5',
    'reject-then-login',
    class extends MinimalClient {
      override async rejected() {
        await this.send('GET', '/screen/first', { headers: { authorization: 'Bearer null' } })
        return this.logIn()
      }
    }
  ),
  broken(
    'sends the token without the scheme',
    '5.1',
    'login-then-expire',
    authorized(token => ({ authorization: token }))
  ),
  broken(
    'sends the token with another scheme',
    '5.1',
    'login-then-expire',
    authorized(token => ({ authorization: `Token ${token}` }))
  ),
  broken(
    'sends the token in a header of its own',
    '5.4',
    'login-then-expire',
    authorized(token => ({ 'x-auth-token': token }))
  ),
  broken(
    'sends no token',
    '5.4',
    'login-then-expire',
    authorized(() => ({}))
  ),
  broken(
    'cuts the token',
    '5.4',
    'login-then-expire',
    authorized(token => ({ authorization: `Bearer ${token.slice(0, 2048)}` }))
  ),
  broken(
    'decodes the token',
    '5.4',
    'login-then-expire',
    authorized(token => ({ authorization: `Bearer ${decodeURIComponent(token).replaceAll(' ', '')}` }))
  ),
  broken(
    'writes the token in lower case',
    '5.4',
    'login-then-expire',
    authorized(token => ({ authorization: `Bearer ${token.toLowerCase()}` }))
  ),
  broken(
    'sends the token in the query',
    '5.4',
    'login-then-expire',
    class extends MinimalClient {
      override authorization() {
        return {}
      }
      override send(method: string, path: string, sent: Sent = {}) {
        return super.send(
          method,
          this.token === undefined ? path : `${path}?token=${encodeURIComponent(this.token)}`,
          sent
        )
      }
    }
  ),
  broken(
    'tries again with the same token after a 401',
    '5.8',
    'login-then-expire',
    class extends MinimalClient {
      override async expired(url: string) {
        await this.send('GET', url)
        return super.expired(url)
      }
    }
  ),
  broken(
    'stays where it is after a 401',
    '5.8',
    'login-then-expire',
    class extends MinimalClient {
      override async expired() {}
    }
  ),
  broken(
    'asks for the menu with the old token after a 401',
    '5.8',
    'login-then-expire',
    class extends MinimalClient {
      override async expired(url: string) {
        await this.send('GET', '/menu/main')
        return super.expired(url)
      }
    }
  ),
  broken(
    'sends the old token to the login',
    '5.8',
    'login-then-expire',
    class extends MinimalClient {
      override async expired() {
        await this.logIn()
      }
    }
  ),
  broken(
    'keeps the old token after the second login',
    '5.8',
    'login-then-expire',
    class extends MinimalClient {
      override async expired(url: string) {
        const { token } = this
        this.token = undefined
        await this.logIn()
        this.token = token
        await this.send('GET', url)
      }
    }
  ),
  broken(
    'asks for other screens without a token after a 401',
    '5.8',
    'login-then-expire',
    class extends MinimalClient {
      override async expired(url: string) {
        this.token = undefined
        await this.send('GET', '/screen/second')
        return super.expired(url)
      }
    }
  ),
  broken(
    'puts the password into an address',
    '4 rule 3',
    'login',
    class extends MinimalClient {
      override submit(form: Json) {
        return this.send('POST', `${form.auth_action}?password=${encodeURIComponent(ENTERED.password)}`, {
          body: { fields: this.fields(form) }
        })
      }
    }
  ),
  broken(
    'tells another address what was entered',
    '4 rule 3',
    'login',
    class extends MinimalClient {
      override async welcome(screen: Json, form: Json) {
        await this.send('POST', '/telemetry', { body: this.fields(form) })
        return screen
      }
    }
  ),
  broken(
    'sends the credentials as Basic',
    '4 rule 3',
    'login',
    class extends MinimalClient {
      override send(method: string, path: string, sent: Sent = {}) {
        const basic = { authorization: `Basic ${btoa(Object.values(ENTERED).join(':'))}` }
        return super.send(method, path, this.token === undefined ? { ...sent, headers: basic } : sent)
      }
    }
  ),
  broken(
    'asks for the form although there is no login',
    '5.7',
    'no-auth',
    class extends MinimalClient {
      override async start() {
        await this.send('GET', '/auth/login')
        return super.start()
      }
    }
  ),
  broken(
    'logs in although there is no login',
    '5.7',
    'no-auth',
    class extends MinimalClient {
      override async start() {
        const menu = await super.start()
        await this.send('POST', '/auth/login', { body: { fields: ENTERED } })
        return menu
      }
    }
  ),
  broken(
    'asks with HEAD first',
    '4 rule 1',
    'login',
    class extends MinimalClient {
      override async start() {
        await this.send('HEAD', '/menu/main')
        return super.start()
      }
    }
  ),
  broken(
    'asks for the root first',
    '4 rule 1',
    'no-auth',
    class extends MinimalClient {
      override async start() {
        await this.send('GET', '/')
        return super.start()
      }
    }
  ),
  broken(
    'opens the last screen first when it has a token',
    '4 rule 1',
    'start-again',
    class extends Storing {
      override async start() {
        await this.send('GET', '/screen/first')
        this.token = undefined
        return super.start()
      }
    }
  ),
  broken(
    'logs in with what it has remembered, without the form',
    '4 rule 2',
    'login-then-expire',
    class extends MinimalClient {
      #form: Json
      override async submit(form: Json) {
        this.#form = form
        return super.submit(form)
      }
      override async expired(url: string) {
        this.token = undefined
        if ((await this.fillIn(this.#form)) !== undefined) await this.send('GET', url)
      }
    }
  ),
  broken(
    'submits with GET',
    '4 rule 3',
    'login',
    class extends MinimalClient {
      override submit(form: Json) {
        return this.send('GET', `${form.auth_action}?${new URLSearchParams(this.fields(form))}`)
      }
    }
  ),
  broken(
    'submits the second try to a path of its own',
    '4 rule 3',
    'reject-then-login',
    class extends MinimalClient {
      override rejected(form: Json, tries: number) {
        return super.rejected({ ...form, auth_action: '/login' }, tries)
      }
    }
  ),
  broken(
    'submits with a byte order mark',
    '2.1 fields',
    'login',
    submitting(fields => ({ body: `\uFEFF${JSON.stringify({ fields })}` }))
  ),
  broken(
    'submits in UTF-16',
    '2.1 fields',
    'login',
    submitting(fields => ({ body: Buffer.from(JSON.stringify({ fields }), 'utf16le') }))
  ),
  broken(
    'submits in Latin-1',
    '2.1 fields',
    'login',
    submitting(fields => ({
      body: Buffer.from(JSON.stringify({ fields: { ...fields, username: 'Jürgen' } }), 'latin1')
    }))
  ),
  broken(
    'submits an empty body',
    '2.1 fields',
    'login',
    submitting(() => ({}))
  ),
  broken(
    'sends null for the username',
    '2.1 fields',
    'login',
    filling(fields => ({ ...fields, username: null }))
  ),
  broken(
    'writes the username in capitals',
    '2.1 fields',
    'login',
    filling(fields => ({ ...fields, username: fields.username.toUpperCase() }))
  ),
  broken(
    'sends a hash of the password',
    '2.1 fields',
    'login',
    filling(fields => ({ ...fields, password: btoa(fields.password) }))
  ),
  broken(
    'sends the password without its space at the second try',
    '2.1 fields',
    'reject-then-login',
    class extends MinimalClient {
      #tries = 0
      override fields(form: Json) {
        const fields = super.fields(form)
        return this.#tries++ === 0 ? fields : { ...fields, password: fields.password.trim() }
      }
    }
  ),
  broken(
    'writes the ids in capitals',
    '2.5 id',
    'login',
    filling(({ username, password }) => ({ Username: username, Password: password }))
  ),
  broken(
    'fetches the form again after the login',
    '4 rule 4',
    'login',
    telling(client => client.send('GET', '/auth/login'))
  ),
  broken(
    'sends the token in quotes',
    '5.4',
    'login',
    authorized(token => ({ authorization: `Bearer "${token}"` }))
  ),
  broken(
    'sends the token encoded as in a URL',
    '5.4',
    'login',
    authorized(token => ({ authorization: `Bearer ${encodeURIComponent(token)}` }))
  ),
  broken(
    'sends the token in Base64',
    '5.4',
    'login',
    authorized(token => ({ authorization: `Bearer ${btoa(token)}` }))
  ),
  broken(
    'sends the part of the token before the first full stop',
    '5.4',
    'login',
    authorized(token => ({ authorization: `Bearer ${token.split('.')[0]}` }))
  ),
  broken(
    'sends the token in a cookie',
    '5.4',
    'login',
    authorized(token => ({ cookie: `token=${token}` }))
  ),
  broken(
    'sends the token with GET only',
    '5.4',
    'login',
    class extends MinimalClient {
      override async open(url: string) {
        const { token } = this
        this.token = undefined
        await this.send('POST', url, { body: { changes: {} } })
        this.token = token
        return super.open(url)
      }
    }
  ),
  broken(
    'writes a colon after the scheme',
    '5.1',
    'login',
    authorized(token => ({ authorization: `Bearer: ${token}` }))
  ),
  broken(
    'sends the token twice',
    '5.1',
    'login',
    authorized(token => ({ authorization: `Bearer ${token}, Bearer ${token}` }))
  ),
  broken(
    'sends the token as the password of Basic',
    '5.1',
    'login',
    authorized(token => ({ authorization: `Basic ${btoa(`token:${token}`)}` }))
  ),
  broken(
    'keeps the old token in a cookie',
    '5.8',
    'login-then-expire',
    reminding(old => ({ headers: { cookie: `last=${percentEncoded(old)}` } }))
  ),
  broken(
    'keeps the old token in an address, encoded twice',
    '5.8',
    'login-then-expire',
    reminding(old => ({ path: `/screen/first?last=${encodeURIComponent(encodeURIComponent(old))}` }))
  ),
  broken(
    'keeps the old token in a header, in Base64url',
    '5.8',
    'login-then-expire',
    reminding(old => ({ headers: { 'x-last': Buffer.from(old).toString('base64url') } }))
  ),
  broken(
    'asks for other screens with the old token after a 401',
    '5.8',
    'login-then-expire',
    class extends MinimalClient {
      override async expired(url: string) {
        await this.send('GET', '/screen/second')
        this.token = undefined
        return super.expired(url)
      }
    }
  ),
  broken('sends the stored token to the login', '5.8', 'start-again', class extends Storing {}),
  broken(
    'tries the stored token again',
    '5.8',
    'start-again',
    class extends Storing {
      override async logIn() {
        await this.send('GET', '/menu/main')
        this.token = undefined
        return super.logIn()
      }
    }
  ),
  broken(
    'stays where it is when the stored token is refused',
    '5.8',
    'start-again',
    class extends Storing {
      override async logIn() {}
    }
  ),
  broken(
    'keeps the stored token after the login',
    '5.8',
    'start-again',
    class extends Storing {
      override async logIn() {
        const { token } = this
        this.token = undefined
        const menu = await super.logIn()
        this.token = token
        return menu
      }
    }
  ),
  broken(
    'sends the password in a cookie',
    '4 rule 3',
    'login',
    telling(client =>
      client.send('GET', '/screen/first', {
        headers: { cookie: `p=${percentEncoded(ENTERED.password).toUpperCase()}` }
      })
    )
  ),
  broken(
    'sends the password in an address, in Base64',
    '4 rule 3',
    'login',
    telling(client => client.send('GET', `/screen/first?p=${encodeURIComponent(btoa(ENTERED.password))}`))
  ),
  broken(
    'asks for the form when the menu names nobody',
    '5.7',
    'no-auth',
    class extends MinimalClient {
      override async start() {
        const menu = await super.start()
        await this.send('GET', '/auth/login')
        return menu
      }
    }
  )
]
