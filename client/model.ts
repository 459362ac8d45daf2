// What a session knows, what can happen to it, and what it then does. `step` (step.ts) leads from one model to the next.
import { changedFields, type Draft } from './form.ts'
import type { Menu, Screen, ScreenAction } from './screen.ts'
import type { Result, Site } from './service.ts'
import type { Given, Login, Message, Question, Shown, State } from './state.ts'
import { TEXTS, type TextKey } from './texts.ts'

/** Everything that a session knows. It is never changed: each event leads to a new model. */
export interface Model {
  readonly site: Site
  shown: Given
  token: string | null
  /** Identifies the user: the values that were typed at the login, except passwords; empty if unknown. */
  user: string
  displayName: string
  menu: Menu | null
  strings: ReadonlyMap<string, string>
  draft: Draft | null
  /** The user who has lost unsaved changes, and the labels of the fields, until a screen tells the next user. */
  lost: { user: string; labels: string[]; text: 'were_lost' | 'maybe_saved' } | null
  /** For the next login form: a message, and the user whose session has expired. */
  ended: { notice: Message; user: string | undefined } | null
  /** The screen to open after the menu. */
  goal: string | null
  /** The only user who is led to the goal; null for every user, empty for no user. */
  goalUser: string | null
  /** The request for a screen that is loading. */
  wanted: ScreenRequest | null
  /** What `retry()` and the return of the network repeat. */
  again: Command | null
  /** Counts the requests, because the session handles only the response to the last request. */
  requests: number
  /** The number of consecutive failures. */
  failures: number
}

/** A request for a screen, and how to show that screen. */
export interface ScreenRequest {
  url: string
  replaces?: boolean
  /** Shown with the screen, unless the screen has its own message. That message gets this kind, unless it is an error. */
  message?: Message
  /** Whether the new screen keeps the unsaved changes. */
  keeps?: boolean
  /** Whether the screen is the Card for a new record. */
  isNew?: boolean
  /** Whether this is the first screen after a start or a login. Replaces what was shown. The goal follows. */
  isFirst?: boolean
}

/** What a person asks for. `answered` is the number of questions that the person has answered with yes. */
export type Command = { answered?: number } & (
  | { type: 'submit' }
  | { type: 'open'; wanted: ScreenRequest }
  | { type: 'save'; action?: 'save' | 'create' | 'delete' | undefined }
  | { type: 'act'; action: ScreenAction; fields: Record<string, string> }
  | { type: 'logOut' }
)

/** What can happen to a session. */
export type Event =
  | Command
  | { type: 'start'; url: string | undefined }
  | { type: 'enter'; values: Record<string, string> }
  | { type: 'tell'; message: Message | null }
  | { type: 'retry' | 'cancel' | 'due' | 'online' }
  | { type: 'read'; request: number; login: string | null | undefined; draft: string | null | undefined }
  | { type: 'answer'; command: Command; isYes: boolean; before: Given }
  | { type: 'response'; request: Request; result: Result }
  | { type: 'token'; text: string | null }

/** Why a request is sent: for a command, or to check whether a saved password has ended the session. */
export type Purpose =
  | Exclude<Command, { type: 'logOut' }>
  | { type: 'check'; result: Result; screen: Screen; wanted: ScreenRequest }

/** A request to the server. */
export interface Request {
  id: number
  url: string
  token: string | null
  body: object | undefined
  purpose: Purpose
}

/** What a session does after an event. */
export type Effect =
  | { type: 'read'; request: number }
  | { type: 'watch' }
  | { type: 'write'; store: 'tokens' | 'drafts'; text: string | null }
  | { type: 'send'; request: Request }
  | { type: 'ask'; question: Question; command: Command; before: Given }
  | { type: 'logOut'; token: string }

/** The next model while a step makes it. */
export interface Next extends Model {
  effects: Effect[]
  /** In milliseconds since 1970. */
  now: number
  /** From 0 to 1. */
  random: number
}

export const STARTING: Given = { name: 'starting', busy: 'loading', message: null }

/** The model before the start. */
export function firstModel(site: Site): Model {
  return {
    site,
    shown: STARTING,
    token: null,
    user: '',
    displayName: '',
    menu: null,
    strings: new Map(),
    draft: null,
    lost: null,
    ended: null,
    goal: null,
    goalUser: null,
    wanted: null,
    again: null,
    requests: 0,
    failures: 0
  }
}

/** The state that a view draws. */
export function stateOf(model: Model): State {
  const { shown, token, displayName } = model
  const { name } = shown
  const isLoggedIn = token !== null
  const canOpen = name === 'login' ? isLoggedIn : name !== 'starting'
  return { ...shown, isLoggedIn, canOpen, hasChanges: changesIn(model).length > 0, displayName }
}

/** The labels of the fields with unsaved changes. */
export function changesIn({ shown, site }: Model): string[] {
  if (shown.name !== 'screen') return []
  return changedFields(shown.screen, shown.values, site.locale).map(({ label }) => label)
}

/** Returns a text in the server's words, or in English. */
export function textOf({ strings }: Pick<Model, 'strings'>, key: TextKey): string {
  return strings.get(key) || TEXTS[key]
}

/** Shows the current state with some properties replaced. */
export function change(
  next: Next,
  properties: Partial<Omit<Login, 'name'> | Omit<Shown, 'name'> | { retryAt: null }>
): void {
  next.shown = { ...next.shown, ...properties } as Given
}

export function showMessage(next: Next, message: Message | null): void {
  change(next, { message, busy: null })
}
