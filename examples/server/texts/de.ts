import type { Message, MessageKey } from 'fastify-screen-auth'
import { LONGEST, SHORTEST } from '../passwords.ts'
import type { Texts } from './en.ts'

/** All texts in German. */
export const de: Texts = {
  locale: 'de',
  username: 'Benutzername',
  displayName: 'Anzeigename',
  login: {
    section: 'Anmeldung',
    password: 'Passwort',
    message: ({ key, seconds = 0 }: Message) =>
      key === 'blocked' ? `Zu viele Versuche. Weiter in ${inWords(seconds)}.` : MESSAGES[key]
  },
  mainMenu: {
    title: 'Hauptmenü',
    panel: 'Start',
    account: 'Konto',
    directory: 'Verzeichnis',
    about: 'Über',
    aboutText: 'Der Beispielserver: fastify-screen-auth.'
  },
  profile: {
    title: 'Profil',
    memberSince: 'Mitglied seit'
  },
  password: {
    title: 'Passwort ändern',
    section: 'Passwort',
    current: 'Aktuelles Passwort',
    new: 'Neues Passwort',
    again: 'Neues Passwort noch einmal',
    notTheSame: 'Die neuen Passwörter sind nicht gleich.',
    faults: {
      short: `Ein Passwort hat mindestens ${SHORTEST} Zeichen.`,
      long: `Ein Passwort hat höchstens ${LONGEST} Zeichen.`,
      unusable: 'Das Passwort hat ein ungültiges Zeichen.'
    },
    changed: 'Das Passwort ist geändert.',
    signedOut: 'Geändert. Bitte überall neu anmelden.',
    notSignedOut: 'Geändert, aber bitte überall abmelden.'
  },
  users: {
    title: 'Benutzer'
  },
  signOut: {
    title: 'Überall abmelden',
    section: 'Alle Sitzungen des Benutzers enden',
    signedOut: 'Überall abgemeldet.'
  }
}

const MESSAGES: Record<Exclude<MessageKey, 'blocked'>, string> = {
  wrong: 'Benutzername oder Passwort ist falsch.',
  incomplete: 'Bitte Benutzername und Passwort eingeben.',
  malformed: 'Die Anfrage ist fehlerhaft.',
  'too-large': 'Die Anfrage ist zu groß.',
  'not-json': 'Die Anfrage muss JSON sein.',
  refused: 'Die Anfrage wurde abgelehnt.',
  unavailable: 'Anmelden geht gerade nicht, bitte später.',
  'no-password': 'Bitte das Passwort eingeben.',
  'wrong-password': 'Das aktuelle Passwort ist falsch.'
}

/** In the largest unit of which there are at least two. */
function inWords(seconds: number): string {
  const [unit, size] = seconds < 120 ? ['second', 1] : seconds < 7200 ? ['minute', 60] : ['hour', 3600]
  return new Intl.NumberFormat('de', { style: 'unit', unitDisplay: 'long', unit }).format(
    Math.ceil(seconds / size)
  )
}
