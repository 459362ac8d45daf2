// The screens that docs/clients.md shows are those of the reference server.
import t from 'tap'
import { DEMO, type Json, startServer } from '../examples/process.ts'
import { readPage } from './page.ts'
import { tokenOf } from './program.ts'

t.test('the form, the menu and the list are as the reference server sends them', async t => {
  const { url } = await startServer(t, {})
  const headers = { authorization: `Bearer ${await tokenOf(url, DEMO.username, DEMO.password)}` }
  const shown = readPage('docs/clients.md').samples.filter(({ language }) => language === 'json')
  const sent = []
  for (const path of ['/auth/login', '/menu/main', '/screen/users']) {
    const { ui_strings, ...screen } = (await (await fetch(url + path, { headers })).json()) as Json
    t.type(ui_strings, 'object')
    sent.push(screen)
  }
  t.strictSame(
    shown.map(({ code }) => JSON.parse(code)).filter(({ layout }) => layout !== undefined),
    sent
  )
})
