import type { ClientResponse } from '../soak/client.ts'
import type { Figures } from './figures.ts'
import { displayNameOf, nameOf, PASSWORD } from './fleet.ts'
import type { FleetRequest, RoundRobin } from './round-robin.ts'

/** A response is right, a "later" where that is allowed, a refusal of a valid request, or otherwise wrong. */
type Verdict = 'right' | 'postponed' | 'refused' | 'wrong'

/** The users of the cluster. Judges and counts each response. */
export class Users {
  readonly #roundRobin: RoundRobin
  readonly #figures: Figures
  readonly #mayWait: boolean

  /** @param mayWait whether "later" is allowed, because Redis is down at times */
  constructor(roundRobin: RoundRobin, figures: Figures, mayWait = false) {
    this.#roundRobin = roundRobin
    this.#figures = figures
    this.#mayWait = mayWait
  }

  /** Logs in with the right password. @returns the token, or null when there is none */
  async logIn(user: number, request: FleetRequest = {}): Promise<string | null> {
    const fields = { username: nameOf(user), password: PASSWORD }
    const response = await this.#send('/auth/login', { ...request, fields }, ({ outcome }) => {
      if (outcome === 'accepted') return 'right'
      if (this.#mayWait && /^refused 5\d\d$/.test(outcome)) return 'postponed'
      return /^(rejected|blocked|refused \d+)$/.test(outcome) ? 'refused' : 'wrong'
    })
    return response.outcome === 'accepted' ? JSON.parse(response.body).token : null
  }

  /** Fails to log in: with a wrong password, or because the login is blocked. */
  async failToLogIn(user: number, why: 'wrong password' | 'blocked', request: FleetRequest): Promise<void> {
    const [password, expected] = why === 'blocked' ? [PASSWORD, 'blocked'] : ['wrong', 'rejected']
    const fields = { username: nameOf(user), password }
    await this.#send('/auth/login', { ...request, fields }, ({ outcome }) =>
      outcome === expected ? 'right' : 'wrong'
    )
  }

  /** Asks for the menu with a valid token. */
  async openMenu(user: number, token: string, request: FleetRequest = {}): Promise<void> {
    await this.#send('/menu/main', { ...request, token }, ({ status, headers, body }) => {
      if (status === 200)
        return JSON.parse(body).user_display_name === displayNameOf(user) ? 'right' : 'wrong'
      if (status === 401) return 'refused'
      return this.#mayWait && status === 503 && headers['retry-after'] !== undefined ? 'postponed' : 'wrong'
    })
  }

  /** Asks for the menu with a token that is no longer valid. */
  async findSessionEnded(token: string, request: FleetRequest): Promise<void> {
    await this.#send('/menu/main', { ...request, token }, ({ outcome }) =>
      outcome === '401' ? 'right' : 'wrong'
    )
  }

  async logOut(token: string, request: FleetRequest): Promise<void> {
    await this.#send('/auth/logout', { ...request, method: 'POST', token }, ({ status }) =>
      status === 204 ? 'right' : 'wrong'
    )
  }

  async signOutEverywhere(user: number, token: string, request: FleetRequest): Promise<void> {
    const path = `/screen/user/sign-out?username=${nameOf(user)}`
    await this.#send(path, { ...request, fields: {}, token }, ({ status, body }) =>
      status === 200 && JSON.parse(body).success ? 'right' : 'wrong'
    )
  }

  async #send(
    path: string,
    request: FleetRequest,
    judge: (response: ClientResponse) => Verdict
  ): Promise<ClientResponse> {
    const response = await this.#roundRobin.send(path, request)
    const verdict = judge(response)
    const figures = this.#figures
    figures.requests++
    figures.slowest = Math.max(figures.slowest, response.ms)
    if (verdict !== 'right') figures[verdict]++
    if (verdict === 'refused' || verdict === 'wrong') {
      const { status, body } = response
      if (figures.faults.length < 5) figures.faults.push(`${figures.title}: ${path} ${status} ${body}`)
    }
    return response
  }
}
