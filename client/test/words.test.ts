// The texts of the server are kept, so that a person reads their language while it is down.

import t from 'tap'
import { CARD, MENU, sessionAt, shownAt } from './session-at.ts'

const ui_strings = { unreachable: 'Nicht erreichbar.', save: 'Speichern' }
const down = new TypeError('fetch failed')
const german = () => Response.json({ ...MENU, ui_strings }, { headers: { 'content-language': 'de' } })

t.test('what a screen has brought is there at the next start, before anything is requested', async t => {
  const { store, session } = await shownAt('/menu/main', { 'GET /menu/main': german })
  t.strictSame(JSON.parse(store.words as string), { language: 'de', strings: ui_strings })
  t.equal(session.language, 'de')
  const next = await shownAt('/menu/main', { 'GET /menu/main': down }, { words: store.words })
  t.equal(next.state().message.text, 'Nicht erreichbar.')
  t.equal(next.session.language, 'de')
  t.equal(next.session.strings.get('save'), 'Speichern')
})

t.test('it is written only when it is another one, and cleared when a screen has none', async t => {
  const writes: string[] = []
  const strings = { read: () => null, write: (text: string) => writes.push(text), clear: () => writes.push('cleared') }
  const { session } = await shownAt('/menu/main', { 'GET /menu/main': german }, { strings })
  await session.open('/menu/main')
  t.equal(writes.length, 1)
  await session.open('/card')
  t.strictSame(writes.slice(1), ['cleared'])
  t.equal(session.language, 'de', 'the language of the last screen that had one')
  const { store } = await shownAt('/card', { 'GET /menu/main': CARD }, { words: '{"language":"de","strings":{}}' })
  t.equal(store.words, null)
})

t.test('whatever was stored, the session starts', async t => {
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
