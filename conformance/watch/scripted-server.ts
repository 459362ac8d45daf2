import { randomBytes } from 'node:crypto'
import type { Authorization, Incoming, Outcome, RecordedRequest } from './recorded-request.ts'
import { bearerToken, fieldsOf, isAutomatic, isEmpty, isMenu, pathname } from './recorded-request.ts'
import { AT_ONCE, responseTo, type Scenario, type ScriptedResponse, type State, scenarios } from './scenarios.ts'

/** The most requests to record. The kit does not judge later requests. */
const MOST_REQUESTS = 5000

/** The number of refused tokens to remember. No real client has more. */
const MOST_REFUSED = 20

/**
 * The server of one scenario, without a transport. It records each request, and returns the response. The state changes
 * only when a response is sent, so that parallel requests meet the same state.
 */
export class ScriptedServer {
  /** Random, so that the client has to read the path from the form. */
  readonly authAction = `/${hex(4)}/Auth/Step-1.do`
  readonly requests: RecordedRequest[] = []
  readonly scenario: Scenario
  readonly tokens: string[] = []
  steppedAt: number | undefined
  readonly #now: () => number
  readonly #states: readonly State[]
  #passed = 0
  #session: RecordedRequest['session'] = 'none'
  #token: string | undefined
  #newToken: string | undefined
  #storedToken: string | undefined
  #refused: readonly string[] = []
  readonly #refusedBefore: Map<string, 'issued' | 'other'>
  #loginAt: number | undefined

  /** @param earlier the servers of the previous scenarios */
  constructor(scenario: Scenario, now: () => number, earlier: readonly ScriptedServer[] = []) {
    const issued = new Set(earlier.flatMap(({ tokens }) => tokens))
    const refused = earlier.flatMap(one => one.#refused)
    this.#refusedBefore = new Map(refused.map(token => [token, issued.has(token) ? 'issued' : 'other']))
    this.scenario = scenario
    this.#now = now
    this.#states = scenarios[scenario].states
  }

  /** Whether a limit is reached, so that the server records no more requests. */
  get isFull(): boolean {
    return this.requests.length >= MOST_REQUESTS
  }

  get completedAt(): number | undefined {
    return this.#passed === this.#states.length ? this.steppedAt : undefined
  }

  isStoredOrRefused(token: string): boolean {
    return token === this.#storedToken || this.#refused.includes(token)
  }

  handle(incoming: Incoming): { request: RecordedRequest; response: ScriptedResponse } {
    const at = this.#now()
    const isFirst = this.requests.every(({ outcome }) => outcome === 'ignored')
    const bearer = bearerToken(incoming.headers)
    if (isFirst) this.#storedToken = bearer
    const submission = incoming.method === 'POST' && pathname(incoming) === this.authAction
    const sinceLogin = this.#loginAt === undefined ? undefined : at - this.#loginAt
    const outcome = this.#outcomeOf(incoming, submission, sinceLogin)
    const request: RecordedRequest = {
      ...incoming,
      at,
      outcome,
      submission,
      authAction: this.authAction,
      ...(sinceLogin !== undefined && { sinceLogin }),
      session: this.#session,
      authorization: this.#authorizationOf(incoming),
      token: outcome === 'accepted' ? this.#tokenOfLogin() : this.#token,
      refusedBefore: (isFirst && this.#refusedBefore.get(bearer ?? '')) || 'no',
      refused: this.#refused
    }
    this.requests.push(request)
    if (outcome !== 'ignored') this.#loginAt = undefined
    return { request, response: responseTo(request, this.#state.auth === false ? undefined : 'Ada Lovelace') }
  }

  /** Records that the response to a request was sent, and changes the state. */
  responded(request: RecordedRequest): void {
    const { outcome, token, headers } = request
    request.respondedAt = this.#now()
    if (outcome === 'accepted') {
      this.#token = token
      this.#newToken = undefined
      this.#session = 'open'
      this.#loginAt = request.respondedAt
    }
    if (outcome === 'form' && this.#session === 'open') this.#session = 'left'
    if (outcome === 'unauthorized' || outcome === 'expired') {
      const refused = [bearerToken(headers), token].filter(one => one !== undefined)
      this.#refused = [...new Set([...this.#refused, ...refused])].slice(-MOST_REFUSED)
      // A late 401 for a request of the previous session does not end the current session.
      if (this.#token === token) {
        this.#token = undefined
        this.#session = 'ended'
      }
    }
    if (outcome === this.#state.until && this.completedAt === undefined) {
      this.#passed += 1
      this.steppedAt = request.respondedAt
    }
  }

  get #state(): State {
    return this.#states[Math.min(this.#passed, this.#states.length - 1)] as State
  }

  #outcomeOf(incoming: Incoming, submission: boolean, sinceLogin = AT_ONCE): Outcome {
    const { method, headers, body } = incoming
    const { auth = true, submission: loginOutcome = 'accepted', token = 'valid' } = this.#state
    const path = pathname(incoming)
    if (isAutomatic(incoming)) return 'ignored'
    if (path === '/auth/login' || path === this.authAction) {
      if (method === 'GET' || method === 'HEAD') return 'form'
      const { username, password } = fieldsOf(body) ?? {}
      if (!submission || typeof username !== 'string' || typeof password !== 'string') return 'malformed login'
      return username === '' || password === '' ? 'rejected' : loginOutcome
    }
    const bearer = bearerToken(headers)
    if (auth && (bearer === undefined || bearer !== this.#token)) return 'unauthorized'
    if (token === 'expired' && !(isMenu(incoming) && sinceLogin < AT_ONCE)) return 'expired'
    return path === '/menu/main' ? 'menu' : 'screen'
  }

  #authorizationOf({ headers }: Incoming): Authorization {
    if (headers.authorization === undefined) return 'none'
    if (isEmpty(headers.authorization)) return 'empty'
    const token = bearerToken(headers)
    if (token === undefined) return 'malformed'
    if (token === this.#token) return 'current'
    if (this.#refused.includes(token)) return 'refused'
    return token === this.#storedToken ? 'stored' : 'other'
  }

  /** Returns the token of a login. The first has 4 KB, special characters, and sequences that a client may decode. */
  #tokenOfLogin(): string {
    if (this.#newToken === undefined) {
      const isFirst = this.tokens.length === 0
      this.#newToken = isFirst ? `~/${hex(8)}${'aZ0.~_-+/%2F%20'.repeat(273)}./~==` : `${hex(16)}.later~`
      this.tokens.push(this.#newToken)
    }
    return this.#newToken
  }
}

const hex = (bytes: number) => randomBytes(bytes).toString('hex')
