// Who may call the host's own routes, in the host's own document.
import swagger from '@fastify/swagger'
import Fastify, { type FastifyInstance } from 'fastify'
import {
  jsonSchemaTransform,
  serializerCompiler,
  validatorCompiler,
  type ZodTypeProvider
} from 'fastify-type-provider-zod'
import t, { type Test } from 'tap'
import { z } from 'zod'
import screenAuth from '../../../lib/index.ts'
import { ScreenContract } from '../../../schemas/index.ts'
import { options } from '../../helpers.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents are looked into at will, and a wrong look fails the test
type Json = any

const PUBLIC = { screenAuth: false }
const GUARDED = [{ screenAuth: [] }]
const response = { 200: { type: 'object', properties: { id: { type: 'string' } } } }
const handler = async () => ({ layout: 'Card' })

/** The document of a host that adds routes when the plugin is loaded. */
async function documentOf(
  t: Test,
  routes: (app: FastifyInstance) => unknown,
  { swagger: own = {}, before = (_app: FastifyInstance) => {}, overrides = {} } = {}
): Promise<Json> {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(swagger, { openapi: { openapi: '3.1.0' }, ...own })
  before(app)
  await app.register(screenAuth, options(overrides))
  await routes(app)
  await app.ready()
  return app.swagger()
}

/** The security of each operation of the host, by its method and path. */
function securityOf({ paths }: Json): Record<string, unknown> {
  const operations = Object.entries<Json>(paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]) => [`${method} ${path}`, operation] as const)
  )
  const own = operations.filter(([name]) => !/\/(auth\/login|menu\/main)$/.test(name))
  return Object.fromEntries(own.map(([name, { security }]) => [name, security]))
}

function routes(app: FastifyInstance): void {
  app.get('/orders/:id', { schema: { response } }, handler)
  app.post('/orders/:id', handler)
  app.get('/news', { config: PUBLIC, schema: { response } }, handler)
  app.post('/news', { config: PUBLIC }, handler)
}

const SECURITY = {
  'get /orders/{id}': GUARDED,
  'post /orders/{id}': GUARDED,
  'get /news': [],
  'post /news': []
}

t.test('a guarded route has the security scheme, and a public one has an empty list', async t => {
  const document = await documentOf(t, routes)
  t.strictSame(securityOf(document), SECURITY)
  t.match(document.components.securitySchemes, { screenAuth: { type: 'http', scheme: 'bearer' } })
})

t.test('so do routes of children, and those with several methods', async t => {
  const document = await documentOf(t, app => {
    app.register(async child => child.get('/', handler), { prefix: '/child' })
    app.register(
      async child => {
        child.addHook('onRoute', route => void Object.assign(route, { config: PUBLIC }))
        child.get('/', { schema: { response } }, handler)
      },
      { prefix: '/open' }
    )
    app.route({ method: ['PUT', 'PATCH'], url: '/orders', handler })
  })
  t.strictSame(securityOf(document), {
    'get /child/': GUARDED,
    'get /open/': [],
    'put /orders': GUARDED,
    'patch /orders': GUARDED
  })
})

t.test('what a route says of its security stays', async t => {
  const security = [{ key: [] }]
  const key = { type: 'apiKey', name: 'x-key', in: 'header' }
  const document = await documentOf(
    t,
    app => {
      app.get('/key', { schema: { security } }, handler)
      app.get('/none', { schema: { security: [] } }, handler)
      app.get('/public', { config: PUBLIC, schema: { security } }, handler)
    },
    { swagger: { openapi: { security, components: { securitySchemes: { key } } } } }
  )
  t.strictSame(securityOf(document), { 'get /key': security, 'get /none': [], 'get /public': security })
  t.strictSame(document.components.securitySchemes.key, key)
})

t.test('the schema of a host stays as it is, so that a public and a guarded route may share it', async t => {
  const schema = { response, summary: 'Orders' }
  const document = await documentOf(t, app => {
    app.get('/orders', { schema }, handler)
    app.get('/news', { schema, config: PUBLIC }, handler)
  })
  t.strictSame(securityOf(document), { 'get /orders': GUARDED, 'get /news': [] })
  t.strictSame(Object.keys(schema), ['response', 'summary'])
})

t.test('routes outside of the scope of the login stay as they are', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(swagger, { openapi: {} })
  app.get('/outside', { schema: { response } }, handler)
  app.register(
    async scope => {
      await scope.register(screenAuth, options())
      scope.get('/inside', { schema: { response } }, handler)
    },
    { prefix: '/app' }
  )
  await app.ready()
  t.strictSame(securityOf(app.swagger()), { 'get /outside': undefined, 'get /app/inside': GUARDED })
})

t.test('routes from before the login stay as they are, and so do all in the no-auth mode', async t => {
  const unchanged = Object.fromEntries(Object.keys(SECURITY).map(name => [name, undefined]))
  t.strictSame(securityOf(await documentOf(t, () => {}, { before: routes })), unchanged)
  t.strictSame(securityOf(await documentOf(t, routes, { overrides: { enabled: false } })), unchanged)
})

t.test('a document that does not show the login stays as it is', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.register(screenAuth, options())
  app.register(swagger, { openapi: {} })
  app.register(async child => routes(child))
  await app.ready()
  t.strictSame(Object.values(securityOf(app.swagger())), [undefined, undefined, undefined, undefined])
})

t.test('a Swagger 2.0 document has the security, too', async t => {
  const own = { key: { type: 'apiKey', name: 'x-key', in: 'header' } }
  const document = await documentOf(t, routes, {
    swagger: { openapi: null, swagger: { securityDefinitions: own } }
  })
  t.strictSame(securityOf(document), SECURITY)
  t.strictSame(document.securityDefinitions, {
    screenAuth: { type: 'apiKey', name: 'Authorization', in: 'header' },
    ...own
  })
})

t.test('the transform of a host is called, for instance that for zod', async t => {
  const document = await documentOf(
    t,
    app => {
      app.setValidatorCompiler(validatorCompiler)
      app.setSerializerCompiler(serializerCompiler)
      const zod = app.withTypeProvider<ZodTypeProvider>()
      const schema = {
        querystring: z.object({ page: z.string() }),
        response: { 200: z.object({ layout: z.string() }) }
      }
      zod.get('/orders', { schema }, handler)
      zod.get('/news', { config: PUBLIC, schema }, handler)
    },
    { swagger: { transform: jsonSchemaTransform } }
  )
  t.strictSame(securityOf(document), { 'get /orders': GUARDED, 'get /news': [] })
  t.equal(document.paths['/orders'].get.parameters[0].name, 'page')
})

t.test('ScreenContract is a component when the host adds it and refers to it', async t => {
  const refResolver = { buildLocalReference: ({ $id }: { $id: string }) => $id }
  const { paths, components } = await documentOf(
    t,
    app => {
      app.addSchema(ScreenContract)
      app.get('/screen', { schema: { response: { 200: { $ref: 'ScreenContract#' } } } }, handler)
    },
    { swagger: { refResolver } }
  )
  t.match(paths['/screen'].get.responses[200].content, {
    'application/json': { schema: { $ref: '#/components/schemas/ScreenContract' } }
  })
  t.strictSame(Object.keys(components.schemas).sort(), [
    'AuthRequest',
    'AuthResponse',
    'Field',
    'ScreenContract',
    'Section'
  ])
})
