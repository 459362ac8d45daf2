import type { Message, MessageKey } from 'fastify-screen-auth'
import { LONGEST, SHORTEST } from '../passwords.ts'
import { CLIENT_TEXTS } from './de-client.ts'
import { inWords } from './duration.ts'
import type { Texts } from './en.ts'

/** All texts in German. */
export const de: Texts = {
  code: 'de',
  language: {
    locale: { date_format: 'DD-MM-YYYY', decimal_separator: ',', thousand_separator: '.' },
    ui_strings: CLIENT_TEXTS
  },
  yes: 'Ja',
  no: 'Nein',
  username: 'Benutzername',
  displayName: 'Anzeigename',
  login: {
    section: 'Anmeldung',
    password: 'Passwort',
    message: ({ key, seconds = 0 }: Message) =>
      key === 'blocked' ? `Zu viele Versuche. Weiter in ${inWords('de', seconds)}.` : MESSAGES[key]
  },
  mainMenu: {
    title: 'Hauptmenü',
    panel: 'Start',
    contacts: 'Kontakte',
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
    notTheSame: 'Die Passwörter sind nicht gleich.',
    faults: {
      short: `Bitte mindestens ${SHORTEST} Zeichen.`,
      long: `Bitte höchstens ${LONGEST} Zeichen.`,
      unusable: 'Es hat ein ungültiges Zeichen.'
    },
    blocked: seconds => `Zu oft: bitte ${inWords('de', seconds)} warten.`,
    changed: 'Das Passwort ist geändert.',
    signedOut: 'Geändert. Bitte überall neu anmelden.',
    notSignedOut: 'Geändert, aber bitte überall abmelden.'
  },
  users: {
    title: 'Benutzer',
    none: 'Keine Benutzer gefunden.'
  },
  user: {
    section: 'Person',
    signOut: 'Überall abmelden',
    confirm: 'Alle eigenen Sitzungen beenden?',
    signedOut: 'Überall abgemeldet.',
    notOwn: 'Das geht nur mit eigenen Sitzungen.'
  },
  contact: {
    title: 'Kontakte',
    add: 'Neuer Kontakt',
    none: 'Keine Kontakte gefunden.',
    sections: {
      contact: 'Kontakt',
      details: 'Einzelheiten',
      record: 'Datensatz'
    },
    fields: {
      name: 'Name',
      company: 'Firma',
      category: 'Kategorie',
      favourite: 'Favorit',
      email: 'E-Mail',
      phone: 'Telefon',
      website: 'Webseite',
      call_at: 'Anrufzeit',
      birthday: 'Geburtstag',
      away: 'Abwesend',
      team_size: 'Teamgröße',
      hourly_rate: 'Stundensatz',
      notes: 'Notizen'
    },
    categories: {
      customer: 'Kundschaft',
      supplier: 'Lieferant',
      colleague: 'Kollegium',
      friend: 'Freundeskreis'
    },
    id: 'Nr.',
    changedOn: 'Geändert am',
    changedBy: 'Geändert von',
    created: 'Angelegt.',
    saved: 'Gespeichert.',
    deleted: 'Gelöscht.',
    gone: 'Dieser Kontakt wurde gelöscht.',
    full: 'Es gibt zu viele Kontakte.',
    notEditable: 'Dieses Feld ist nicht änderbar.'
  },
  conflict: {
    you: 'Inzwischen anderswo gespeichert.',
    somebody: 'Jemand hat inzwischen gespeichert.',
    other: username => `Gespeichert hat soeben ${username}.`
  },
  faults: {
    required: label => `${label} fehlt.`,
    max_length: (label, { max_length }) => `${label}: höchstens ${max_length} Zeichen.`,
    character: label => `${label}: ungültiges Zeichen.`,
    range: (label, { min, max }) => `${label}: von ${min} bis ${max}.`,
    ambiguous: label => `${label}: bitte ohne Punkt.`,
    pattern: label => `${label}: unerwartete Schreibweise.`,
    Boolean: label => `${label}: weder ja noch nein.`,
    Date: label => `${label}: kein Datum.`,
    DateRange: label => `${label}: erster und letzter Tag.`,
    Decimal: label => `${label}: keine Zahl.`,
    Email: label => `${label}: keine Adresse.`,
    Integer: label => `${label}: keine ganze Zahl.`,
    Option: label => `${label}: keine der Möglichkeiten.`,
    Time: label => `${label}: keine Uhrzeit.`,
    URL: label => `${label}: keine Webadresse.`
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
