import type { Message } from 'fastify-screen-auth'
import { LONGEST, SHORTEST } from '../passwords.ts'

/** All texts in English. None has more than 42 characters, because known clients cut a message there. */
export const en = {
  locale: 'en',
  username: 'Username',
  displayName: 'Display name',
  login: {
    section: 'Login',
    password: 'Password',
    // The plugin's own words are English. Only the form for a new password asks for a password once more.
    message: ({ key, text }: Message) => (key === 'wrong-password' ? 'The current password is wrong.' : text)
  },
  mainMenu: {
    title: 'Main Menu',
    panel: 'Main',
    account: 'Account',
    directory: 'Directory',
    about: 'About',
    aboutText: 'The example server of fastify-screen-auth.'
  },
  profile: {
    title: 'Profile',
    memberSince: 'Member since'
  },
  password: {
    title: 'Change password',
    section: 'Password',
    current: 'Current password',
    new: 'New password',
    again: 'New password again',
    notTheSame: 'The two new passwords are not the same.',
    faults: {
      short: `A password has at least ${SHORTEST} characters.`,
      long: `A password has at most ${LONGEST} characters.`,
      unusable: 'The password has an unusable character.'
    },
    changed: 'Your password was changed.',
    signedOut: 'Changed. Please log in again everywhere.',
    notSignedOut: 'Changed, but please sign out everywhere.'
  },
  users: {
    title: 'Users'
  },
  signOut: {
    title: 'Sign out everywhere',
    section: 'All sessions of this user will end',
    signedOut: 'Signed out everywhere.'
  }
}

/** What a language must have: the compiler finds a text that is missing. */
export type Texts = typeof en
