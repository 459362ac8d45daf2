import { type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import Fastify from 'fastify'
import t from 'tap'
import { AuthRequest, AuthResponse, Field, ScreenContract, Section } from '../../schemas/index.ts'

const schemas: Record<string, object> = { AuthRequest, AuthResponse, Field, ScreenContract, Section }

t.test('each schema has its name as $id and title, and every property a description', async t => {
  for (const [name, schema] of Object.entries(schemas)) {
    t.match(schema, { $id: name, title: name, description: /\w/ })
    for (const [property, { description }] of Object.entries(
      (schema as { properties: Record<string, { description?: string }> }).properties
    )) {
      if (property !== 'fields' || name !== 'AuthRequest') t.match(description, /\w/, `${name}.${property}`)
    }
  }
})

t.test(
  'a screen is described only as far as login needs it: anything may be added, at every level',
  async t => {
    const screen = {
      layout: 'Card',
      extra: 1,
      sections: [
        { id: 's', label: 'S', extra: 1, fields: [{ id: 'f', label: 'F', type: 'Text', extra: 1 }] }
      ],
      menu: { tabs: [] }
    }
    t.ok(Value.Check(ScreenContract, screen))
    t.notOk(Value.Check(ScreenContract, { title: 'no layout' }))
    t.notOk(Value.Check(ScreenContract, { layout: 'Card', title: null }))
    t.notOk(Value.Check(ScreenContract, { layout: 'Card', sections: [{ id: 's', label: 'S' }] }))
    t.notOk(Value.Check(ScreenContract, { layout: 'Menu', menu: 'none' }))
  }
)

t.test('an AuthResponse has all four keys', async t => {
  const success = { success: true, token: 't', error: null, screen: { layout: 'Menu', more: 1 } }
  t.ok(Value.Check(AuthResponse, success))
  t.ok(Value.Check(AuthResponse, { success: false, token: null, error: 'e', screen: null }))
  for (const key of Object.keys(success))
    t.notOk(Value.Check(AuthResponse, { ...success, [key]: undefined }), key)
})

t.test(
  "a host may use the schemas in its own routes, with Fastify's own compilers, and nothing is dropped",
  async t => {
    const app = Fastify()
    t.teardown(() => app.close())
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
    const answer = await app.inject({ method: 'POST', url: '/login', payload: { fields: {} } })
    t.strictSame(answer.json(), { success: true, token: 't', error: null, screen })
    t.equal((await app.inject({ method: 'POST', url: '/login', payload: {} })).statusCode, 400)
  }
)

t.test('the schemas can be parts of a larger one, together', async t => {
  const parts: TSchema[] = [
    Type.Object({ screen: ScreenContract, field: Field, section: Section }),
    Type.Object({ first: AuthRequest, second: AuthResponse, screen: ScreenContract })
  ]
  for (const body of parts) {
    const app = Fastify()
    t.teardown(() => app.close())
    app.post('/', { schema: { body, response: { 200: body } } }, async () => ({}))
    await t.resolves(async () => app.ready())
  }
})
