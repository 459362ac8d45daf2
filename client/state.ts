// What a view draws.
import type { Values } from './form.ts'
import type { Screen } from './screen.ts'

/** What every state has. */
interface Common {
  /** False before the login, and always in the no-auth mode. */
  isLoggedIn: boolean
  /** Whether a screen can be opened: not before the login. */
  canOpen: boolean
  /** Whether something was typed that is not saved. */
  hasChanges: boolean
  /** The name of the user, also on screens without one; empty when it is not known. */
  displayName: string
  /** What is waited for: `loading` changes nothing at the server, `saving` (a form or a button is sent) may. */
  busy: 'loading' | 'saving' | null
  message: Message | null
}

/** Nothing to show yet. */
export interface Starting extends Common {
  name: 'starting'
  busy: 'loading'
  message: null
}

/** A screen, and what was typed into it. */
export interface WithScreen extends Common {
  screen: Screen
  /** Where it lives, as path and query: what `open()` takes. */
  path: string
  /** The language of the screen, for example `de`; empty when the server does not say (Content-Language). */
  language: string
  values: Values
}

/** The login form, or another Card with an `auth_action`; with a message after a rejection or a logout, for example. */
export interface Login extends WithScreen {
  name: 'login'
  /** Until when the server checks no password of this user, in milliseconds since 1970; null when it does. */
  retryAt: number | null
}

/** The menu or another screen. */
export interface Shown extends WithScreen {
  name: 'screen'
  /** Whether it came in the place of the screen before, so that "back" must not lead there: it was saved, for example. */
  replaces: boolean
  /** The values that others have saved since, of fields in which something else was typed. */
  theirs: Values
}

/** There is no screen to show. The token is kept. */
export interface Failed extends Common {
  name: 'failed'
  message: Message
  path: string | null
  /** Of the response, for example 404; 0 when there is none. */
  status: number
  /** Whether nothing came at all. */
  isOffline: boolean
  /** When the session tries again, in milliseconds since 1970; null when it does not. `retry()` tries at once. */
  retryAt: number | null
}

/** What to show. */
export type State = Starting | Login | Shown | Failed

/** The properties of a state that follow from the others, and from the session. */
type Derived = 'isLoggedIn' | 'canOpen' | 'hasChanges' | 'displayName'
/** A state without them. */
export type Given = Omit<Starting, Derived> | Omit<Login, Derived> | Omit<Shown, Derived> | Omit<Failed, Derived>

/** A message for the person. */
export interface Message {
  /** `error` is a refusal or a failure. */
  kind: 'error' | 'success' | 'info'
  text: string
  /** The id of the field that it is about. */
  field?: string
  /** The method of the session that may help. */
  help?: 'retry' | 'reload'
}

/** A question to the person, with yes or no for a reply. */
export interface Question {
  about: 'unsaved' | 'delete' | 'action'
  text: string
  /** What follows from a yes; may be empty. */
  details: string
  /** The text of the button for yes. */
  label: string
}
