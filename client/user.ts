// The token, its user and the user's unsaved changes: what begins with a login, and ends with the session.
import { type Draft, exampleOf, readDraft } from './form.ts'
import { changesIn, type Event, type Next, textOf } from './model.ts'
import { readLogin } from './service.ts'
import type { Message } from './state.ts'

/** Takes the token, the user and the draft from the stores. */
export function readStores(next: Next, { login, draft: stored }: Event & { type: 'read' }): void {
  ;[next.token, next.user] = readLogin(login)
  next.menu = null
  next.displayName = ''
  const draft = readDraft(stored)
  // Only the same user gets the unsaved changes. In the no-auth mode there is no user. In another language, the text of
  // a number can be another number.
  const isReadable = [undefined, exampleOf(next.site.locale)].includes(draft?.format)
  const isOwn = draft?.user === next.user && isReadable && (next.user !== '' || next.token === null)
  if (draft && !isOwn) next.lost = { user: draft.user, labels: [], text: 'were_lost' }
  keepDraft(next, isOwn ? draft : null)
}

/** Sets the token and its user. Drops the name and the unsaved changes of the previous user, but keeps the goal. */
export function setToken(next: Next, token: string | null, user = ''): void {
  const { shown, wanted, site } = next
  // Counts as a request, because a `start()` that is reading the store would otherwise restore the token.
  next.requests += 1
  loseChanges(next)
  if (next.token !== null) {
    const url = wanted?.url ?? ('path' in shown && shown.name !== 'login' && shown.path)
    const isGoal = url && url !== site.menuPath
    if (isGoal) next.goal = url
    // An earlier goal keeps its user.
    if (isGoal || next.goalUser === null) next.goalUser = next.user
  }
  next.token = token
  next.user = user
  next.menu = null
  next.displayName = ''
  next.ended = null
  keepDraft(next, null)
}

/** Remembers that unsaved changes are lost. During a save, nobody knows. */
export function loseChanges(next: Next, labels = changesIn(next), user = next.user): void {
  const { shown, draft } = next
  if (labels.length > 0 || draft)
    next.lost = { user, labels, text: shown.busy === 'saving' ? 'maybe_saved' : 'were_lost' }
}

/** Drops the token after a 401 or a logout. The next login form shows the notice, and what the user typed there. */
export function endSession(next: Next, user?: string, notice = next.wanted?.message): void {
  setToken(next, null)
  const ended: Message = { kind: 'info', text: textOf(next, 'session_ended') }
  next.ended = { user, notice: notice?.text ? notice : ended }
  next.effects.push({ type: 'write', store: 'tokens', text: null })
}

/** Keeps the unsaved changes, and stores them with the user. */
export function keepDraft(next: Next, draft: Draft | null): void {
  const text = draft && JSON.stringify({ ...draft, user: next.user })
  next.draft = draft
  next.effects.push({ type: 'write', store: 'drafts', text })
}

/** Returns the message about lost changes. Names the fields only to the user who has changed them. */
export function messageOfLost(next: Next, before = ''): Message | null {
  const { lost, user, token } = next
  if (lost === null) return null
  const labels = token === null || (user && user === lost.user) ? lost.labels : []
  const text = `${before} ${textOf(next, lost.text)}`.trim()
  return { kind: 'info', text: `${[text, labels.join(', ')].filter(Boolean).join(': ')}.` }
}
