// The languages of the example server: people get the texts in the language that they request.

import { readFileSync } from 'node:fs'
import t from 'tap'
import { TEXTS } from '../../../client/texts.ts'
import { LANGUAGES } from '../../../examples/server/language.ts'
import { refusal } from '../../../examples/server/screens/cards.ts'
import { de } from '../../../examples/server/texts/de.ts'
import { en } from '../../../examples/server/texts/en.ts'
import type { Message } from '../../../lib/index.ts'
import { ENGLISH } from '../../../lib/login/messages.ts'
import { DEMO } from '../process.ts'
import { GERMAN, sessionTokens, startExample, textsIn } from './in-process.ts'

/** Known clients truncate a message after this number of characters. */
const LONGEST = 42

/** Yields every message of the plugin. */
function* messages(): Generator<Message> {
  for (const [key, text] of Object.entries(ENGLISH)) yield { key: key as keyof typeof ENGLISH, text }
  // Seconds, minutes and hours, up to four weeks.
  for (let seconds = 1; seconds < 28 * 86_400; seconds += seconds < 7300 ? 1 : 3000)
    yield { key: 'blocked', text: 'Too many attempts.', seconds }
}

for (const texts of LANGUAGES) {
  t.test(`no text, and no refusal with its prefix, is longer than known clients show, ${texts.code}`, async t => {
    const loginTexts = [...messages()].map(message => texts.login.message(message))
    const { faults, notTheSame, blocked } = texts.password
    const refusals = [
      ...Object.values(faults),
      notTheSame,
      ...[99, 5940, 28 * 86_400].map(blocked),
      ...(['no-password', 'wrong-password'] as const).map(key => texts.login.message({ key, text: ENGLISH[key] })),
      texts.faults.ambiguous(texts.contact.fields.hourly_rate)
    ].map(refusal)
    const all = [...textsIn({ ...texts, language: texts.language.ui_strings }).values(), ...loginTexts, ...refusals]
    t.ok(all.length > 7000)
    const wrong = all.filter(text => text.length > LONGEST || text.trim() === '')
    t.strictSame(wrong, [])
  })
}

t.test('every German text differs from the English one, except the date format and one label', async t => {
  const german = textsIn(de)
  const same = [...textsIn(en)].filter(([path, text]) => german.get(path) === text)
  t.strictSame(same, [
    ['/language/locale/date_format', 'DD-MM-YYYY'],
    ['/contact/fields/name', 'Name']
  ])
})

t.test('ui_strings has every text that clients show by themselves', async t => {
  const schema = new URL('../../../schemas/known-screen.schema.json', import.meta.url)
  const known = Object.keys(JSON.parse(readFileSync(schema, 'utf8')).$defs.UiStrings.properties)
  t.strictSame(Object.keys(en.language.ui_strings), known)
  const german = de.language.ui_strings
  // Our own clients have English defaults for the texts in TEXTS.
  const missing = [...known, ...Object.keys(TEXTS)].filter(key => !(key in german))
  t.strictSame(missing, [])
})

t.test('the German message gives the waiting time in seconds, minutes or hours', async t => {
  for (const [seconds, wait] of [
    [1, '1 Sekunde'],
    [99, '99 Sekunden'],
    [100, '2 Minuten'],
    [5940, '99 Minuten'],
    [7200, '2 Stunden'],
    [7201, '3 Stunden']
  ] as const)
    t.equal(de.login.message({ key: 'blocked', text: '', seconds }), `Zu viele Versuche. Weiter in ${wait}.`)
})

t.test('the language is the preferred one of Accept-Language, or the default of the server', async t => {
  const long = 'x,'.repeat(5000)
  for (const [own, expected, ...headers] of [
    ['en', 'de', 'de', 'de-CH', 'DE', 'en;q=0.4, de;q=0.5', 'fr, de;q=0.1', `de;q=0.1,${long}`],
    ['en', 'en', 'de;q=0.4, en;q=0.5', 'en-GB, de;q=0.9', '', '*', 'fr', 'de;q=0', ';;;', 'Deutsch', 'constructor'],
    // Only the beginning of a long header is read.
    ['en', 'en', undefined, `${long}de`],
    ['de', 'de', undefined, '', '*', 'fr'],
    ['de', 'en', 'en', 'fr, en;q=0.1']
  ] as const) {
    const { app } = await startExample(t, {}, {}, own)
    for (const header of headers) {
      const response = await app.inject({
        url: '/auth/login',
        ...(header !== undefined && { headers: { 'accept-language': header } })
      })
      t.equal(response.headers['content-language'], expected, header?.slice(0, 20) ?? 'no header')
      t.equal(response.json().sections[0].label, expected === 'de' ? 'Anmeldung' : 'Login')
    }
  }
})

t.test('only responses with texts have a Content-Language header', async t => {
  const { app, get, logIn } = await startExample(t, {}, GERMAN)
  const { token } = await logIn()
  t.equal((await get('/menu/main', token)).headers['content-language'], 'de')
  const posted = await app.inject({ method: 'POST', url: '/auth/login', headers: GERMAN, payload: {} })
  t.equal(posted.headers['content-language'], 'de')
  for (const path of ['/', '/web/app.js', '/menu/main']) t.notOk('content-language' in (await get(path)).headers, path)
})

t.test('login messages are in German on request', async t => {
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

t.test('messages about a new password and a sign-out are in German on request', async t => {
  const { logIn, post, save } = await startExample(t, { tokens: sessionTokens() }, GERMAN)
  let { token } = await logIn()
  const change = async (current_password: string, new_password = 'new-password', repeat_password = new_password) =>
    (await save('/screen/password', { current_password, new_password, repeat_password }, token)).status
  t.equal(await change(DEMO.password, 'one', 'other'), 'Error: Neues Passwort noch einmal: anders.')
  t.equal(await change(DEMO.password, 'x'), 'Error: Neues Passwort: ab 8 Zeichen.')
  t.equal(await change(DEMO.password), 'Geändert. Bitte überall neu anmelden.')
  token = (await logIn({ ...DEMO, password: 'new-password' })).token
  for (let i = 0; i < 10; i++) t.equal(await change('wrong'), 'Error: Aktuelles Passwort: falsch.')
  t.equal(await change('new-password'), 'Error: Zu oft: bitte 15 Minuten warten.')
  const signOut = (username: string) => post(`/screen/user/sign-out?username=${username}`, {}, token)
  t.match(await signOut('ada'), { error: 'Das geht nur mit eigenen Sitzungen.' })
  t.match(await signOut('demo'), { message: 'Überall abgemeldet.' })
})
