// The database cannot be used any more while the server runs.

import { createClient } from '@libsql/client'
import t from 'tap'
import { freshDatabase, startServer } from '../process.ts'

t.test('clients may try again, and only the log says why', async t => {
  const { SVC_DATABASE_URL } = freshDatabase(t)
  const server = await startServer(t, { SVC_DATABASE_URL, SVC_AUTH: 'false' })
  const database = createClient({ url: SVC_DATABASE_URL })
  await database.execute('ALTER TABLE contacts RENAME TO away')
  const read = () => fetch(`${server.url}/screen/contacts`)
  const save = () =>
    fetch(`${server.url}/screen/contact/save?id=1&version=1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"changes":{"company":"typed"}}'
    })
  for (const send of [read, save]) {
    const response = await send()
    t.equal(response.status, 503)
    t.match(response.headers.get('retry-after'), /^\d+$/)
    t.equal(await response.text(), '')
  }
  await server.says(/SVC_DATABASE_URL: cannot use file:\S+users\.db \(SQLITE_ERROR\)/)
  await database.execute('ALTER TABLE away RENAME TO contacts')
  database.close()
  t.match(await (await save()).json(), { status: 'Saved.' })
})
