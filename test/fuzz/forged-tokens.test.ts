import { createHmac } from 'node:crypto'
import t from 'tap'
import { ADA, bearer, host, SECRET } from '../helpers.ts'
import { RFC7515_A1, RFC7515_A1_KEY, SOURCES } from './forged-tokens.ts'

const CHALLENGE = 'Bearer realm="screen", error="invalid_token"'

for (const { source, secret = SECRET, refused = {}, accepted = {} } of SOURCES) {
  t.test(source, async t => {
    const app = await host(t, { secret })
    const get = (token: string) => app.inject({ url: '/screen', headers: bearer(token) })
    for (const [name, token] of Object.entries(refused)) {
      const { statusCode, body, headers } = await get(token)
      t.strictSame([statusCode, body, headers['www-authenticate']], [401, '', CHALLENGE], `refused: ${name}`)
    }
    for (const [name, token] of Object.entries(accepted)) {
      const response = await get(token)
      t.strictSame([response.statusCode, response.body], [200, JSON.stringify(ADA)], `accepted: ${name}`)
    }
  })
}

t.test(
  'the example of RFC 7515 A.1 is signed with the key of A.1, so it is refused for its claims alone',
  async t => {
    const [header, payload, signature] = RFC7515_A1.split('.')
    t.equal(
      createHmac('sha256', RFC7515_A1_KEY).update(`${header}.${payload}`).digest('base64url'),
      signature
    )
  }
)

t.test('no token of the corpus has left anything on a prototype', async t => {
  const plain: Record<string, unknown> = {}
  for (const name of ['alg', 'crit', 'sub', 'exp', 'typ', 'nbf']) t.notOk(name in plain, name)
})

t.teardown(() => {
  const tokens = SOURCES.flatMap(({ refused = {}, accepted = {} }) => [
    ...Object.keys(refused),
    ...Object.keys(accepted)
  ])
  t.comment(`${tokens.length} tokens from ${SOURCES.length} sources`)
})
