// What the compiler accepts and refuses without a type provider.
import Fastify, { type FastifyPluginAsync, type FastifyReply } from 'fastify'
import { ScreenContract } from 'fastify-screen-auth/schemas'
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

// @ts-expect-error: no screen
app.get('/wrong', { schema }, async () => null)
// @ts-expect-error: no layout
app.get('/wrong', { schema }, async (_request, reply) => reply.code(200).send({ layot: 'Card' }))
// @ts-expect-error: no layout
app.get('/wrong', { schema, handler: async () => ({ layot: 'Card' }) })
// @ts-expect-error: no layout
app.get('/wrong', { schema: { response: { '2xx': ScreenContract } } }, async () => ({ layot: 'Card' }))

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
