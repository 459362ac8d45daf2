// What was wrong with fast-jwt in 2026 must not matter here. test/package/old-fast-jwt.test.ts runs these tests with a
// version that had all three faults.
import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { bearer, claims, forge, host } from '../../helpers.ts'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()

t.test('CVE-2026-35042: a token with a `crit` header is refused, whatever it names', async t => {
  const app = await host(t)
  for (const crit of [['x'], ['exp'], ['b64'], [], 'x', null, {}]) {
    const token = forge(claims(), { alg: 'HS256', typ: 'JWT', crit, x: true, b64: true })
    const { statusCode } = await app.inject({ url: '/screen', headers: bearer(token) })
    t.equal(statusCode, 401, JSON.stringify(crit))
  }
})

t.test('CVE-2026-34950: a key that is public is no secret, also behind a blank', async t => {
  const pkcs1 = publicKey.export({ type: 'pkcs1', format: 'pem' }).toString()
  const secrets = [
    publicPem,
    ` ${publicPem}`,
    `\n\t${publicPem}\n`,
    `# our key\n${pkcs1}`,
    Buffer.from(publicPem),
    publicPem.replaceAll('\n', '\\n'),
    publicPem.replace(/^/gm, '  ')
  ]
  for (const secret of secrets) {
    const message = /option `secret` must not be a public key, a certificate or a private key/
    await t.rejects(host(t, { secret }), { code: 'FST_SCREEN_AUTH_INVALID_OPTION', message })
    await t.rejects(host(t, { secret: ['x'.repeat(32), secret] }), { message }, 'nor the second secret')
  }
})

t.test('a private key is no secret: it has a public half', async t => {
  const secret = privateKey.export({ type: 'pkcs8', format: 'pem' })
  await t.rejects(host(t, { secret }), { message: /must not be a public key/ })
})

t.test('CVE-2026-35039: a token that resembles a remembered one is verified by itself', async t => {
  const app = await host(t)
  const good = forge({ ...claims(), sub: 'ada' })
  const other = forge({ ...claims(), sub: 'bob' })
  t.equal((await app.inject({ url: '/screen', headers: bearer(good) })).json().username, 'ada')
  t.equal((await app.inject({ url: '/screen', headers: bearer(other) })).json().username, 'bob')

  const [header, payload, signature] = good.split('.')
  const [, otherPayload, otherSignature] = other.split('.')
  const mixed = {
    'its signature, another payload': `${header}.${otherPayload}.${signature}`,
    'its payload, another signature': `${header}.${payload}.${otherSignature}`,
    'its last characters': good.slice(1),
    'its first characters': `${good.slice(0, -1)}${good.endsWith('A') ? 'E' : 'A'}`
  }
  for (const [name, token] of Object.entries(mixed)) {
    t.equal((await app.inject({ url: '/screen', headers: bearer(token) })).statusCode, 401, name)
  }
})
