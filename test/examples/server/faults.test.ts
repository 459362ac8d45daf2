// What a server that breaks sends.

import t from 'tap'
import { SetupError } from '../../../examples/server/errors.ts'
import { startExample } from './in-process.ts'

t.test('a fault of the server is a 500 that tells nothing', async t => {
  const { contacts, get } = await startExample(t, { enabled: false })
  contacts.list = async () => {
    throw new Error('the password of the database is secret')
  }
  const { statusCode, body } = await get('/screen/contacts')
  t.equal(statusCode, 500)
  t.equal(body, '')
})

t.test('a database that cannot be used is a 503 that says when to come back', async t => {
  const { contacts, get } = await startExample(t, { enabled: false })
  contacts.list = async () => {
    throw new SetupError('cannot use file:/secret/path')
  }
  const { statusCode, headers, body } = await get('/screen/contacts')
  t.equal(statusCode, 503)
  t.match(headers, { 'retry-after': '5' })
  t.equal(body, '')
})

t.test('a fault of a request says what is wrong with it', async t => {
  const { get } = await startExample(t, { enabled: false })
  const { statusCode, body } = await get('/screen/contact?id=x')
  t.equal(statusCode, 400)
  t.match(body, /id/)
})
