/** Section of the login form (contract 2.6). */
export const LOGIN_SECTION = {
  id: 'login',
  label: 'Login',
  fields: [
    { id: 'username', label: 'Username', type: 'Text', value: '' },
    { id: 'password', label: 'Password', type: 'Password', value: '' }
  ]
}

/** Response to `GET /auth/login` (contract 2.6). */
export const LOGIN_FORM = {
  layout: 'Card',
  title: 'Demo Company',
  auth_action: '/auth/login',
  sections: [LOGIN_SECTION]
}

/** A main menu. The host decides what `menu` contains. */
export const MAIN_MENU = {
  layout: 'Menu',
  title: 'Main Menu',
  menu: {
    panel_title: 'Main',
    tabs: [
      {
        label: 'Start',
        items: [{ label: 'Profile', action: { type: 'open_screen', url: '/screen/profile' } }]
      }
    ]
  },
  user_display_name: 'Ada Lovelace'
}

/** Body of `POST /auth/login` (contract 2.1). */
export const CREDENTIALS = { fields: { username: 'ada', password: 'correct horse' } }

/** Response to valid credentials (contract 4, rule 4). */
export const ACCEPTED = { success: true, token: 'the-token-of-ada', error: null, screen: MAIN_MENU }

/** Response to invalid credentials (contract 4, rule 5). */
export const REJECTED = failure('Wrong username or password.')

/** Response after too many failed logins. */
export const BLOCKED = failure('Too many attempts. Try again in 15 minutes')

/** A response without a token, with the message that the client shows. */
export function failure(error: string) {
  return { success: false, token: null, error, screen: null }
}
