import { randomBytes } from 'node:crypto'
import type { Scenario } from '../cases.ts'
import { bearerToken, fieldsOf, type Outcome, type RecordedRequest } from './recorded-request.ts'

/** A response of the scripted server. */
export interface ScriptedResponse {
  status: number
  body?: object
}

/** A request as it comes in. */
type Incoming = Pick<RecordedRequest, 'method' | 'path' | 'headers' | 'body'>

/** A request for the menu within this time after the login comes from the client, not from the person. Milliseconds. */
export const AT_ONCE = 1000

/** Four kilobytes of every character that a token may have, among them some that a careless client changes. */
const LONG_TOKEN = `~/${'aZ0.~_-+/%2F%20'.repeat(273)}./~==`

/** The server of one scenario, without its transport: it responds to each request and records it. */
export class ScriptedServer {
  /** Random, so that a client has to read it from the form. */
  readonly authAction = `/${randomBytes(4).toString('hex')}/Auth/Step-1.do`
  readonly requests: RecordedRequest[] = []
  readonly scenario: Scenario
  readonly #now: () => number
  readonly #tokens = [LONG_TOKEN, `second.${randomBytes(8).toString('hex')}~`]
  #rejectionsLeft: number
  #expiriesLeft: number
  #token: string | undefined
  /** The token of a session that has expired, as long as the client cannot know it. */
  #expiringToken: string | undefined
  #acceptedAt = Number.NEGATIVE_INFINITY

  /** @param now the time in milliseconds */
  constructor(scenario: Scenario, now: () => number) {
    this.scenario = scenario
    this.#now = now
    this.#rejectionsLeft = scenario === 'reject-then-login' ? 1 : 0
    this.#expiriesLeft = scenario === 'login-then-expire' ? 1 : 0
  }

  /** Whether every step of the scenario has happened. */
  get isComplete(): boolean {
    const outcomes = this.requests.map(({ outcome }) => outcome)
    if (this.scenario === 'no-auth') return outcomes.includes('menu')
    if (this.scenario === 'login-then-expire')
      return outcomes.lastIndexOf('form') > outcomes.indexOf('expired') && outcomes.includes('expired')
    return outcomes.includes('accepted')
  }

  /** Records a request and returns it with its response. */
  handle(incoming: Incoming): { request: RecordedRequest; response: ScriptedResponse } {
    const at = this.#now()
    const isExpiring =
      this.#expiringToken !== undefined && bearerToken(incoming.headers) === this.#expiringToken
    const token = isExpiring ? this.#expiringToken : this.#token
    const outcome = isExpiring ? 'expired' : this.#outcomeOf(incoming, at)
    const request = { ...incoming, at, token, outcome }
    this.requests.push(request)
    return { request, response: this.#responseTo(outcome, incoming.path) }
  }

  /** Notes that the response to a request is sent: from now on the client can know about it. */
  responded(request: RecordedRequest): void {
    request.respondedAt = this.#now()
    if (request.outcome === 'expired') this.#expiringToken = undefined
  }

  #outcomeOf({ method, path, headers, body }: Incoming, at: number): Outcome {
    const [pathname = ''] = path.split('?')
    const isMenu = pathname === '/menu/main'
    if (method === 'OPTIONS' || /^\/(favicon\.ico$|robots\.txt$|\.well-known\/|apple-touch)/.test(pathname))
      return 'ignored'
    if (pathname === '/auth/login' || path === this.authAction) return this.#logIn(method, path, body, at)
    if (this.scenario === 'no-auth') return isMenu ? 'menu' : 'screen'
    if (this.#token === undefined || bearerToken(headers) !== this.#token) {
      // A 401 ends the session, also one for another token.
      this.#token = undefined
      return 'unauthorized'
    }
    if (this.#expiriesLeft > 0 && !(isMenu && at - this.#acceptedAt < AT_ONCE)) {
      this.#expiriesLeft--
      this.#expiringToken = this.#token
      this.#token = undefined
      return 'expired'
    }
    return isMenu ? 'menu' : 'screen'
  }

  #logIn(method: string, path: string, body: string, at: number): Outcome {
    if (method === 'GET' && path !== this.authAction) return 'form'
    const { username, password } = fieldsOf(body) ?? {}
    const isSubmission = method === 'POST' && path === this.authAction
    if (!isSubmission || typeof username !== 'string' || typeof password !== 'string')
      return 'malformed login'
    if (this.scenario === 'no-auth' || this.#rejectionsLeft-- > 0 || username === '' || password === '')
      return 'rejected'
    this.#token = this.#tokens.shift() ?? `later.${randomBytes(8).toString('hex')}`
    this.#acceptedAt = at
    return 'accepted'
  }

  #responseTo(outcome: Outcome, path: string): ScriptedResponse {
    switch (outcome) {
      case 'menu':
        return { status: 200, body: this.#menu() }
      case 'screen':
        return { status: 200, body: this.#withName({ layout: 'Card', title: path, sections: [] }) }
      case 'form':
        return this.scenario === 'no-auth' ? { status: 404 } : { status: 200, body: this.#form() }
      case 'accepted':
        return { status: 200, body: { success: true, token: this.#token, error: null, screen: this.#menu() } }
      case 'rejected':
        return {
          status: 200,
          body: failure('Unbekannter Benutzer oder falsches Kennwort. Bitte noch einmal.')
        }
      case 'malformed login':
        return { status: 400, body: failure('This is no submission of the form.') }
      case 'ignored':
        return { status: 204 }
      case 'unauthorized':
      case 'expired':
        return { status: 401 }
    }
  }

  /** The labels differ from the ids, which exposes a client that takes one for the other. */
  #form(): object {
    const fields = [
      { id: 'username', label: 'Benutzername', type: 'Text', value: '' },
      { id: 'password', label: 'Kennwort', type: 'Password', value: '' }
    ]
    const sections = [{ id: 'login', label: 'Anmeldung', fields }]
    return { layout: 'Card', title: 'Conformance', auth_action: this.authAction, sections }
  }

  #menu(): object {
    const items = ['first', 'second'].map(name => ({
      label: `Open the ${name} screen`,
      action: { type: 'open_screen', url: `/screen/${name}` }
    }))
    const menu = { panel_title: 'Conformance', tabs: [{ label: 'Screens', items }] }
    return this.#withName({ layout: 'Menu', title: 'Main Menu', menu })
  }

  #withName(screen: object): object {
    return this.scenario === 'no-auth' ? screen : { ...screen, user_display_name: 'Ada Lovelace' }
  }
}

function failure(error: string): object {
  return { success: false, token: null, error, screen: null }
}
