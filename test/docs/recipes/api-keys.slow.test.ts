import { createHash, randomBytes } from 'node:crypto'
import t from 'tap'
import { bearer } from '../../helpers.ts'
import { recipe, startRecipe, tokenOf } from '../program.ts'

const key = randomBytes(32).toString('base64url')
const digest = createHash('sha256').update(key).digest('hex')
const API_KEYS = JSON.stringify({
  monitor: createHash('sha256').update('another').digest('hex'),
  backup: digest
})

const url = await startRecipe(t, 'api-keys.js', { API_KEYS })

async function call(token: string, at = url) {
  const response = await fetch(`${at}/screen/caller`, { headers: bearer(token) })
  return { status: response.status, text: await response.text() }
}

t.test('a key is a machine, and the token of a login is a person', async t => {
  const machine = await call(key)
  t.match(JSON.parse(machine.text), { title: 'A machine', user_display_name: 'backup' })
  const person = await call(await tokenOf(url, 'ada', 'correct horse'))
  t.match(JSON.parse(person.text), { title: 'A person', user_display_name: 'Ada Lovelace' })
})

t.test('what is no key is refused, the digest of one too', async t => {
  for (const token of [
    digest,
    `${key}x`,
    key.slice(1),
    'backup',
    'machine:backup',
    randomBytes(32).toString('base64url')
  ]) {
    t.equal((await call(token)).status, 401, token.length.toString())
  }
})

t.test('without keys in the environment there is no machine', async t => {
  const other = await startRecipe(t, 'api-keys.js')
  t.equal((await call(key, other)).status, 401)
  t.equal((await call(await tokenOf(other, 'ada', 'correct horse'), other)).status, 200)
})

t.test('a key opens no session', async t => {
  t.equal(await tokenOf(url, 'machine:backup', key), null)
})

t.test('a server with a digest that cannot be right does not start', async t => {
  for (const wrong of [key, digest.slice(2)]) {
    const server = recipe(t, 'api-keys.js', { API_KEYS: JSON.stringify({ backup: wrong }) })
    await t.rejects(server.listening(), /without listening/)
    t.match(server.output, 'API_KEYS: "backup" needs a digest')
    t.notMatch(server.output, key, 'the message does not show it: somebody may have set the key itself')
  }
})
