import { session } from './session.js'

/** What the page says by itself. A screen may bring another language in its `ui_strings`, under the same keys. */
const TEXTS = {
  log_in: 'Log in',
  logging_in: 'Logging in…',
  logout: 'Log out',
  save: 'Save',
  saving: 'Saving…',
  new: 'New',
  create: 'Create',
  creating: 'Creating…',
  delete: 'Delete',
  cancel: 'Cancel',
  close: 'Close',
  yes: 'Yes',
  no: 'No',
  show: 'Show',
  hide: 'Hide',
  choose: 'Choose…',
  from: 'From',
  to: 'To',
  main_menu: 'Main menu',
  back: 'Back',
  open: 'Open',
  connecting: 'Starting…',
  offline: 'No connection',
  failed: 'Something went wrong',
  stay_logged_in: 'You stay logged in.',
  try_again: 'Try again',
  trying_again: 'Trying again…',
  trying_again_in: 'Trying again in',
  nothing_here: 'Nothing here yet.',
  empty_menu: 'This menu is empty.',
  empty_screen: 'This screen is empty.',
  unknown_layout: 'This client cannot draw the layout',
  help: 'Help',
  keys: 'Keys',
  key_move: 'Move in a list or menu',
  key_ends: 'To its beginning or end',
  key_open: 'Open',
  key_tabs: 'Change the tab',
  key_back: 'Back',
  key_save: 'Save',
  key_help: 'This help'
}

/**
 * A text of the page, in the language of the server where it has one.
 *
 * @param {keyof typeof TEXTS} key
 */
export function text(key) {
  return session.strings.get(key) ?? TEXTS[key]
}
