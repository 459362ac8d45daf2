// Routes of a host with `@fastify/type-provider-typebox` 5 and @sinclair/typebox 0.34. The test compiles them with 6 and
// typebox 1.x, too.

import { type Static, Type, type TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify from 'fastify'
import {
  AuthRequest,
  AuthResponse,
  type Field,
  ScreenContract,
  type Section
} from 'fastify-screen-auth/schemas'
import type { Same } from './same.ts'

const app = Fastify().withTypeProvider<TypeBoxTypeProvider>()
const schema = { response: { 200: ScreenContract } }
const Envelope = Type.Object({ screen: Type.Optional(ScreenContract), screens: Type.Array(ScreenContract) })

export const statics: [
  Same<Static<typeof AuthRequest>, AuthRequest>,
  Same<Static<typeof AuthResponse>, AuthResponse>,
  Same<Static<typeof Field>, Field>,
  Same<Static<typeof ScreenContract>, ScreenContract>,
  Same<Static<typeof Section>, Section>,
  Same<Static<typeof Envelope>, { screens: ScreenContract[]; screen?: ScreenContract }>
] = [true, true, true, true, true, true]

app.get('/async', { schema }, async () => ({ layout: 'Card', colour: 'green' }))
app.get('/sync', { schema }, () => ({ layout: 'Card' }))
app.get('/send', { schema }, async (_request, reply) => reply.send({ layout: 'Card' }))
app.get('/envelope', { schema: { response: { 200: Envelope } } }, async () => ({ screens: [] }))
app.post('/login', { schema: { body: AuthRequest, response: { 200: AuthResponse } } }, async request => {
  return { success: false, token: null, error: `no ${request.body.fields.username}`, screen: null }
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
app.get('/wrong', { schema }, async () => ({ layout: 'Card', title: null }))
// @ts-expect-error: a section has a label
app.get('/wrong', { schema }, async () => ({
  layout: 'Card',
  sections: [{ id: 'a', lable: 'A', fields: [] }]
}))
// @ts-expect-error: no screen, not even null
app.post('/wrong', { schema: { response: { 200: AuthResponse } } }, async () => ({
  success: true,
  token: 't'
}))
// @ts-expect-error: the fields are strings
app.post('/wrong', { schema: { body: AuthRequest } }, async request => request.body.fields.username.toFixed())

const nested = { response: { 200: Envelope } }
// @ts-expect-error: no layout
app.get('/wrong', { schema: nested }, async () => ({ screens: [{ layot: 'Card' }] }))
// @ts-expect-error: no layout
app.get('/wrong', { schema: nested }, async () => ({ screens: [], screen: { layot: 'Card' } }))

const both = { response: { 200: ScreenContract, 404: Type.Object({ error: Type.String() }) } }
app.get('/both', { schema: both }, async (_request, reply) => reply.code(404).send({ error: 'no' }))
// @ts-expect-error: neither a screen nor an error
app.get('/wrong', { schema: both }, async () => ({ layot: 'Card' }))
