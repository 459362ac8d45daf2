import type { Scenario } from '../../../conformance/index.ts'
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
    'fetches the form anew after a rejection',
    '4 rule 5',
    'reject-then-login',
    class extends MinimalClient {
      override rejected() {
        return this.logIn()
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
  )
]
