import type { ClientResponse } from '../soak/client.ts'
import { EndedSession } from './ended-session.ts'
import { blame, type Figures } from './figures.ts'
import { displayNameOf, nameOf, PASSWORD } from './fleet.ts'
import type { FleetRequest, RoundRobin } from './round-robin.ts'

/**
 * A response is right, a "later" where that is allowed, a refusal of a valid request, one to a session that has ended,
 * or otherwise wrong.
 */
type Verdict = 'right' | 'postponed' | 'refused' | 'letIn' | 'wrong'

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

  /** Asks for the menu with a valid token. @returns whether the response is the menu */
  async openMenu(user: number, token: string, request: FleetRequest = {}): Promise<boolean> {
    const response = await this.#send('/menu/main', { ...request, token }, response => {
      const { status, body } = response
      if (status === 200)
        return JSON.parse(body).user_display_name === displayNameOf(user) ? 'right' : 'wrong'
      if (status === 401) return 'refused'
      return this.#isPostponed(response) ? 'postponed' : 'wrong'
    })
    return response.status === 200
  }

  /** Asks for the menu with a session that has ended. @returns the status */
  async use(session: EndedSession, member: number): Promise<number> {
    const sent = performance.now()
    const { status } = await this.#send('/menu/main', { token: session.token, member }, response => {
      if (response.status === 200) return session.believe(member, sent) ? 'right' : 'letIn'
      session.refuse(member, sent)
      if (response.outcome === '401') return 'right'
      return this.#isPostponed(response) ? 'postponed' : 'wrong'
    })
    return status
  }

  /** Asks for the menu with a session that has ended until it is refused, or let in when it may no longer be believed. */
  async untilRefused(session: EndedSession, member: number): Promise<void> {
    for (let isOver = false; !isOver; ) {
      isOver = !session.mayBelieve(member, performance.now())
      if ((await this.use(session, member)) !== 200) return
    }
  }

  async logOut(token: string, member: number): Promise<EndedSession> {
    await this.#send('/auth/logout', { method: 'POST', token, member }, ({ status }) =>
      status === 204 ? 'right' : 'wrong'
    )
    return new EndedSession(token, member)
  }

  /** @param token of a session of the user */
  async signOutEverywhere(user: number, token: string, member: number): Promise<EndedSession> {
    const path = `/screen/user/sign-out?username=${nameOf(user)}`
    await this.#send(path, { fields: {}, token, member }, ({ status, body }) =>
      status === 200 && JSON.parse(body).success ? 'right' : 'wrong'
    )
    return new EndedSession(token, member)
  }

  #isPostponed({ status, headers }: ClientResponse): boolean {
    return this.#mayWait && status === 503 && headers['retry-after'] !== undefined
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
    if (verdict === 'postponed') figures.postponed++
    else if (verdict !== 'right')
      blame(figures, `${path} ${response.status} ${response.body.slice(0, 80)}`, verdict)
    return response
  }
}
