// The document of a host with @fastify/swagger: the routes of the plugin, and the security of the host's own routes.
import { readFile } from 'node:fs/promises'
import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { jsonSchemaTransform, serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import t, { type Test } from 'tap'
import { z } from 'zod'
import screenAuth from '../../../lib/index.ts'
import { ScreenContract } from '../../../schemas/index.ts'
import { emptyHost, options } from '../../helpers.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tests read any property of a document, and fail if it is missing
type Json = any

const refResolver = { buildLocalReference: ({ $id }: { $id: string }) => $id }
const none = (_app: FastifyInstance) => {}

const PUBLIC = { screenAuth: false }
const GUARDED = [{ screenAuth: [] }]
const response = { 200: { type: 'object', properties: { id: { type: 'string' } } } }
const handler = async () => ({ layout: 'Card' })

/** Returns the document of a host that adds routes after the plugin. */
async function documentOf(
  t: Test,
  routes: (app: FastifyInstance) => unknown,
  {
    swagger: own = {},
    before = none,
    ...overrides
  }: { swagger?: object; before?: (app: FastifyInstance) => void; [option: string]: unknown } = {}
): Promise<Json> {
  const app = emptyHost(t)
  await app.register(swagger, { openapi: { openapi: '3.1.0' }, ...own })
  before(app)
  await app.register(screenAuth, options(overrides))
  await routes(app)
  await app.ready()
  return app.swagger()
}

for (const [name, openapi] of Object.entries({ 'openapi.json': { openapi: '3.1.0' }, 'openapi-3.0.json': {} }))
  t.test(`the routes are those of ${name}, without the 404 of the no-auth mode`, async t => {
    const file = new URL(`../../../schemas/generated/${name}`, import.meta.url)
    const contract = JSON.parse(await readFile(file, 'utf8'))
    const { paths, components } = await documentOf(t, none, { swagger: { openapi } })
    t.strictSame(components, contract.components)
    const { get, post } = contract.paths['/auth/login']
    delete get.responses[404]
    delete post.responses[404]
    const { description, content } = post.requestBody
    const { schema, examples } = content['application/json']
    content['application/json'] = { schema: { description, allOf: [schema] }, example: examples.credentials.value }
    t.strictSame(paths, contract.paths)
  })

t.test('a name conflict renames the schema of the plugin, not that of the host', async t => {
  const own = { $id: 'Section', title: 'Section', type: 'object', properties: { aisle: { type: 'string' } } }
  const before = (app: FastifyInstance) => {
    app.addSchema(own)
    app.get('/shop', { schema: { response: { 200: { $ref: 'Section#' } } } }, handler)
  }
  const { components, paths } = await documentOf(t, none, { swagger: { refResolver }, before })
  t.ok(components.schemas.Section.properties.aisle)
  t.ok(components.schemas.ScreenAuthSection.properties.fields)
  t.equal(components.schemas.ScreenContract.properties.sections.items.$ref, '#/components/schemas/ScreenAuthSection')
  t.match(paths['/shop'].get.responses[200].content, {
    'application/json': { schema: { $ref: '#/components/schemas/Section' } }
  })
})

function operationsOf({ paths }: Json): [name: string, operation: Json][] {
  return Object.entries<Json>(paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]): [string, Json] => [`${method} ${path}`, operation])
  )
}

t.test('operation ids of two instances with HEAD routes are unique, and each form submits to its own path', async t => {
  const app = emptyHost(t)
  await app.register(swagger, { openapi: {}, exposeHeadRoutes: true })
  for (const prefix of ['/:tenant(^[a-z]+$)/v-1', '/b'])
    await app.register(async scope => scope.register(screenAuth, options({ prefix })))
  await app.ready()
  const document = app.swagger() as Json
  const ids = operationsOf(document).map(([, { operationId }]) => operationId)
  t.equal(ids.length, 10)
  t.equal(new Set(ids).size, 10)
  t.equal(document.paths['/{tenant}/v-1/menu/main'].get.operationId, 'get_tenant_a_z_V_1MenuMain')
  const { content } = document.paths['/b/auth/login'].get.responses[200]
  t.equal(content['application/json'].examples.form.value.auth_action, '/b/auth/login')
})

