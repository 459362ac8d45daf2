import type { Message, MessageKey } from 'fastify-screen-auth'
import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../user-store.ts'
import { inWords, type Texts } from './en.ts'

/** The texts that clients show by themselves: `ui_strings`. Without them our own clients are English. */
const CLIENT_TEXTS = {
  save_confirm_title: 'Ungespeichert',
  save_confirm_message: 'Die Änderungen speichern?',
  save_confirm_save: 'Speichern',
  save_confirm_discard: 'Verwerfen',
  save_confirm_cancel: 'Abbrechen',
  quit_title: 'Beenden',
  quit_message: 'Wirklich beenden?',
  quit_yes: 'Ja',
  quit_no: 'Nein',
  logout: 'Abmelden',
  created: 'Angelegt.',
  deleted: 'Gelöscht.',
  saved: 'Gespeichert.',
  saving: 'Wird gespeichert …',
  loading: 'Wird geladen …',
  cancelled: 'Abgebrochen.',
  no_changes: 'Es hat sich nichts geändert.',
  copied: 'Kopiert.',
  error_prefix: 'Fehler:',
  save_error_prefix: 'Nicht gespeichert:',
  login_error: 'Die Anmeldung ist fehlgeschlagen.',
  server_unavailable: 'Der Server kann gerade nicht antworten.',
  connecting: 'Verbindung wird aufgebaut …',
  // Of our own clients only.
  session_ended: 'Die Sitzung ist zu Ende. Bitte anmelden.',
  logged_out: 'Abgemeldet.',
  unreachable: 'Der Server ist nicht erreichbar.',
  not_found: 'Unter dieser Adresse gibt es nichts.',
  refused: 'Der Server hat das abgelehnt.',
  not_a_screen: 'Diese Antwort ist hier nicht darstellbar.',
  foreign: 'Ein fremder Server. Nichts gesendet.',
  done: 'Erledigt.',
  maybe_saved: 'Keine Antwort. Bitte erneut versuchen.',
  restored: 'Die ungespeicherten Änderungen sind da.',
  changed_meanwhile: 'Inzwischen anderswo geändert:',
  ask_unsaved: 'Gehen, ohne zu speichern?',
  ask_delete: 'Wirklich löschen?',
  leave: 'Gehen',
  unknown_action: 'Unbekannte Aktion:',
  log_in: 'Anmelden',
  logging_in: 'Anmeldung läuft …',
  save: 'Speichern',
  new: 'Neu',
  create: 'Anlegen',
  creating: 'Wird angelegt …',
  delete: 'Löschen',
  cancel: 'Abbrechen',
  close: 'Schließen',
  yes: 'Ja',
  no: 'Nein',
  show: 'Anzeigen',
  hide: 'Verbergen',
  main_menu: 'Hauptmenü',
  back: 'Zurück',
  try_again: 'Noch einmal versuchen',
  trying_again: 'Neuer Versuch …',
  trying_again_in: 'Neuer Versuch in',
  stay_logged_in: 'Sie bleiben angemeldet.',
  offline: 'Keine Verbindung',
  failed: 'Etwas ist schiefgegangen',
  nothing_here: 'Hier ist nichts.',
  empty_menu: 'Dieses Menü ist leer.',
  empty_screen: 'Hier steht nichts.',
  unknown_layout: 'Unbekannte Darstellung:',
  open: 'Öffnen',
  help: 'Hilfe',
  keys: 'Tasten',
  key_move: 'bewegen',
  key_ends: 'an den Anfang, ans Ende',
  key_open: 'öffnen',
  key_back: 'zurück',
  key_save: 'speichern',
  key_help: 'Hilfe',
  key_tabs: 'Reiter wechseln',
  choose: 'Bitte wählen',
  from: 'Von',
  to: 'Bis',
  open_in_browser: 'Im Browser öffnen:'
}

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
  profile: { title: 'Profil', memberSince: 'Mitglied seit' },
  password: {
    title: 'Passwort ändern',
    section: 'Passwort',
    current: 'Aktuelles Passwort',
    new: 'Neues Passwort',
    again: 'Neues Passwort noch einmal',
    notTheSame: 'Die Passwörter sind nicht gleich.',
    faults: {
      short: `Bitte mindestens ${SHORTEST_PASSWORD} Zeichen.`,
      long: `Bitte höchstens ${LONGEST_PASSWORD} Zeichen.`,
      unusable: 'Es hat ein ungültiges Zeichen.'
    },
    blocked: seconds => `Zu oft: bitte ${inWords('de', seconds)} warten.`,
    changed: 'Das Passwort ist geändert.',
    signedOut: 'Geändert. Bitte überall neu anmelden.',
    notSignedOut: 'Geändert, aber bitte überall abmelden.'
  },
  users: { title: 'Benutzer', none: 'Keine Benutzer gefunden.' },
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
    sections: { contact: 'Kontakt', details: 'Einzelheiten', record: 'Datensatz' },
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
