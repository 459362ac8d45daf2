import cors from '@fastify/cors'
import Fastify from 'fastify'
import t from 'tap'
import screenAuth from '../../../lib/index.ts'
import { bearer, forge, options } from '../../helpers.ts'

const preflight = {
  method: 'OPTIONS',
  url: '/menu/main',
  headers: {
    origin: 'https://client.example',
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'authorization'
  }
} as const

t.test('@fastify/cors responds to preflights if it was registered before this plugin', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(cors, { origin: 'https://client.example' })
  await app.register(screenAuth, options())
  const response = await app.inject(preflight)
  t.equal(response.statusCode, 204)
  t.equal(response.headers['access-control-allow-headers'], 'authorization')

  const { headers } = preflight
  const refused = await app.inject({ url: '/menu/main', headers: { origin: headers.origin } })
  t.equal(refused.statusCode, 401)
  t.equal(refused.headers['access-control-allow-origin'], headers.origin, 'a client must be able to read the 401')
  t.equal(
    (await app.inject({ url: '/menu/main', headers: { ...bearer(forge()), origin: headers.origin } })).statusCode,
    200
  )
})

t.test('a preflight gets 401 if @fastify/cors was registered after this plugin, or not at all', async t => {
  for (const registerCors of [true, false]) {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(screenAuth, options())
    if (registerCors) await app.register(cors)
    t.equal((await app.inject(preflight)).statusCode, 401)
  }
})
