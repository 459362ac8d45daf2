// The languages of the example server: what people read is in the one that they ask for.

import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { TEXTS } from '../../../client/texts.ts'
import { LANGUAGES } from '../../../examples/server/language.ts'
import { refusal } from '../../../examples/server/screens/cards.ts'
import { de } from '../../../examples/server/texts/de.ts'
import { en } from '../../../examples/server/texts/en.ts'
import type { Message } from '../../../lib/index.ts'
import { ENGLISH } from '../../../lib/login/messages.ts'
import { bearer } from '../../helpers.ts'
import { DEMO, type Json } from '../process.ts'
import { sessionTokens, startExample } from './in-process.ts'

/** Known clients cut a message after so many characters. */
const LONGEST = 42

const GERMAN = { 'accept-language': 'de-AT,de;q=0.9,en;q=0.8' }
const NEW_PASSWORD = {
  current_password: DEMO.password,
  new_password: 'new-password',
  repeat_password: 'new-password'
}

/** All texts within an object, by where they are, but for the functions. */
function textsIn(value: object, path = ''): Map<string, string> {
  return new Map(
    Object.entries(value).flatMap(([key, value]): [string, string][] => {
      if (typeof value === 'string') return [[`${path}/${key}`, value]]
      return typeof value === 'object' ? [...textsIn(value, `${path}/${key}`)] : []
    })
  )
}

/** Every message that the plugin can say. */
function* messages(): Generator<Message> {
  for (const [key, text] of Object.entries(ENGLISH)) yield { key: key as keyof typeof ENGLISH, text }
  // Seconds, minutes and hours, up to four weeks.
  for (let seconds = 1; seconds < 28 * 86_400; seconds += seconds < 7300 ? 1 : 3000)
    yield { key: 'blocked', text: 'Too many tries.', seconds }
}

for (const texts of LANGUAGES) {
  t.test(`no text is longer than known clients show, ${texts.code}`, async t => {
    const said = [...messages()].map(message => texts.login.message(message))
    const all = [...textsIn({ ...texts, language: texts.language.ui_strings }).values(), ...said]
    t.ok(all.length > 7000)
    t.strictSame(
      all.filter(text => text.length > LONGEST || text.trim() === ''),
      []
    )
  })
}

for (const texts of LANGUAGES) {
  t.test(
    `no refusal of a password is longer with its mark than known clients show, ${texts.code}`,
    async t => {
      const { faults, notTheSame, blocked } = texts.password
      const refused = [...Object.values(faults), notTheSame, blocked(119), blocked(120), blocked(28 * 86_400)]
      for (const key of ['no-password', 'wrong-password'] as const)
        refused.push(texts.login.message({ key, text: ENGLISH[key] }))
      t.strictSame(
        refused.filter(text => refusal(text).length > LONGEST),
        []
      )
    }
  )
}

for (const { code, faults, contact } of LANGUAGES) {
  t.test(`a number that could be two is refused in few words, ${code}`, async t => {
    t.ok(refusal(faults.ambiguous(contact.fields.hourly_rate)).length <= LONGEST)
  })
}

t.test('every German text is another one than the English, but for the name', async t => {
  const german = textsIn(de)
  const same = [...textsIn(en)].filter(([path, text]) => german.get(path) === text)
  t.strictSame(same, [
    ['/language/locale/date_format', 'DD-MM-YYYY'],
    ['/contact/fields/name', 'Name']
  ])
})

t.test('every text that the session says by itself is there in German', async t => {
  const german = de.language.ui_strings
  t.strictSame(
    Object.keys(TEXTS).filter(key => !(key in german)),
    []
  )
})

t.test('the texts of known clients are on every screen in its language, ours on a German one', async t => {
  const { $defs } = JSON.parse(
    readFileSync(new URL('../../../schemas/known-screen.schema.json', import.meta.url), 'utf8')
  )
  const known = Object.keys($defs.UiStrings.properties)
  const german = await startExample(t, { enabled: false }, GERMAN)
  const english = await startExample(t, { enabled: false })
  for (const path of ['/menu/main', '/screen/contacts', '/screen/contact?id=1', '/screen/contacts/new']) {
    const strings = (await german.getJson(path)).ui_strings
    t.match(strings, { logout: 'Abmelden', save: 'Speichern', log_in: 'Anmelden' }, path)
    t.strictSame(
      known.filter(key => !(key in strings)),
      []
    )
    t.strictSame(Object.keys((await english.getJson(path)).ui_strings), known, path)
  }
})

