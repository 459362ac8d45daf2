import type { Answer } from '../soak/client.ts'
import type { Figures } from './figures.ts'
import { displayNameOf, nameOf, PASSWORD } from './fleet.ts'
import type { Question, RoundRobin } from './round-robin.ts'

/** What an answer is: as it should be, a "later" where that is allowed, a refusal of what should pass, or wrong. */
type Verdict = 'right' | 'postponed' | 'refused' | 'wrong'

/** What the users of the cluster do, each answer of which is judged and counted. */
export class Users {
  readonly #roundRobin: RoundRobin
  readonly #figures: Figures
  readonly #mayWait: boolean

  /** @param mayWait whether "later" is a right answer, because Redis is down at times */
  constructor(roundRobin: RoundRobin, figures: Figures, mayWait = false) {
    this.#roundRobin = roundRobin
    this.#figures = figures
    this.#mayWait = mayWait
  }

  /** Logs in with the right password. @returns the token, or null when it should wait */
  async logIn(user: number, question: Question = {}): Promise<string | null> {
    const fields = { username: nameOf(user), password: PASSWORD }
    const answer = await this.#ask('/auth/login', { ...question, fields }, ({ outcome }) => {
      if (outcome === 'accepted') return 'right'
      if (this.#mayWait && /^refused 5\d\d$/.test(outcome)) return 'postponed'
      return /^(rejected|blocked|refused \d+)$/.test(outcome) ? 'refused' : 'wrong'
    })
    return answer.outcome === 'accepted' ? JSON.parse(answer.body).token : null
  }

  /** Fails to log in: with a wrong password, or because the login is blocked. */
  async failToLogIn(user: number, why: 'wrong password' | 'blocked', question: Question): Promise<void> {
    const [password, expected] = why === 'blocked' ? [PASSWORD, 'blocked'] : ['wrong', 'rejected']
    const fields = { username: nameOf(user), password }
    await this.#ask('/auth/login', { ...question, fields }, ({ outcome }) =>
      outcome === expected ? 'right' : 'wrong'
    )
  }

  /** Asks for the menu with a token that is good. */
  async openMenu(user: number, token: string, question: Question = {}): Promise<void> {
    await this.#ask('/menu/main', { ...question, token }, ({ status, headers, body }) => {
      if (status === 200)
        return JSON.parse(body).user_display_name === displayNameOf(user) ? 'right' : 'wrong'
      if (status === 401) return 'refused'
      return this.#mayWait && status === 503 && headers['retry-after'] !== undefined ? 'postponed' : 'wrong'
    })
  }

  /** Asks for the menu with a token that was good. */
  async findSessionEnded(token: string, question: Question): Promise<void> {
    await this.#ask('/menu/main', { ...question, token }, ({ outcome }) =>
      outcome === '401' ? 'right' : 'wrong'
    )
  }

  async logOut(token: string, question: Question): Promise<void> {
    await this.#ask('/auth/logout', { ...question, method: 'POST', token }, ({ status }) =>
      status === 204 ? 'right' : 'wrong'
    )
  }

  async signOutEverywhere(user: number, token: string, question: Question): Promise<void> {
    const path = `/screen/users/sign-out?username=${nameOf(user)}`
    await this.#ask(path, { ...question, fields: {}, token }, ({ status, body }) =>
      status === 200 && JSON.parse(body).success ? 'right' : 'wrong'
    )
  }

  async #ask(path: string, question: Question, judge: (answer: Answer) => Verdict): Promise<Answer> {
    const answer = await this.#roundRobin.ask(path, question)
    const verdict = judge(answer)
    const figures = this.#figures
    figures.requests++
    figures.slowest = Math.max(figures.slowest, answer.ms)
    if (verdict !== 'right') figures[verdict]++
    if (verdict === 'refused' || verdict === 'wrong') {
      const { status, body } = answer
      if (figures.faults.length < 5) figures.faults.push(`${figures.title}: ${path} ${status} ${body}`)
    }
    return answer
  }
}
