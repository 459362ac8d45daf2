// What a client gets of a screen from hosts that serialize in ways of their own.
import responseValidation from '@fastify/response-validation'
import type { FastifyInstance, FastifyReply, FastifyServerOptions, RouteShorthandOptions } from 'fastify'
import { serializerCompiler } from 'fastify-type-provider-zod'
import t from 'tap'
import { z } from 'zod'
import screenAuth from '../../lib/index.ts'
import { ScreenContract } from '../../schemas/index.ts'
import { ADA, bearer, emptyHost, forge, options } from '../helpers.ts'
import { loginWorks } from './closed.ts'

type Add = (app: FastifyInstance) => unknown
type Screen = Record<string, unknown>

/** Adds a route that sends a screen. The other functions run before or after the plugin, and after the route. */
interface Host extends RouteShorthandOptions {
  server?: FastifyServerOptions
  before?: Add
  after?: Add
  afterRoute?: Add
  /** Default: in the root, after the plugin. */
  routeIn?: 'child scope' | 'root before plugin'
  /** Default: ScreenContract for status 200. */
  response?: object
  send?(reply: FastifyReply, screen: Screen): unknown
}

/** Returns what the client gets instead of a screen; undefined if it gets a 500. */
type Sent = (screen: Screen) => unknown

const named: Sent = screen => ({ user_display_name: ADA.displayName, ...screen })
const isEmpty = ({ layout }: Screen) => layout === undefined
const isInvalid = (screen: Screen) => isEmpty(screen) || screen.sections !== undefined
const asFastify: Sent = screen => (isInvalid(screen) ? undefined : named(screen))
const nameless: Sent = screen => (isInvalid(screen) ? undefined : screen)
const enveloped: Sent = screen => ({ data: isEmpty(screen) ? screen : named(screen) })
const onlyLayout: Sent = screen => (isEmpty(screen) ? {} : { layout: screen.layout })
const withNumber = (screen: Screen) => (screen.title ? { ...screen, title: 5 } : screen)
const wrapped: Sent = screen => ({ data: withNumber(screen) })
const withDate: Sent = screen => asFastify({ ...screen, date: '1970-01-01' })

const envelope = (data: unknown) => JSON.stringify({ data })
const compiler: Add = app => app.setSerializerCompiler(() => envelope)
const compilersFactory = { buildSerializer: () => () => envelope }
const replies: Add = app => app.setReplySerializer(envelope)
const hook: Add = app => app.addHook('onRequest', async (_request, reply) => void reply.serializer(envelope))
const lateHook: Add = app =>
  app.addHook('preSerialization', async (_request, reply, payload) => {
    reply.serializer(envelope)
    return payload
  })
function change(changed: object): Add {
  return app => app.addHook('onRoute', route => void (route.url === '/screen' && Object.assign(route, changed)))
}
const wrap: Add = app => app.addHook('preSerialization', async (_request, _reply, data) => ({ data }))
const closeLater: Add = app =>
  app.addHook('onRoute', ({ url, schema }) => {
    if (url === '/screen')
      app.register(async () => Object.assign(schema?.response as object, { 200: { $ref: 'closed#' } }))
  })
const text = (textOf: (reply: FastifyReply, screen: Screen) => unknown): Host => ({
  send: (reply, screen) => reply.type('application/json').send(textOf(reply, screen))
})
const rounding = { serializerOpts: { rounding: 'ceil' } }
const [number, integer] = [1.2 as never, { type: 'integer' }]
const zod: Add = app => app.setSerializerCompiler(serializerCompiler)

const shared: Add = app => app.addSchema(ScreenContract)
const ref = { $ref: 'ScreenContract#' }
const described = { description: 'A screen' }
const closed: Screen = { type: 'object', properties: { layout: { type: 'string' } } }
const addClosed: Add = app => app.addSchema({ $id: 'closed', ...closed })
const { properties } = ScreenContract as unknown as { properties: object }
const copy = (own: object) => ({ 200: { ...ScreenContract, properties: { ...properties, ...own } } })
const media = (type: string, schema: object) => ({ 200: { content: { [type]: { schema } } } })
const validation: Add = app => app.register(responseValidation)
const strict: Add = app =>
  app.register(responseValidation, { responseStatusCodeValidation: true, ajv: { strict: true } })
const withShared: Add = app => {
  app.addSchema(ScreenContract)
  const addSchema = (ajv: { addSchema(schema: object): void }) => ajv.addSchema(ScreenContract)
  return app.register(responseValidation, { ajv: { plugins: [addSchema] } })
}

