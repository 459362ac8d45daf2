import type { Outcome, RecordedRequest } from './recorded-request.ts'

/** A script for the server: how it responds to the client. */
export type Scenario = 'login' | 'reject-then-login' | 'login-then-expire' | 'start-again' | 'no-auth'

/** In milliseconds. A request for the menu within this time after the login is automatic: no person acts so fast. */
export const AT_ONCE = 1000

/** A state of the scripted server. Every state rejects a login with an empty username or password. */
export interface State {
  /** The server needs no token. */
  auth?: false
  submission?: 'rejected'
  /** A request with the token of the session gets a 401, except a request for the menu right after the login. */
  token?: 'expired'
  /** A response with this outcome completes the state; the next state follows. The last state remains. */
  until: Outcome
}

/** For each scenario, the steps of the person who uses the client, and the states of the server. */
export const scenarios: Record<Scenario, { steps: string; states: readonly State[] }> = {
  login: {
    steps:
      'Start the client, and log in with the values of --username and --password, or with any values. Open an entry of the menu.',
    states: [{ until: 'accepted' }, { until: 'screen' }]
  },
  'reject-then-login': {
    steps:
      'Start the client, and log in with the values of --username and --password, or with any values. The server rejects the first attempt: log in again with the same values. Open an entry of the menu.',
    states: [{ submission: 'rejected', until: 'rejected' }, { until: 'accepted' }, { until: 'screen' }]
  },
  'login-then-expire': {
    steps:
      'Start the client, log in and open an entry of the menu: the server responds with 401. Log in again, and open an entry.',
    states: [{ until: 'accepted' }, { token: 'expired', until: 'expired' }, { until: 'accepted' }, { until: 'screen' }]
  },
  'start-again': {
    steps:
      'Start the client again. If it has stored the token of an earlier login, do not delete that token: it has now expired. Log in and open an entry of the menu.',
    states: [{ until: 'accepted' }, { until: 'screen' }]
  },
  'no-auth': {
    steps: 'Start the client. It must show the menu and no login form. Open an entry of the menu.',
    states: [{ auth: false, submission: 'rejected', until: 'screen' }]
  }
}

export interface ScriptedResponse {
  status: number
  body?: object
}

/** @param user the name in the menu and the screens; undefined in the no-auth mode */
export function responseTo({ outcome, path, token, authAction }: RecordedRequest, user?: string): ScriptedResponse {
  const display = user === undefined ? {} : { user_display_name: user }
  const items = ['first', 'second'].map(which => ({
    label: `Open the ${which} screen`,
    action: { type: 'open_screen', url: `/screen/${which}` }
  }))
  const panel = { panel_title: 'Conformance', tabs: [{ label: 'Screens', items }] }
  const menu = { layout: 'Menu', title: 'Main Menu', ...display, menu: panel }
  const field = (id: string, label: string, type: string) => ({ id, label, type, value: '' })
  const fields = [field('username', 'Benutzername', 'Text'), field('password', 'Kennwort', 'Password')]
  const sections = [{ id: 'login', label: 'Anmeldung', fields }]
  const form = { layout: 'Card', title: 'Conformance', auth_action: authAction, sections }
  const failure = (error: string) => ({ success: false, token: null, error, screen: null })
  const responses: Record<Outcome, ScriptedResponse> = {
    menu: { status: 200, body: menu },
    screen: { status: 200, body: { layout: 'Card', title: path, ...display, sections: [] } },
    form: user === undefined ? { status: 404 } : { status: 200, body: form },
    accepted: { status: 200, body: { success: true, token, error: null, screen: menu } },
    rejected: { status: 200, body: failure('Unbekannter Benutzer oder falsches Kennwort. Bitte noch einmal.') },
    'malformed login': { status: 400, body: failure('This is not a submission of the form.') },
    unauthorized: { status: 401 },
    expired: { status: 401 },
    ignored: { status: 204 }
  }
  return responses[outcome]
}
