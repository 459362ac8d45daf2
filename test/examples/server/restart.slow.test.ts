// What is still there when the server is started again.

import t from 'tap'
import { bearer, SECRET } from '../../helpers.ts'
import { DEMO, freshDatabase, type Json, post, save, startServer } from '../process.ts'

t.test('with the same secret a token outlives a restart; with a random one it does not', async t => {
  const database = freshDatabase(t)
  for (const [secret, status] of [
    [{ SVC_AUTH_SECRET: SECRET }, 200],
    [{}, 401]
  ] as const) {
    const before = await startServer(t, { ...database, ...secret })
    const { token } = await post(before, '/auth/login', DEMO)
    await before.stop()
    const after = await startServer(t, { ...database, ...secret })
    t.equal((await fetch(`${after.url}/menu/main`, { headers: bearer(token) })).status, status)
    await after.stop()
  }
})

t.test('a changed password outlives a restart, and the login is then not shown', async t => {
  const database = freshDatabase(t)
  const before = await startServer(t, database)
  const { token } = await post(before, '/auth/login', DEMO)
  const changes = {
    current_password: DEMO.password,
    new_password: 'new-password',
    repeat_password: 'new-password'
  }
  await save(before, '/screen/password', changes, bearer(token))
  await before.stop()
  const after = await startServer(t, database)
  t.equal((await post(after, '/auth/login', { ...DEMO, password: 'new-password' })).success, true)
  await after.stop()
  t.notMatch(after.output.stdout, /Log in as/)
})

t.test('a contact outlives a restart, and the samples are not added again', async t => {
  const database = freshDatabase(t)
  const noLogin = { ...database, SVC_AUTH: 'false' }
  const before = await startServer(t, noLogin)
  const open = async (path: string) => (await (await fetch(before.url + path)).json()) as Json
  const { create } = (await open('/screen/contacts/new')).actions
  const made = await save(before, create, { name: 'Zoë' })
  await save(before, (await open('/screen/contact?id=1')).actions.delete, {})
  await before.stop()
  const after = await startServer(t, noLogin)
  const { lines } = (await (await fetch(`${after.url}/screen/contacts`)).json()) as Json
  t.equal(lines.row_count, 5)
  t.match(await (await fetch(`${after.url}/screen/contact?id=${made.record_id}`)).json(), { title: 'Zoë' })
})
