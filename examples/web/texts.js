import { format } from 'screen-auth-client'
import { LANGUAGES, session } from './session.js'

/** @import { Field } from 'screen-auth-client' */
/** @typedef {keyof typeof TEXTS} TextKey */

/** The texts of the page, in English. */
const TEXTS = {
  log_in: 'Log in',
  logging_in: 'Logging in…',
  logout: 'Log out',
  save: 'Save',
  saving: 'Saving…',
  unsaved: 'Unsaved changes',
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
  breadcrumb: 'Breadcrumb',
  account: 'Account',
  back: 'Back',
  open: 'Open',
  open_Phone: 'Call {0}',
  open_Email: 'Write to {0}',
  open_URL: 'Open {0}',
  filter: 'Filter',
  entry: '{0} entry',
  entries: '{0} entries',
  searching: 'Searching…',
  loading: 'Loading…',
  connecting: 'Starting…',
  offline: 'No connection',
  failed: 'Something went wrong',
  not_found_title: 'Not found',
  stay_logged_in: 'You stay logged in.',
  try_again: 'Try again',
  try_again_in: 'Try again in {0}',
  hours: '{0} hours',
  minutes: '{0} minutes',
  seconds: '{0} seconds',
  trying_again: 'Trying again…',
  trying_again_in: 'Trying again in {0} s',
  load_theirs: 'Reload, keep mine',
  theirs: 'Theirs: {0}',
  use_theirs: 'Use theirs',
  nothing: 'nothing',
  nothing_here: 'Nothing here yet.',
  nothing_found: 'Nothing found for “{0}”.',
  empty_menu: 'This menu is empty.',
  empty_screen: 'This screen is empty.',
  unknown_layout: 'This client does not support the layout',
  fault_required: 'Required.',
  fault_character: 'Invalid character.',
  fault_Integer: 'Not a whole number.',
  fault_Decimal: 'Not a number like {0}.',
  fault_Date: 'Not a date.',
  fault_DateRange: 'Needs a first and a last day.',
  fault_Time: 'Not a time of day.',
  fault_Email: 'Not an email address.',
  fault_URL: 'Not a web address.',
  fault_Option: 'Not one of the choices.',
  fault_order: 'Ends before it begins.',
  fault_min: 'At least {0}.',
  fault_max: 'At most {0}.',
  fault_min_length: 'At least {0} characters.',
  fault_max_length: 'At most {0} characters.',
  fault_pattern: 'Unexpected format.',
  keys: 'Keyboard shortcuts',
  key_move: 'Move within a list or menu',
  key_ends: 'Move to the first or last item',
  key_filter: 'Filter a list, Enter opens the first result',
  key_back: 'Leave a field, then go back; stop loading',
  key_help: 'This help'
}

/**
 * Returns a text of the page. The `ui_strings` of a screen can replace it, under the same key.
 *
 * @param {TextKey} key
 * @param {string | number} [value] replaces `{0}`; a number has the format of the person
 */
export function text(key, value = '') {
  const inserted = typeof value === 'number' ? format({ type: 'Decimal' }, `${value}`, LANGUAGES) : value
  return (session.strings.get(key) || TEXTS[key]).replace('{0}', () => inserted)
}

/**
 * Returns a message for the place of its field, without the label: `Not a number.` for `Rate: not a number.`
 *
 * @type {(message: string, fields: Field[], id: string) => string}
 */
export function withoutLabel(message, fields, id) {
  const { length = 0 } = fields.find(field => field.id === id)?.label ?? ''
  const [, first = '', rest] = /^\s*[:：–—-]\s*(.)(.*)/su.exec(message.slice(length)) ?? []
  return rest === undefined ? message : first.toLocaleUpperCase() + rest
}
