// from-fastify-jwt.js: the tokens that @fastify/jwt has signed, beside those of the plugin.
import jwt, { type FastifyJWTOptions } from '@fastify/jwt'
import Fastify from 'fastify'
import t from 'tap'
import { jsonOf, recipe, request, startRecipe, statusOf, tokenOf } from '../program.ts'

const OLD_JWT_SECRET = 'the secret of the old tokens, which is long'
const SVC_AUTH_SECRET = 'the secret of the new tokens, which is new'
const url = await startRecipe(t, 'from-fastify-jwt.js', { OLD_JWT_SECRET, SVC_AUTH_SECRET })

/** Signs a token as the old server did. */
async function sign(claims: object, options: FastifyJWTOptions['sign'] = { expiresIn: '1m' }, secret = OLD_JWT_SECRET) {
  const old = Fastify()
  await old.register(jwt, { secret })
  return old.jwt.sign(claims, options)
}

const segment = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url')
const [exp, expired] = [Math.ceil(Date.now() / 1000) + 60, 1_700_000_000]

t.test('an old token and a new one open the same screen', async t => {
  for (const token of [await sign({ id: 7 }), await tokenOf(url)])
    t.match(await jsonOf(`${url}/screen/profile`, token), { title: 'ada' })
})

t.test('a login issues a new token', async t => {
  const [, payload = ''] = (await tokenOf(url)).split('.')
  t.match(JSON.parse(Buffer.from(payload, 'base64url').toString()), { sub: 'ada', display_name: 'Ada Lovelace' })
})

for (const [what, token] of Object.entries({
  'that has expired': await sign({ id: 7, exp: expired }, {}),
  'without an end': await sign({ id: 7 }, {}),
  'of another kind': await sign({ id: 7, purpose: 'reset' }),
  'of a user who has left': await sign({ id: 8 }),
  'with claims of a new token': await sign({ sub: 'ada', display_name: 'Ada Lovelace' }),
  'with another secret': await sign({ id: 7 }, undefined, 'another secret, which is as long as the others'),
  'without a signature': `${segment({ alg: 'none', typ: 'JWT' })}.${segment({ id: 7, exp })}.`,
  'that is garbage': 'garbage'
}))
  t.test(`a token ${what} gets a 401`, async t => {
    const { status, headers } = await request(`${url}/screen/profile`, token)
    t.equal(status, 401)
    t.match(headers.get('www-authenticate'), /invalid_token/)
  })

t.test('the server needs two different secrets', async t => {
  for (const [env, message] of [
    [{ SVC_AUTH_SECRET }, /Set OLD_JWT_SECRET/],
    [{ OLD_JWT_SECRET }, /Set OLD_JWT_SECRET/],
    [{ OLD_JWT_SECRET, SVC_AUTH_SECRET: OLD_JWT_SECRET }, /must be a new secret/]
  ] as const) {
    const server = recipe(t, 'from-fastify-jwt.js', env)
    t.equal(await server.end(), 1)
    t.match(server.output, message)
  }
  t.equal(await statusOf(`${url}/screen/profile`), 401)
})