t.test('the German message says in how many seconds, minutes or hours to try again', async t => {
  const say = (seconds: number) => de.login.message({ key: 'blocked', text: '', seconds })
  t.equal(say(1), 'Zu viele Versuche. Weiter in 1 Sekunde.')
  t.equal(say(119), 'Zu viele Versuche. Weiter in 119 Sekunden.')
  t.equal(say(120), 'Zu viele Versuche. Weiter in 2 Minuten.')
  t.equal(say(7200), 'Zu viele Versuche. Weiter in 2 Stunden.')
  t.equal(say(7201), 'Zu viele Versuche. Weiter in 3 Stunden.')
})

/** The language in which the login form comes, after a look whether it is. */
async function languageFor(t: Test, accepted?: string, language?: string): Promise<unknown> {
  const headers = accepted === undefined ? {} : { 'accept-language': accepted }
  const { get } = await startExample(t, {}, headers, language)
  const response = await get('/auth/login')
  const said = response.headers['content-language']
  t.equal(response.json().sections[0].label, said === 'de' ? 'Anmeldung' : 'Login')
  return said
}

t.test('the language is the one of the header that the person likes best', async t => {
  for (const [header, locale] of [
    ['de', 'de'],
    ['de-CH', 'de'],
    ['DE', 'de'],
    ['en;q=0.4, de;q=0.5', 'de'],
    ['de;q=0.4, en;q=0.5', 'en'],
    ['fr, de;q=0.1', 'de'],
    ['en-GB, de;q=0.9', 'en']
  ] as const)
    t.equal(await languageFor(t, header), locale, header)
})

t.test('the language is English when there is none that the person likes', async t => {
  t.equal(await languageFor(t), 'en', 'no header')
  for (const header of ['', '*', 'fr', 'de;q=0', ';;;', 'x'.repeat(5000), 'Deutsch', 'constructor'])
    t.equal(await languageFor(t, header), 'en', header)
})

t.test('the language of the server is for clients that want no other', async t => {
  t.equal(await languageFor(t, undefined, 'de'), 'de', 'no header')
  for (const header of ['', '*', 'fr']) t.equal(await languageFor(t, header, 'de'), 'de', header)
  for (const header of ['en', 'fr, en;q=0.1']) t.equal(await languageFor(t, header, 'de'), 'en', header)
})

t.test('every response with texts names their language', async t => {
  const { app, get, logIn } = await startExample(t, { tokens: sessionTokens() }, GERMAN)
  const { token } = await logIn()
  for (const path of ['/menu/main', '/screen/users', '/screen/contact?id=1'])
    t.equal((await get(path, token)).headers['content-language'], 'de', path)
  const headers = { ...GERMAN, ...bearer(token) }
  for (const url of ['/auth/login', '/screen/user/sign-out?username=demo']) {
    const { headers: sent } = await app.inject({ method: 'POST', url, headers, payload: {} })
    t.equal(sent['content-language'], 'de', url)
  }
  for (const path of ['/', '/web/app.js', '/menu/main'])
    t.notOk('content-language' in (await get(path)).headers, path)
})

t.test('only the beginning of a long header is read', async t => {
  t.equal(await languageFor(t, `de;q=0.1,${'x,'.repeat(5000)}`), 'de')
  t.equal(await languageFor(t, `${'x,'.repeat(5000)}de`), 'en')
})

t.test('the login form is in German', async t => {
  const { getJson } = await startExample(t, {}, GERMAN)
  const { ui_strings, ...form } = await getJson('/auth/login')
  t.match(ui_strings, { log_in: 'Anmelden' })
  t.strictSame(form, {
    layout: 'Card',
    title: 'Demo Company',
    auth_action: '/auth/login',
    locale: { date_format: 'DD-MM-YYYY', decimal_separator: ',', thousand_separator: '.' },
    sections: [
      {
        id: 'login',
        label: 'Anmeldung',
        fields: [
          { id: 'username', label: 'Benutzername', type: 'Text', value: '' },
          { id: 'password', label: 'Passwort', type: 'Password', value: '' }
        ]
      }
    ]
  })
})

t.test('the messages of the login are in German', async t => {
  const { logIn, post } = await startExample(t, {}, GERMAN)
  const wrong = { ...DEMO, password: 'wrong' }
  t.equal((await logIn({ ...DEMO, password: '' })).error, 'Bitte Benutzername und Passwort eingeben.')
  t.match(await post('/auth/login', { fields: { username: 7 } }), {
    code: 400,
    error: 'Die Anfrage ist fehlerhaft.'
  })
  t.equal((await logIn(wrong)).error, 'Benutzername oder Passwort ist falsch.')
  for (let i = 0; i < 9; i++) await logIn(wrong)
  t.equal((await logIn(wrong)).error, 'Zu viele Versuche. Weiter in 15 Minuten.')
})

