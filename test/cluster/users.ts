import type { Figures } from './figures.ts'
import { displayNameOf, nameOf, PASSWORD } from './fleet.ts'
import type { Answer, Question, RoundRobin } from './round-robin.ts'

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
    const answer = await this.#ask('/auth/login', { ...question, fields }, ({ status, body }) => {
      if (!isAuthResponse(body)) return 'wrong'
      if (body.success) return status === 200 ? 'right' : 'wrong'
      return this.#mayWait && status >= 500 ? 'postponed' : 'refused'
    })
    return answer.body?.token ?? null
  }

  /** Fails to log in: with a wrong password, or because the login is blocked. */
  async failToLogIn(user: number, why: 'wrong password' | 'blocked', question: Question): Promise<void> {
    const password = why === 'blocked' ? PASSWORD : 'wrong'
    await this.#ask('/auth/login', { ...question, fields: { username: nameOf(user), password } }, answer => {
      const { status, body, retryAfter } = answer
      const isRejection = status === 200 && isAuthResponse(body) && !body.success
      return isRejection && (retryAfter !== undefined) === (why === 'blocked') ? 'right' : 'wrong'
    })
  }

  /** Asks for the menu with a token that is good. */
  async openMenu(user: number, token: string, question: Question = {}): Promise<void> {
    await this.#ask('/menu/main', { ...question, token }, ({ status, body, retryAfter }) => {
      if (status === 200) return body.user_display_name === displayNameOf(user) ? 'right' : 'wrong'
      if (status === 401) return 'refused'
      return this.#mayWait && status === 503 && retryAfter !== undefined ? 'postponed' : 'wrong'
    })
  }

  /** Asks for the menu with a token that was good. */
  async findSessionEnded(token: string, question: Question): Promise<void> {
    await this.#ask('/menu/main', { ...question, token }, ({ status }) =>
      status === 401 ? 'right' : 'wrong'
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
      status === 200 && body.success ? 'right' : 'wrong'
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
      if (figures.faults.length < 5)
        figures.faults.push(`${figures.title}: ${path} ${status} ${JSON.stringify(body)}`)
    }
    return answer
  }
}

// biome-ignore lint/suspicious/noExplicitAny: looked into to see what it is
function isAuthResponse(body: any): boolean {
  const isFull = ['success', 'token', 'error', 'screen'].every(key => body !== null && key in body)
  return isFull && body.success === (body.error === null) && body.success === (typeof body.token === 'string')
}
