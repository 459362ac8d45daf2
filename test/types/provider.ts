// Code that the compiler can check only with a type provider.
import { type Static, Type, type TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify from 'fastify'
import { AuthRequest, type AuthResponse, type Field, ScreenContract, type Section } from 'fastify-screen-auth/schemas'

/** True when two types are the same, and not only assignable to each other. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

const app = Fastify().withTypeProvider<TypeBoxTypeProvider>()
const Envelope = Type.Object({ screen: Type.Optional(ScreenContract), screens: Type.Array(ScreenContract) })

export const statics: [
  Same<Static<typeof AuthRequest>, AuthRequest>,
  Same<Static<typeof AuthResponse>, AuthResponse>,
  Same<Static<typeof Field>, Field>,
  Same<Static<typeof ScreenContract>, ScreenContract>,
  Same<Static<typeof Section>, Section>,
  Same<Static<typeof Envelope>, { screens: ScreenContract[]; screen?: ScreenContract }>
] = [true, true, true, true, true, true]

const body = { body: AuthRequest }
app.post('/login', { schema: body }, async request => request.body.fields.username?.length)
// @ts-expect-error: the fields are strings
app.post('/wrong', { schema: body }, async request => request.body.fields.username.toFixed())

const nested = { response: { 200: Envelope } }
app.get('/envelope', { schema: nested }, async () => ({ screens: [] }))
// @ts-expect-error: no layout
app.get('/wrong', { schema: nested }, async () => ({ screens: [{ layot: 'Card' }] }))
// @ts-expect-error: no layout
app.get('/wrong', { schema: nested }, async () => ({ screens: [], screen: { layot: 'Card' } }))

const both = { response: { 200: ScreenContract, 404: Type.Object({ error: Type.String() }) } }
app.get('/both', { schema: both }, async (_request, reply) => reply.code(404).send({ error: 'no' }))
// @ts-expect-error: neither a screen nor an error
app.get('/wrong', { schema: both }, async () => ({ layot: 'Card' }))
