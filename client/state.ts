// The states of a session, for a view to draw.
import type { Values } from './form.ts'
import type { Screen } from './screen.ts'

/** The properties of every state. */
interface Common {
  /** False before the login, and always in the no-auth mode. */
  isLoggedIn: boolean
  /** Whether `open()` can open a screen: false while the session starts, and before the login. */
  canOpen: boolean
  /** Whether there are unsaved changes. */
  hasChanges: boolean
  /** The name of the user, even if the shown screen has no name; empty if unknown. */
  displayName: string
  /** The running request: `loading` fetches a screen, `saving` sends a form or a button and may change data. */
  busy: 'loading' | 'saving' | null
  message: Message | null
}

/** There is no screen to show yet. */
export interface Starting extends Common {
  name: 'starting'
  busy: 'loading'
  message: null
}

/** A screen, and the values of its inputs. */
export interface WithScreen extends Common {
  screen: Screen
  /** The address of the screen, as path and query, for `open()`. */
  path: string
  /** The language of the screen (`Content-Language`), for example `de`; empty if unknown. */
  language: string
  values: Values
}

/** The login form or another Card with an `auth_action`. After a rejection or a logout, it has a message. */
export interface Login extends WithScreen {
  name: 'login'
  /** When the lockout of this user ends, in milliseconds since 1970; null if there is no lockout. */
  retryAt: number | null
}

/** The menu or another screen. */
export interface Shown extends WithScreen {
  name: 'screen'
  /** Whether "back" must skip the previous screen, because this screen replaces it, for example after a save. */
  replaces: boolean
  /** The values that others have saved in fields where the person has typed another value. */
  theirs: Values
}

/** A request has failed or was cancelled, and there is no screen to show. The session keeps the token. */
export interface Failed extends Common {
  name: 'failed'
  message: Message
  path: string | null
  /** The status of the response, for example 404; 0 without a response. */
  status: number
  /** Whether the server could not be reached. */
  isOffline: boolean
  /** When the session retries, in milliseconds since 1970; null if it does not retry. `retry()` retries at once. */
  retryAt: number | null
}

/** A state of the session. */
export type State = Starting | Login | Shown | Failed

/** The properties of a state that the session computes. */
type Derived = 'isLoggedIn' | 'canOpen' | 'hasChanges' | 'displayName'
/** A state without the computed properties. */
export type Given = Omit<Starting, Derived> | Omit<Login, Derived> | Omit<Shown, Derived> | Omit<Failed, Derived>

/** A message for the person. */
export interface Message {
  /** `error` is a refusal or a failure. */
  kind: 'error' | 'success' | 'info'
  text: string
  /** The id of the field that the message is about. */
  field?: string
  /** The method of the session that may help. */
  help?: 'retry' | 'reload'
}

/** A yes-or-no question to the person. */
export interface Question {
  about: 'unsaved' | 'delete' | 'action'
  text: string
  /** The consequence of yes; may be empty. */
  details: string
  /** The text of the button for yes. */
  label: string
}