t.test('the menu has no security, no user and no status of the guard in the no-auth mode', async t => {
  const { paths } = await documentOf(t, none, { swagger: { openapi: {} }, enabled: false })
  t.strictSame(Object.keys(paths), ['/menu/main'])
  t.strictSame(paths['/menu/main'].get.security, [])
  t.strictSame(Object.keys(paths['/menu/main'].get.responses), ['200', '500'])
  t.notMatch(JSON.stringify(paths), /401|user_display_name/)
})

function securityOf(document: Json): Record<string, unknown> {
  const own = operationsOf(document).filter(([name]) => !/\/(auth\/login|menu\/main)$/.test(name))
  return Object.fromEntries(own.map(([name, { security }]) => [name, security]))
}

/** The schema of a public and of a guarded route. */
const shared = { response }

function routes(app: FastifyInstance): void {
  app.get('/orders/:id', { schema: shared }, handler)
  app.post('/orders/:id', handler)
  app.get('/news', { config: PUBLIC, schema: shared }, handler)
  app.post('/news', { config: PUBLIC }, handler)
}

const SECURITY = {
  'get /orders/{id}': GUARDED,
  'post /orders/{id}': GUARDED,
  'get /news': [],
  'post /news': []
}

t.test('a guarded route has the security scheme, and a public one has an empty list, also with one schema', async t => {
  const document = await documentOf(t, routes)
  t.strictSame(securityOf(document), SECURITY)
  t.strictSame(Object.keys(shared), ['response'])
  t.match(document.components.securitySchemes, { screenAuth: { type: 'http', scheme: 'bearer' } })
})

t.test('routes of child scopes, and routes with several methods, have their security', async t => {
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

t.test('a security that a route declares is kept, and so are the security schemes of a host', async t => {
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
  const { screenAuth, ...others } = document.components.securitySchemes
  t.ok(screenAuth)
  t.strictSame(others, { key })
})

t.test('routes outside the scope of the plugin get no security', async t => {
  const app = emptyHost(t)
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

t.test('routes before the plugin, in the no-auth mode, or without the login in a document get no security', async t => {
  const unchanged = Object.fromEntries(Object.keys(SECURITY).map(name => [name, undefined]))
  t.strictSame(securityOf(await documentOf(t, none, { before: routes })), unchanged)
  t.strictSame(securityOf(await documentOf(t, routes, { enabled: false })), unchanged)

  const app = emptyHost(t)
  app.register(screenAuth, options())
  app.register(swagger, { openapi: {} })
  app.register(async child => routes(child))
  await app.ready()
  t.strictSame(securityOf(app.swagger()), unchanged)
})

t.test('a Swagger 2.0 document has the routes with their plain schemas and their security', async t => {
  const own = { key: { type: 'apiKey', name: 'x-key', in: 'header' } }
  const document = await documentOf(t, routes, { swagger: { openapi: null, swagger: { securityDefinitions: own } } })
  t.strictSame(securityOf(document), SECURITY)
  const { screenAuth, ...others } = document.securityDefinitions
  t.strictSame([screenAuth.type, screenAuth.name, others], ['apiKey', 'Authorization', own])
  const propertiesOf = ({ responses }: Json) => responses[200].schema.properties
  const { post } = document.paths['/auth/login']
  t.ok(propertiesOf(post).token)
  t.ok(post.parameters[0].schema.properties.fields)
  t.ok(propertiesOf(document.paths['/menu/main'].get).layout)
})

t.test('the transform of a host, for example that for zod, is called for its own routes only', async t => {
  const transform: typeof jsonSchemaTransform = route => {
    t.notMatch(route.url, /menu|login/)
    return jsonSchemaTransform(route)
  }
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
    { swagger: { transform } }
  )
  t.strictSame(securityOf(document), { 'get /orders': GUARDED, 'get /news': [] })
  t.equal(document.paths['/orders'].get.parameters[0].name, 'page')
})

t.test('a ScreenContract that the host adds and references is a component', async t => {
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
  const names = 'AuthRequest AuthResponse Field ScreenContract Section'
  t.equal(Object.keys(components.schemas).sort().join(' '), names)
})
