import { type TSchema, Type } from '@sinclair/typebox'
import t from 'tap'
import { AuthRequest, AuthResponse, Field, ScreenContract, Section } from '../../schemas/index.ts'
import { emptyHost } from '../helpers.ts'

const schemas: Record<string, TSchema> = { AuthRequest, AuthResponse, Field, ScreenContract, Section }

t.test('each schema has its name as $id and title, and every property a description', async t => {
  for (const [name, schema] of Object.entries(schemas)) {
    t.match(schema, { $id: name, title: name, description: /\w/ })
    for (const [property, { description }] of Object.entries<TSchema>(schema.properties))
      t.match(description, /\w/, `${name}.${property}`)
  }
})

t.test("a host may use the schemas in its own routes, and Fastify's compilers drop nothing", async t => {
  const app = emptyHost(t)
  const screen = {
    layout: 'Menu',
    menu: { tabs: [{ a: [1] }] },
    sections: [],
    extra: { deep: [{ er: null }] }
  }
  app.get('/screen', { schema: { response: { 200: ScreenContract } } }, async () => screen)
  app.get('/again', { schema: { response: { 200: ScreenContract } } }, async () => screen)
  app.post('/login', { schema: { body: AuthRequest, response: { 200: AuthResponse } } }, async () => ({
    success: true,
    token: 't',
    error: null,
    screen
  }))
  t.strictSame((await app.inject('/screen')).json(), screen)
  t.strictSame((await app.inject('/again')).json(), screen)
  const response = await app.inject({ method: 'POST', url: '/login', payload: { fields: {} } })
  t.strictSame(response.json(), { success: true, token: 't', error: null, screen })
  t.equal((await app.inject({ method: 'POST', url: '/login', payload: {} })).statusCode, 400)
})

t.test('the schemas can be parts of a larger one, together', async t => {
  const parts: TSchema[] = [
    Type.Object({ screen: ScreenContract, field: Field, section: Section }),
    Type.Object({ first: AuthRequest, second: AuthResponse, screen: ScreenContract })
  ]
  for (const body of parts) {
    const app = emptyHost(t)
    app.post('/', { schema: { body, response: { 200: body } } }, async () => ({}))
    await t.resolves(async () => app.ready())
  }
})
