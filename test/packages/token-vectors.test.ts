// The plugin, held against the tokens that the conformance kit publishes.

import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { host } from '../helpers.ts'

interface Group {
  alg: string
  key: { secret: string }
  tests: { id: string; token: string; result: 'valid' | 'invalid' | 'acceptable' }[]
}

const file = new URL('../../conformance/token-vectors.json', import.meta.url)
if (!existsSync(file)) throw new Error('conformance/token-vectors.json is missing. To make it: npm run build')
const groups: Group[] = JSON.parse(readFileSync(file, 'utf8')).groups

t.test('the plugin agrees with the results of HS256, and refuses with 401 alone', async t => {
  const { key, tests } = groups.find(({ alg }) => alg === 'HS256') as Group
  const app = await host(t, { secret: key.secret })
  const status = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await app.inject({ url: '/menu/main', headers })).statusCode
  }
  const judged = tests.filter(({ result }) => result !== 'acceptable')
  for (const { id, token, result } of judged) t.equal(await status(token), result === 'valid' ? 200 : 401, id)
  t.ok(judged.length > 100)
})