t.test('every screen is in German', async t => {
  const { getJson, logIn } = await startExample(t, { tokens: sessionTokens() }, GERMAN)
  const { token, screen } = await logIn()
  t.strictSame(await getJson('/menu/main', token), screen)
  const screens = [screen]
  for (const path of [
    'profile',
    'password',
    'users',
    'user?username=demo',
    'contacts',
    'contact?id=1',
    'contacts/new'
  ])
    screens.push(await getJson(`/screen/${path}`, token))
  for (const { locale } of screens) t.match(locale, { decimal_separator: ',' })
  const english = new Set(textsIn(en).values())
  t.strictSame([...new Set(labelsIn(screens).filter(label => english.has(label)))], ['Name'])
  t.match(labelsIn(screens), ['Hauptmenü', 'Start', 'Kontakte', 'Kontakte', 'Neuer Kontakt', 'Konto'])
})

/** What a person reads on screens, but for the values. */
function labelsIn(json: Json): string[] {
  const isLabel = (key: string) => /label|title|^text$|message/.test(key)
  return Object.entries(json).flatMap(([key, value]) => {
    if (key === 'ui_strings') return []
    if (typeof value === 'object' && value !== null) return labelsIn(value)
    return isLabel(key) && value !== '' ? [value as string] : []
  })
}

t.test('what is said of a saved Card is in German', async t => {
  const { logIn, post, save } = await startExample(t, { tokens: sessionTokens() }, GERMAN)
  const { token } = await logIn()
  const change = async (fields: object) =>
    (await save('/screen/password', { ...NEW_PASSWORD, ...fields }, token)).status
  t.equal(await change({ repeat_password: 'other' }), 'Error: Die Passwörter sind nicht gleich.')
  t.equal(await change({ new_password: 'x', repeat_password: 'x' }), 'Error: Bitte mindestens 8 Zeichen.')
  for (let i = 0; i < 10; i++)
    t.equal(await change({ current_password: 'wrong' }), 'Error: Das aktuelle Passwort ist falsch.')
  t.equal(await change({}), 'Error: Zu oft: bitte 15 Minuten warten.')
  t.match(await post('/screen/user/sign-out?username=ada', {}, token), {
    error: 'Das geht nur mit eigenen Sitzungen.'
  })
  t.match(await post('/screen/user/sign-out?username=demo', {}, token), { message: 'Überall abgemeldet.' })
})

t.test('who has saved a contact in between is told in German', async t => {
  const { getJson, logIn, save, users } = await startExample(t, {}, GERMAN)
  const ada = { username: 'ada', password: 'a-password' }
  await users.add({ username: ada.username, displayName: 'Ada' }, ada.password)
  const [demo, other] = [(await logIn()).token, (await logIn(ada)).token]
  const { actions } = await getJson('/screen/contact?id=1', demo)
  t.equal((await save(actions.save, { company: 'A' }, other)).status, 'Gespeichert.')
  t.equal((await save(actions.save, { company: 'B' }, demo)).status, 'Error: Gespeichert hat soeben ada.')
  t.equal(
    (await save(actions.save, { company: 'B' }, other)).status,
    'Error: Inzwischen anderswo gespeichert.'
  )
})

t.test('a changed password is told in German', async t => {
  const { logIn, save } = await startExample(t, { tokens: sessionTokens() }, GERMAN)
  const { token } = await logIn()
  t.equal(
    (await save('/screen/password', NEW_PASSWORD, token)).status,
    'Geändert. Bitte überall neu anmelden.'
  )
})

t.test('the menu is in German in the no-auth mode, too', async t => {
  const { getJson } = await startExample(t, { enabled: false }, GERMAN)
  t.match(await getJson('/menu/main'), {
    locale: { decimal_separator: ',' },
    menu: { tabs: [{ label: 'Kontakte' }, { label: 'Verzeichnis' }] }
  })
})

t.test('a cache is told that the response depends on the language', async t => {
  const { get, logIn } = await startExample(t)
  const { token } = await logIn()
  for (const path of ['/auth/login', '/menu/main', '/screen/users'])
    t.match((await get(path, token)).headers.vary, /accept-language/i, path)
})