const hosts: [name: string, Host, Sent?][] = [
  ['no serializer of its own', {}],
  ['a compiler, before the plugin', { before: compiler }, enveloped],
  ['a compiler, after the route', { afterRoute: compiler }, enveloped],
  ['a compiler of a child scope', { routeIn: 'child scope', after: compiler }, enveloped],
  ['a compiler of the route', { serializerCompiler: () => envelope }, enveloped],
  ['a compiler from an onRoute hook', { after: change({ serializerCompiler: () => envelope }) }, enveloped],
  ['a builder of compilers', { server: { schemaController: { compilersFactory } } }, enveloped],
  ['a reply serializer, before the plugin', { before: replies }, enveloped],
  ['a serializer from the handler', { send: (reply, screen) => reply.serializer(envelope).send(screen) }, enveloped],
  ['a serializer from a hook before the plugin', { before: hook }, enveloped],
  ['a serializer from a preSerialization hook', { before: lateHook }, enveloped],
  ['a hook that wraps payloads', { before: wrap, serializerCompiler: () => JSON.stringify }, wrapped],
  ['a compiler for Zod', { before: zod, response: { 200: z.any() } }, withNumber],
  ['a shared schema', { before: shared, response: { 200: ref } }],
  ['a shared schema without a hash', { before: shared, response: { 200: { $ref: 'ScreenContract' } } }],
  ['a shared schema with a description', { before: shared, response: { 200: { ...ref, ...described } } }],
  ['a shared schema of a child scope', { routeIn: 'child scope', after: shared, response: { 200: ref } }],
  ['a schema with a description', { response: { 200: { ...ScreenContract, ...described } } }],
  ['a schema without an id', { response: { 200: { ...ScreenContract, $id: undefined } } }],
  ['a schema for a media type', { response: media('application/json', ScreenContract) }],
  ['a shared schema for all media types', { before: shared, response: media('*/*', ref) }],
  ['a schema for a range', { response: { '2xx': ScreenContract } }],
  ['a schema for another way to write it', { response: { '2XX': ScreenContract } }],
  ['a schema for all statuses', { response: { 201: ScreenContract, default: ScreenContract } }],
  ['a closed schema for another status', { response: { 200: ScreenContract, 404: closed } }],
  [
    'a schema with a number',
    { response: copy({ title: { type: ['number', 'null'] } }) },
    s => asFastify(withNumber(s))
  ],
  ['a schema with a date', { response: copy({ date: { type: 'string', format: 'date' } }) }, withDate],
  ['a schema that refers to another', { before: addClosed, response: copy({ closed: { $ref: 'closed#' } }) }],
  ['a hook that closes the schema', { after: change({ schema: { response: { 200: closed } } }) }, onlyLayout],
  ['a plugin that closes the schema', { before: addClosed, after: closeLater }, onlyLayout],
  ['a closed schema', { response: { 200: closed, 201: ScreenContract } }, onlyLayout],
  ['a closed part', text((reply, screen) => reply.serializeInput(screen, closed)), onlyLayout],
  ['a schema that is true', { response: { 200: true } }, withNumber],
  ['a number in a part', { server: rounding, ...text(reply => reply.serializeInput(number, integer)) }, () => 2],
  ['a handler that serializes', text((reply, screen) => reply.serialize(screen)), nameless],
  ['an early route', { routeIn: 'root before plugin' }],
  ['a validation of responses', { before: validation }],
  ['a strict validation', { before: strict, response: { 200: ScreenContract, '5xx': {} } }],
  ['a validation with a shared schema', { before: withShared, response: { 200: ref } }]
]

for (const [name, { server, before, after, afterRoute, routeIn, response, send, ...route }, sent = asFastify] of hosts)
  t.test(`a screen and the login of a host with ${name}`, async t => {
    const app = emptyHost(t, server)
    const addRoute = async (scope: FastifyInstance) => {
      after?.(scope)
      const schema = { response: response ?? { 200: ScreenContract } }
      scope.post<{ Body: Screen }>('/screen', { schema, ...route }, async ({ body }, reply) => {
        const screen = isEmpty(body) ? body : { ...body, date: new Date(0) }
        return send ? send(reply, screen) : screen
      })
      afterRoute?.(scope)
    }
    await before?.(app)
    if (routeIn === 'root before plugin') await addRoute(app)
    await app.register(screenAuth, options())
    if (routeIn === undefined) await addRoute(app)
    else if (routeIn === 'child scope') await app.register(addRoute)

    const date = new Date(0).toJSON()
    for (const [payload, text] of [
      [{ layout: 'Card', title: null }, null],
      [{ layout: 'Card', title: 5 }, '5'],
      [{ layout: 'Card', sections: 'none' }],
      [{}]
    ] as [Screen, unknown?][]) {
      const response = await app.inject({ method: 'POST', url: '/screen', payload, headers: bearer(forge()) })
      const screen = text === undefined ? payload : { ...payload, title: text }
      const expected = sent(isEmpty(screen) ? screen : { ...screen, date })
      t.equal(response.statusCode, expected === undefined ? 500 : 200)
      if (expected !== undefined) t.strictSame(response.json(), expected)
    }
    await loginWorks(t, app)
  })
