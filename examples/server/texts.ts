import type { FieldValidation } from 'fastify-screen-auth/screens'
import { LOCALE } from './locale.ts'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from './user-store.ts'

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
 * All texts of the screens, except the labels of a contact's fields (contacts/fields.ts). A text has at most 42
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
    contacts: 'Contacts',
    account: 'Account',
    directory: 'Directory',
    about: 'About',
    aboutText: 'The example server of fastify-screen-auth.'
  },
  profile: { title: 'Profile', memberSince: 'Member since' },
  password: {
    title: 'Change password',
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
  contact: {
    title: 'Contacts',
    add: 'New contact',
    none: 'No contacts found.',
    sections: { contact: 'Contact', details: 'Details', record: 'Record' },
    id: 'No.',
    changedOn: 'Changed on',
    changedBy: 'Changed by',
    created: 'Created.',
    saved: 'Saved.',
    deleted: 'Deleted.',
    conflict: 'Changed by others. Reload to go on.',
    gone: 'This contact was deleted.',
    notEditable: 'This field cannot be changed.'
  },
  /** Messages about an invalid field, after `Error: `. */
  faults: {
    required: (label: string) => `${label}: required.`,
    max_length: (label: string, { max_length }: FieldValidation) => `${label}: at most ${max_length} characters.`,
    character: (label: string) => `${label}: invalid character.`,
    range: (label: string, { min, max }: FieldValidation) => `${label}: from ${min} to ${max}.`,
    pattern: (label: string) => `${label}: unexpected format.`,
    Boolean: (label: string) => `${label}: neither true nor false.`,
    Date: (label: string) => `${label}: not a date.`,
    DateRange: (label: string) => `${label}: needs a first and a last day.`,
    Decimal: (label: string) => `${label}: not a number.`,
    Email: (label: string) => `${label}: not an email address.`,
    Integer: (label: string) => `${label}: not a whole number.`,
    Option: (label: string) => `${label}: not one of the choices.`,
    Time: (label: string) => `${label}: not a time of day.`,
    URL: (label: string) => `${label}: not a web address.`
  }
}

/** Formats a duration: in seconds or minutes with at most two digits, otherwise in hours. */
function formatDuration(seconds: number): string {
  const [unit, size] = seconds < 100 ? ['second', 1] : seconds <= 5940 ? ['minute', 60] : ['hour', 3600]
  return new Intl.NumberFormat('en', { style: 'unit', unitDisplay: 'long', unit }).format(Math.ceil(seconds / size))
}
