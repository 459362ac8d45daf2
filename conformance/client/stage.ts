import { randomBytes } from 'node:crypto'
import type { Scenario } from '../cases.ts'
import { bearer, type Event, fieldsOf, type Seen } from './seen.ts'

/** What the scripted server answers. */
export interface Reply {
  status: number
  body?: object
}

/** A request for the menu that soon after the login was not asked for by the person. Milliseconds. */
export const AT_ONCE = 1000

/** Four kilobytes of every character that a token may have, and some that a careless client would change. */
const LONG_TOKEN = `~/${'aZ0.~_-+/%2F%20'.repeat(273)}./~==`

/** The part of a server in a scenario: what it answers, and a record of what it was asked. */
export class Stage {
  /** Unlike what a client may have in its code: it must be taken from the form. */
  readonly action = `/${randomBytes(4).toString('hex')}/Auth/Step-1.do`
  readonly seen: Seen[] = []
  readonly scenario: Scenario
  readonly #tokens = [LONG_TOKEN, `second.${randomBytes(8).toString('hex')}~`]
  #rejections: number
  #expiries: number
  #token: string | undefined
  /** The token of a session that has just ended, while the client cannot know it yet. */
  #expiring: string | undefined
  #acceptedAt = Number.NEGATIVE_INFINITY

  constructor(scenario: Scenario) {
    this.scenario = scenario
    this.#rejections = scenario === 'reject-then-login' ? 1 : 0
    this.#expiries = scenario === 'login-then-expire' ? 1 : 0
  }

  /** Whether all that the scenario has for a client has happened. */
  get isPlayed(): boolean {
    const events = this.seen.map(({ event }) => event)
    if (this.scenario === 'no-auth') return events.includes('menu')
    if (this.scenario === 'login-then-expire')
      return events.lastIndexOf('form') > events.indexOf('expired') && events.includes('expired')
    return events.includes('accepted')
  }

  /** Answers a request, and remembers it. */
  play(request: Pick<Seen, 'method' | 'path' | 'headers' | 'body'>): { seen: Seen; reply: Reply } {
    const at = performance.now()
    const isUnderWay = this.#expiring !== undefined && bearer(request.headers) === this.#expiring
    const token = isUnderWay ? this.#expiring : this.#token
    const event = isUnderWay ? 'expired' : this.#eventFor(request, at)
    const seen = { ...request, at, token, event }
    this.seen.push(seen)
    return { seen, reply: this.#replyTo(event, request.path) }
  }

  /** The answer is on its way: from now on the client can know what it says. */
  answered(seen: Seen): void {
    seen.answeredAt = performance.now()
    if (seen.event === 'expired') this.#expiring = undefined
  }

  #eventFor(
    { method, path, headers, body }: Pick<Seen, 'method' | 'path' | 'headers' | 'body'>,
    at: number
  ): Event {
    const [pathname = ''] = path.split('?')
    const isMenu = pathname === '/menu/main'
    if (method === 'OPTIONS' || /^\/(favicon\.ico$|robots\.txt$|\.well-known\/|apple-touch)/.test(pathname))
      return 'ignored'
    if (pathname === '/auth/login' || path === this.action) return this.#login(method, path, body, at)
    if (this.scenario === 'no-auth') return isMenu ? 'menu' : 'screen'
    if (this.#token === undefined || bearer(headers) !== this.#token) {
      // Whatever was sent instead: after a 401 there is no session any more.
      this.#token = undefined
      return 'denied'
    }
    if (this.#expiries > 0 && !(isMenu && at - this.#acceptedAt < AT_ONCE)) {
      this.#expiries--
      this.#expiring = this.#token
      this.#token = undefined
      return 'expired'
    }
    return isMenu ? 'menu' : 'screen'
  }

  #login(method: string, path: string, body: string, at: number): Event {
    if (method === 'GET' && path !== this.action) return 'form'
    const { username, password } = fieldsOf(body) ?? {}
    if (
      method !== 'POST' ||
      path !== this.action ||
      typeof username !== 'string' ||
      typeof password !== 'string'
    ) {
      return 'misplaced'
    }
    if (this.scenario === 'no-auth' || this.#rejections-- > 0 || username === '' || password === '')
      return 'rejected'
    this.#token = this.#tokens.shift() ?? `later.${randomBytes(8).toString('hex')}`
    this.#acceptedAt = at
    return 'accepted'
  }

  #replyTo(event: Event, path: string): Reply {
    switch (event) {
      case 'menu':
        return { status: 200, body: this.#menu() }
      case 'screen':
        return { status: 200, body: this.#named({ layout: 'Card', title: path, sections: [] }) }
      case 'form':
        return this.scenario === 'no-auth' ? { status: 404 } : { status: 200, body: this.#form() }
      case 'accepted':
        return { status: 200, body: { success: true, token: this.#token, error: null, screen: this.#menu() } }
      case 'rejected':
        return {
          status: 200,
          body: failure('Unbekannter Benutzer oder falsches Kennwort. Bitte noch einmal.')
        }
      case 'misplaced':
        return { status: 400, body: failure('This is no submission of the form.') }
      case 'ignored':
        return { status: 204 }
      default:
        return { status: 401 }
    }
  }

  /** Labels that differ from the ids, so that a client that mistakes one for the other is noticed. */
  #form(): object {
    const fields = [
      { id: 'username', label: 'Benutzername', type: 'Text', value: '' },
      { id: 'password', label: 'Kennwort', type: 'Password', value: '' }
    ]
    const sections = [{ id: 'login', label: 'Anmeldung', fields }]
    return { layout: 'Card', title: 'Conformance', auth_action: this.action, sections }
  }

  #menu(): object {
    const items = ['first', 'second'].map(name => ({
      label: `Open the ${name} screen`,
      action: { type: 'open_screen', url: `/screen/${name}` }
    }))
    const menu = { panel_title: 'Conformance', tabs: [{ label: 'Screens', items }] }
    return this.#named({ layout: 'Menu', title: 'Main Menu', menu })
  }

  #named(screen: object): object {
    return this.scenario === 'no-auth' ? screen : { ...screen, user_display_name: 'Ada Lovelace' }
  }
}

function failure(error: string): object {
  return { success: false, token: null, error, screen: null }
}
