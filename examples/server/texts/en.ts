import type { Message } from 'fastify-screen-auth'
import type { FieldValidation, Locale } from 'fastify-screen-auth/screens'
import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../user-store.ts'

/** The texts of known clients: `ui_strings`. The other texts of our own clients are English already. */
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
  copied: 'Copied.',
  error_prefix: 'Error:',
  save_error_prefix: 'Not saved:',
  login_error: 'The login failed.',
  server_unavailable: 'The server cannot respond now.',
  connecting: 'Connecting…'
}

/**
 * All texts in English. None has more than 42 characters, a refusal with its `Error: ` included, because known clients
 * cut a message there.
 */
export const en = {
  /** As in the header Accept-Language. */
  code: 'en',
  /** What every screen says of the language. */
  language: {
    locale: {
      date_format: 'DD-MM-YYYY',
      decimal_separator: '.',
      thousand_separator: ','
    } as Required<Locale>,
    ui_strings: CLIENT_TEXTS
  },
  yes: 'Yes',
  no: 'No',
  username: 'Username',
  displayName: 'Display name',
  login: {
    section: 'Login',
    password: 'Password',
    // The plugin's own words are English. Only the form for a new password asks for a password once more.
    message: ({ key, text }: Message) => (key === 'wrong-password' ? 'Current password: wrong.' : text)
  },
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
    notTheSame: 'New password again: not the same.',
    faults: {
      short: `New password: ${SHORTEST_PASSWORD} characters or more.`,
      long: `New password: over ${LONGEST_PASSWORD} characters.`,
      unusable: 'New password: unusable character.'
    },
    blocked: (seconds: number) => `Too many attempts. Wait ${inWords('en', seconds)}.`,
    changed: 'Your password was changed.',
    signedOut: 'Changed. Please log in again everywhere.',
    notSignedOut: 'Changed, but please sign out everywhere.'
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
    fields: {
      name: 'Name',
      company: 'Company',
      category: 'Category',
      favourite: 'Favourite',
      email: 'Email',
      phone: 'Phone',
      website: 'Website',
      call_at: 'Call time',
      birthday: 'Birthday',
      away: 'Away',
      team_size: 'Team size',
      hourly_rate: 'Hourly rate',
      notes: 'Notes'
    },
    categories: {
      customer: 'Customer',
      supplier: 'Supplier',
      colleague: 'Colleague',
      friend: 'Friend'
    },
    id: 'No.',
    changedOn: 'Changed on',
    changedBy: 'Changed by',
    created: 'Created.',
    saved: 'Saved.',
    deleted: 'Deleted.',
    gone: 'This contact was deleted.',
    full: 'There are too many contacts.',
    notEditable: 'This field cannot be changed.'
  },
  conflict: {
    you: 'You have saved in between.',
    somebody: 'Somebody has saved in between.',
    other: (username: string) => `${username} has saved in between.`
  },
  /** What is wrong with a field, after `Error: `. */
  faults: {
    required: (label: string) => `${label} is missing.`,
    max_length: (label: string, { max_length }: FieldValidation) => `${label}: at most ${max_length} characters.`,
    character: (label: string) => `${label}: unusable character.`,
    range: (label: string, { min, max }: FieldValidation) => `${label}: from ${min} to ${max}.`,
    ambiguous: (label: string) => `${label}: no point, please.`,
    pattern: (label: string) => `${label}: not in the expected form.`,
    Boolean: (label: string) => `${label}: neither true nor false.`,
    Date: (label: string) => `${label}: not a date.`,
    DateRange: (label: string) => `${label}: a first and a last day.`,
    Decimal: (label: string) => `${label}: not a number.`,
    Email: (label: string) => `${label}: not an address.`,
    Integer: (label: string) => `${label}: not a whole number.`,
    Option: (label: string) => `${label}: none of the choices.`,
    Time: (label: string) => `${label}: not a time of day.`,
    URL: (label: string) => `${label}: not a web address.`
  }
}

/** What a language must have: the compiler finds a text that is missing. */
export type Texts = typeof en

/** Returns at most two digits of seconds or minutes, or else hours. */
export function inWords(language: string, seconds: number): string {
  const [unit, size] = seconds < 100 ? ['second', 1] : seconds <= 5940 ? ['minute', 60] : ['hour', 3600]
  return new Intl.NumberFormat(language, { style: 'unit', unitDisplay: 'long', unit }).format(Math.ceil(seconds / size))
}
