// Routes of a host that has no type provider. A line that tsc refuses without being expected to, or the reverse, fails
// the test.
import Fastify, { type FastifyPluginAsync, type FastifyReply } from 'fastify'
import { AuthResponse, ScreenContract } from 'fastify-screen-auth/schemas'
import { Type } from 'typebox'

const app = Fastify()
const schema = { response: { 200: ScreenContract } }
const other = { type: 'object', properties: { error: { type: 'string' } } }

interface Profile {
  layout: 'Card'
  rows: number[]
}
declare const profile: Profile
declare function log(reply: FastifyReply): void

app.get('/async', { schema }, async () => ({ layout: 'Card', colour: 'green' }))
app.get('/sync', { schema }, () => profile)
app.get('/send', { schema }, async (_request, reply) => reply.code(200).send(profile))
app.get('/send-sync', { schema }, (_request, reply) => reply.send(profile))
app.get('/send-only', { schema }, (_request, reply) => {
  log(reply)
  reply.send(profile)
})
app.get('/not-found', { schema }, async (_request, reply) => reply.callNotFound())
app.get('/throw', { schema }, async () => {
  throw new Error('no screen')
})
app.post('/login', { schema: { response: { 200: AuthResponse } } }, async () => {
  return { success: false, token: null, error: 'no', screen: null }
})

// @ts-expect-error: no layout
app.get('/wrong', { schema }, async () => ({ layot: 'Card' }))
// @ts-expect-error: no layout
app.get('/wrong', { schema }, () => ({ layot: 'Card' }))
// @ts-expect-error: no screen
app.get('/wrong', { schema }, async () => null)
// @ts-expect-error: a title is a string
app.get('/wrong', { schema }, async () => ({ layout: 'Card', title: null }))
// @ts-expect-error: a section has a label
app.get('/wrong', { schema }, async () => ({
  layout: 'Card',
  sections: [{ id: 'a', lable: 'A', fields: [] }]
}))
// @ts-expect-error: no layout
app.get('/wrong', { schema }, async (_request, reply) => reply.send({ layot: 'Card' }))
// @ts-expect-error: no layout
app.get('/wrong', { schema }, async (_request, reply) => reply.code(200).send({ layot: 'Card' }))
// @ts-expect-error: no layout
app.get('/wrong', { schema, handler: async () => ({ layot: 'Card' }) })
// @ts-expect-error: no layout
app.route({ method: 'GET', url: '/wrong', schema, handler: async () => ({ layot: 'Card' }) })
// @ts-expect-error: no layout
app.get('/wrong', { schema: { response: { '2xx': ScreenContract } } }, async () => ({ layot: 'Card' }))
// @ts-expect-error: no screen, not even null
app.post('/wrong', { schema: { response: { 200: AuthResponse } } }, async () => ({
  success: true,
  token: 't'
}))

export const plugin: FastifyPluginAsync = async scope => {
  // @ts-expect-error: no layout
  scope.get('/wrong', { schema }, async () => ({ layot: 'Card' }))
}

const media = { 'application/json': { schema: ScreenContract } }
// @ts-expect-error: no layout
app.get('/wrong', { schema: { response: { 200: { content: media } } } }, async () => ({ layot: 'Card' }))

const both = { response: { 200: ScreenContract, 404: other } }
// @ts-expect-error: no layout
app.get('/wrong', { schema: both }, async (_request, reply) => reply.code(200).send({ layot: 'Card' }))

// As without this package.
app.get('/own', { schema: { response: { 200: other } } }, async () => 'anything')
app.get('/own', { schema: { response: { 200: Type.Unsafe<Profile>({}) } } }, async () => 'anything')
app.get('/own', async () => 'anything')

// What docs/contract-for-tools.md says is not checked.
app.get('/own', { schema: both }, async () => ({ layot: 'Card' }))
app.get('/own', { schema: { response: { 200: Type.Array(ScreenContract) } } }, async () => ['anything'])
app.get<{ Params: { id: string } }>('/own/:id', { schema }, async () => ({ layot: 'Card' }))
