// Routes of a host. The test also compiles them without a type provider, and with type provider 6 and typebox 1.x. A
// mistake that the compiler accepts makes its `@ts-expect-error` an error.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify from 'fastify'
import { AuthResponse, ScreenContract } from 'fastify-screen-auth/schemas'

export type Provider = TypeBoxTypeProvider
const app = Fastify().withTypeProvider<TypeBoxTypeProvider>()
const schema = { response: { 200: ScreenContract } }

app.get('/async', { schema }, async () => ({ layout: 'Card', colour: 'green' }))
app.get('/sync', { schema }, () => ({ layout: 'Card' }))
app.get('/send', { schema }, async (_request, reply) => reply.send({ layout: 'Card' }))
app.post('/login', { schema: { response: { 200: AuthResponse } } }, async () => {
  return { success: false, token: null, error: 'no', screen: null }
})

// @ts-expect-error: no layout
app.get('/wrong', { schema }, async () => ({ layot: 'Card' }))
// @ts-expect-error: no layout
app.get('/wrong', { schema }, () => ({ layot: 'Card' }))
// @ts-expect-error: no layout
app.get('/wrong', { schema }, async (_request, reply) => reply.send({ layot: 'Card' }))
// @ts-expect-error: no layout
app.route({ method: 'GET', url: '/wrong', schema, handler: async () => ({ layot: 'Card' }) })
// @ts-expect-error: a title is a string
app.get('/wrong', { schema }, async () => ({ layout: 'Card', title: 5 }))
const misspelt = { id: 'a', lable: 'A', fields: [] }
// @ts-expect-error: a section has a label
app.get('/wrong', { schema }, async () => ({ layout: 'Card', sections: [misspelt] }))
const login = { response: { 200: AuthResponse } }
// @ts-expect-error: no screen, not even null
app.post('/wrong', { schema: login }, async () => ({ success: true, token: 't' }))
