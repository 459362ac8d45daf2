// The session stores the server's texts, so that a person can read them while the server is down.

import t from 'tap'
import { CARD, MENU, sessionAt, shownAt } from './session-at.ts'

const ui_strings = { unreachable: 'Nicht erreichbar.', save: 'Speichern' }
const down = new TypeError('fetch failed')
const german = () => Response.json({ ...MENU, ui_strings }, { headers: { 'content-language': 'de' } })

t.test('the texts of a screen are available at the next start, before the first response', async t => {
  const { store, session } = await shownAt('/menu/main', { 'GET /menu/main': german })
  t.strictSame(JSON.parse(store.words as string), { language: 'de', strings: ui_strings })
  t.equal(session.language, 'de')
  const next = await shownAt('/menu/main', { 'GET /menu/main': down }, { words: store.words })
  t.equal(next.state().message.text, 'Nicht erreichbar.')
  t.equal(next.session.language, 'de')
  t.equal(next.session.strings.get('save'), 'Speichern')
})

t.test('texts are written only if they have changed, and cleared by a screen without texts', async t => {
  const writes: string[] = []
  const strings = { read: () => null, write: (text: string) => writes.push(text), clear: () => writes.push('cleared') }
  const { session } = await shownAt('/menu/main', { 'GET /menu/main': german }, { strings })
  await session.open('/menu/main')
  t.equal(writes.length, 1)
  await session.open('/card')
  t.strictSame(writes.slice(1), ['cleared'])
  t.equal(session.language, 'de', 'the language is that of the last screen with one')
  const { store } = await shownAt('/card', { 'GET /menu/main': CARD }, { words: '{"language":"de","strings":{}}' })
  t.equal(store.words, null)
})

t.test('the session starts with any stored texts', async t => {
  for (const words of ['', 'x', 'null', '7', '{}', '[]', '{"language":{"toString":1}}', '{"strings":{"saved":{}}}']) {
    const { state, session } = await shownAt('/menu/main', { 'GET /menu/main': down }, { words })
    t.match(state(), { name: 'failed', message: { text: 'The server cannot be reached.' } }, words)
    t.equal(session.language, '')
    for (const text of session.strings.values()) t.type(text, 'string')
  }
  const strings = { read: () => Promise.reject(new Error('no')), write() {}, clear() {} }
  const { session, state } = sessionAt({}, { token: 'abc', strings })
  await session.start()
  t.equal(state().name, 'screen')
})
