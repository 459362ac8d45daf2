// What a session sends to the server, and what it asks the person.
import { type Command, change, type Next, type Purpose, type ScreenRequest, STARTING, textOf } from './model.ts'
import type { Given, Question, Shown } from './state.ts'

/** Sends a request with the token. The session ignores the responses to earlier requests, except a 401. */
export function send(next: Next, purpose: Purpose, url: string, body?: object): void {
  const { shown, site } = next
  if (body) next.wanted = null
  next.again = null
  const busy = body || purpose.type === 'check' ? 'saving' : 'loading'
  if ('screen' in shown) change(next, { busy, message: null })
  else if (shown.name === 'failed') change(next, { busy, retryAt: null })
  next.requests += 1
  const token = url === site.loginPath && !body ? null : next.token
  const request = { id: next.requests, url, token, body, purpose }
  next.effects.push({ type: 'send', request })
}

export function load(next: Next, wanted: ScreenRequest): void {
  next.wanted = wanted
  send(next, { type: 'open', wanted }, wanted.url)
}

/** Requests the first screen: the main menu (contract 4 rule 1), or the login form after a 401. */
export function loadFirst(next: Next, url = next.site.menuPath): void {
  next.shown = STARTING
  load(next, { url, isFirst: true })
}

/** The request that fetches a shown screen again. */
export function sameScreen({ path, screen }: Pick<Shown, 'path' | 'screen'>): ScreenRequest {
  return { url: path, replaces: true, isNew: screen.actions.create !== '' }
}

/**
 * Whether the person has answered all questions about a command with yes. Asks the next question otherwise. The first
 * one is about unsaved changes, if the command may lose them.
 */
export function isConfirmed(next: Next, command: Command, mayLose: boolean, others: Question[] = []): boolean {
  const [text, details, label] = [textOf(next, 'ask_unsaved'), textOf(next, 'changes_lost'), textOf(next, 'leave')]
  const questions = mayLose ? [{ about: 'unsaved' as const, text, details, label }, ...others] : others
  const question = questions[command.answered ?? 0]
  if (question) next.effects.push({ type: 'ask', question, command, before: next.shown })
  return question === undefined
}

/** Whether the session still shows the same screen and values; the message may differ. */
export function isUnchanged(before: Given, shown: Given): boolean {
  const keys = ['name', 'screen', 'values', 'busy'] as (keyof Given)[]
  return keys.every(key => before[key] === shown[key])
}
