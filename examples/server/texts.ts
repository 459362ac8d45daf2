import type { FieldValidation, Locale } from 'fastify-screen-auth/screens'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from './user-store.ts'

/** The format of all screens. Known clients also know `MM-DD-YYYY`, and other separators. */
export const LOCALE: Required<Locale> = {
  date_format: 'DD-MM-YYYY',
  decimal_separator: '.',
  thousand_separator: ','
}

/** The texts that known clients show by themselves. The web client has English texts for its other keys. */
const CLIENT_TEXTS = {
  save_confirm_title: 'Unsaved changes',
  save_confirm_message: 'Save your changes?',
  save_confirm_save: 'Save',
  save_confirm_discard: 'Discard',
  save_confirm_cancel: 'Cancel',
  quit_title: 'Quit',
  quit_message: 'Do you want to quit?',
  quit_yes: 'Yes',
  quit_no: 'No',
  logout: 'Log out',
  created: 'Created.',
  deleted: 'Deleted.',
  saved: 'Saved.',
  saving: 'Saving…',
  loading: 'Loading…',
  cancelled: 'Cancelled.',
  no_changes: 'Nothing has changed.',
  copied: 'Copied',
  error_prefix: 'Error',
  save_error_prefix: 'Not saved',
  login_error: 'The login failed.',
  server_unavailable: 'The server cannot respond now.',
  connecting: 'Connecting…'
}

/**
 * All texts of the screens, except the labels of a contact's fields (contacts.ts). A text has at most 42
 * characters, including the `Error: ` of a rejection, because known clients truncate longer messages.
 */
export const texts = {
  /** Properties of every screen. */
  client: { locale: LOCALE, ui_strings: CLIENT_TEXTS },
  yes: 'Yes',
  no: 'No',
  username: 'Username',
  displayName: 'Display name',
  mainMenu: {
    title: 'Main Menu',
    panel: 'Main',
    account: 'Account',
    directory: 'Directory',
    about: 'About',
    aboutText: 'The example server of fastify-screen-auth.'
  },
  profile: { title: 'Profile', memberSince: 'Member since' },
  password: {
    title: 'Change password',
    changing: 'Changing…',
    section: 'Password',
    current: 'Current password',
    new: 'New password',
    again: 'New password again',
    wrong: 'Current password: wrong.',
    notTheSame: 'New password again: does not match.',
    notNew: 'New password: same as before.',
    notChanged: 'Not changed. Try again later.',
    faults: {
      short: `New password: ${MIN_PASSWORD_LENGTH} characters or more.`,
      long: `New password: max. ${MAX_PASSWORD_LENGTH} characters.`,
      unusable: 'New password: invalid character.'
    },
    blocked: (seconds: number) => `Too many attempts. Wait ${formatDuration(seconds)}.`,
    changed: 'Your password was changed.',
    signedOut: 'Changed. Please log in again everywhere.'
  },
  users: { title: 'Users', none: 'No users found.' },
  user: {
    section: 'User',
    signOut: 'Sign out everywhere',
    confirm: 'End all your sessions?',
    signedOut: 'Signed out everywhere.',
    notOwn: 'You can sign out only yourself.'
  },
  /** Texts of all lists of records. */
  record: {
    section: 'Record',
    id: 'No.',
    changedOn: 'Changed on',
    changedBy: 'Changed by',
    creating: 'Creating…',
    created: 'Created.',
    saved: 'Saved.',
    deleted: 'Deleted.',
    conflict: (by: string, seconds: number) => {
      const ago = `${formatDuration(Math.max(seconds, 1), 'short')} ago.`
      return by === '' ? `Changed ${ago}` : `Changed by ${by.replace(/^(.{9})..+$/u, '$1…')} ${ago}`
    },
    notEditable: 'This field cannot be changed.'
  },
  /** Why a value is invalid, after the label of its field. */
  faults: {
    required: () => 'required',
    character: () => 'invalid character',
    pattern: () => 'unexpected format',
    order: () => 'ends before it begins',
    min: ({ min = 0 }: FieldValidation) => `at least ${min.toLocaleString('en')}`,
    max: ({ max = 0 }: FieldValidation) => `at most ${max.toLocaleString('en')}`,
    min_length: ({ min_length = 0 }: FieldValidation) => `at least ${min_length.toLocaleString('en')} characters`,
    max_length: ({ max_length = 0 }: FieldValidation) => `at most ${max_length.toLocaleString('en')} characters`,
    decimals: ({ decimals = 0 }: FieldValidation) => `at most ${decimals} decimals`,
    Boolean: () => 'neither true nor false',
    Date: () => 'not a date',
    DateRange: () => 'needs a first and a last day',
    Decimal: () => 'not a number like 1.5',
    Email: () => 'not an email address',
    Integer: () => 'not a whole number',
    Option: () => 'not one of the choices',
    Time: () => 'not a time of day',
    URL: () => 'not a web address'
  }
}

/** Formats a duration: in seconds, minutes or hours with at most two digits, otherwise in days. */
function formatDuration(seconds: number, unitDisplay: 'long' | 'short' = 'long'): string {
  const units = { second: 1, minute: 60, hour: 3600, day: 86_400 }
  const [unit, size] = Object.entries(units).find(([, size]) => seconds <= 99 * size) ?? ['day', units.day]
  return new Intl.NumberFormat('en', { style: 'unit', unitDisplay, unit }).format(Math.ceil(seconds / size))
}
