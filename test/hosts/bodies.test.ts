import formbody from '@fastify/formbody'
import multipart from '@fastify/multipart'
import { XMLParser } from 'fast-xml-parser'
import type { FastifyInstance } from 'fastify'
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import t from 'tap'
import { z } from 'zod'
import { ADA, bearer, FAILURE, forge, logIn, PASSWORD } from '../helpers.ts'
import { closed, hostWith, loginWorks } from './closed.ts'

const FORM = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data; boundary=x'
const part = (name: string, value: string) =>
  `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`

/** Parsers that a host can add for other bodies, each with a login in its format. */
const PARSERS: Record<string, { type: string; add(app: FastifyInstance): unknown; payload: string }> = {
  '@fastify/formbody': {
    type: FORM,
    add: app => app.register(formbody, { parser: text => ({ fields: Object.fromEntries(new URLSearchParams(text)) }) }),
    payload: `username=${ADA.username}&password=${PASSWORD}`
  },
  '@fastify/multipart': {
    type: MULTIPART,
    add: app => app.register(multipart, { attachFieldsToBody: 'keyValues' }),
    payload: `${part('username', ADA.username)}${part('password', PASSWORD)}--x--\r\n`
  },
  'fast-xml-parser': {
    type: 'application/xml',
    add: app =>
      app.addContentTypeParser('application/xml', { parseAs: 'string' }, async (_request: unknown, text: string) =>
        new XMLParser().parse(text)
      ),
    payload: `<fields><username>${ADA.username}</username><password>${PASSWORD}</password></fields>`
  },
  'a catch-all': {
    type: 'text/plain',
    add: app =>
      app.addContentTypeParser('*', { parseAs: 'string' }, async (_request: unknown, text: string) => JSON.parse(text)),
    payload: JSON.stringify({ fields: { username: ADA.username, password: PASSWORD } })
  }
}

for (const [name, { type, add, payload }] of Object.entries(PARSERS))
  t.test(`the bodies of ${name} reach a route of the host, and get 415 as a login`, async t => {
    for (const isBefore of [true, false]) {
      let checked = 0
      const host = await hostWith(t, add, {
        isBefore,
        checkCredentials: ({ password }: Record<string, string>) => {
          checked++
          return password === PASSWORD ? ADA : null
        }
      })
      const { app } = host
      app.post('/body', async request => request.body)
      const headers = { 'content-type': type }
      await closed(t, host, [{ method: 'POST', url: '/body', headers, payload }])

      const refused = await app.inject({ method: 'POST', url: '/auth/login', headers, payload })
      t.equal(refused.statusCode, 415)
      t.strictSame(refused.json(), { ...FAILURE, error: 'The login request must be JSON.' })
      t.equal(checked, 0)
      await loginWorks(t, app)
    }
  })

t.test('the login works in a host that has removed every body parser', async t => {
  const { app } = await hostWith(t, app => app.removeAllContentTypeParsers())
  await loginWorks(t, app)
})

t.test('the login works in a host whose validator and serializer use zod', async t => {
  for (const isBefore of [true, false]) {
    const setCompilers = (app: FastifyInstance) =>
      app.setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler)
    const host = await hostWith(t, setCompilers, { isBefore })
    const { app } = host
    const body = z.object({ n: z.number() })
    app
      .withTypeProvider<ZodTypeProvider>()
      .post('/double', { schema: { body, response: { 200: body } } }, async ({ body }) => ({
        n: body.n * 2,
        secret: 1
      }))
    await closed(t, host, [
      { method: 'POST', url: '/double', payload: { n: 2 } },
      { method: 'POST', url: '/double', payload: { n: '2' }, status: 400 }
    ])
    const double = { method: 'POST', url: '/double', payload: { n: 2 }, headers: bearer(forge()) } as const
    t.strictSame((await app.inject(double)).json(), { n: 4 })
    t.equal((await logIn(app, { username: 1 })).statusCode, 400)
    await loginWorks(t, app)
  }
})
