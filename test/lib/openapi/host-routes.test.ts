// Who may call the host's own routes, in the host's own document.
import swagger from '@fastify/swagger'
import Fastify, { type FastifyInstance } from 'fastify'
import {
  jsonSchemaTransform,
  serializerCompiler,
  validatorCompiler,
  type ZodTypeProvider
} from 'fastify-type-provider-zod'
import t from 'tap'
import { z } from 'zod'
import screenAuth from '../../../lib/index.ts'
import { operations } from '../../../schemas/operations.ts'
import { options } from '../../helpers.ts'
import { accessOf, answer, documentOf, type Json, PUBLIC } from './document-of.ts'

const response = { 200: { type: 'object', properties: { id: { type: 'string' } } } }

/** Routes of each kind, below a prefix. */
function routes(app: FastifyInstance, prefix = ''): void {
  app.get(`${prefix}/orders/:id`, { schema: { response } }, answer)
  app.post(`${prefix}/orders/:id`, answer)
  app.get(`${prefix}/news`, { config: PUBLIC, schema: { response } }, answer)
  app.post(`${prefix}/news`, { config: PUBLIC }, answer)
}

const ACCESS = {
  'get /orders/{id}': 'guarded',
  'post /orders/{id}': 'guarded',
  'get /news': 'public',
  'post /news': 'public'
}

t.test(
  'a guarded route has the security scheme and the 401 of the menu, a public one has neither',
  async t => {
    const document = await documentOf(t, { after: routes })
    t.strictSame(accessOf(document), ACCESS)
    t.match(document.components.securitySchemes, { screenAuth: { type: 'http', scheme: 'bearer' } })
    t.strictSame(
      document.paths['/orders/{id}'].get.responses[401],
      operations['/menu/main'].get.responses[401]
    )
  }
)

t.test('so do routes that were there before the login', async t => {
  t.strictSame(accessOf(await documentOf(t, { before: routes })), ACCESS)
})

t.test('and routes of children, whose hook makes them public', async t => {
  const document = await documentOf(t, {
    after(app) {
      app.register(async child => child.get('/', answer), { prefix: '/child' })
      app.register(
        async child => {
          child.addHook('onRoute', route => void Object.assign(route, { config: PUBLIC }))
          child.get('/', { schema: { response } }, answer)
        },
        { prefix: '/open' }
      )
    }
  })
  t.strictSame(accessOf(document), { 'get /child/': 'guarded', 'get /open/': 'public' })
})

t.test('@fastify/swagger may be registered after the login, and nothing awaited', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.register(screenAuth, options())
  app.register(swagger, { openapi: {} })
  app.register(async child => routes(child))
  await app.ready()
  const document: Json = app.swagger()
  t.strictSame(accessOf(document), ACCESS)
  t.ok(document.components.securitySchemes.screenAuth)
  t.notOk(document.paths['/menu/main'])
})

t.test('a route with several methods, HEAD routes and wildcards are guarded each', async t => {
  const document = await documentOf(t, {
    swagger: { exposeHeadRoutes: true },
    before(app) {
      app.get('/files/*', { schema: { operationId: 'files' } }, answer)
      app.get('/:year(^\\d{4}(-\\d\\d)?$)/:a-:b/cart::verb', answer)
    },
    after: app =>
      void app.route({ method: ['PUT', 'PATCH'], url: '/orders', schema: { response }, handler: answer })
  })
  t.strictSame(accessOf(document), {
    'get /files/{*}': 'guarded',
    'head /files/{*}': 'guarded',
    'get /{year}/{a}-{b}/cart:verb': 'guarded',
    'head /{year}/{a}-{b}/cart:verb': 'guarded',
    'put /orders': 'guarded',
    'patch /orders': 'guarded'
  })
})

t.test('in OpenAPI 3.2 a method of a host’s own is guarded, too', async t => {
  const { paths } = await documentOf(t, {
    swagger: { openapi: { openapi: '3.2.0' } },
    before: app => app.addHttpMethod('LINK'),
    after: app => void app.route({ method: 'LINK', url: '/orders', handler: answer })
  })
  t.strictSame(paths['/orders'].additionalOperations.LINK.security, [{ screenAuth: [] }])
})

t.test('what a route says of its security and its 401 stays', async t => {
  const security = [{ key: [] }]
  const own401 = { description: 'Say who you are', type: 'object', properties: { error: { type: 'string' } } }
  const { paths } = await documentOf(t, {
    swagger: {
      openapi: { components: { securitySchemes: { key: { type: 'apiKey', name: 'x-key', in: 'header' } } } }
    },
    after(app) {
      app.get('/key', { schema: { security } }, answer)
      app.get('/none', { schema: { security: [] } }, answer)
      app.get('/public', { config: PUBLIC, schema: { security } }, answer)
      app.get('/own', { schema: { response: { 401: own401 } } }, answer)
    }
  })
  t.strictSame(paths['/key'].get.security, security)
  t.strictSame(paths['/none'].get.security, [])
  t.strictSame(paths['/public'].get.security, security)
  t.equal(paths['/own'].get.responses[401].description, 'Say who you are')
  t.ok(paths['/own'].get.responses[401].content)
  t.ok(paths['/key'].get.responses[401])
})

t.test('a route is not changed by what is in the document', async t => {
  let schema: Json
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(swagger, { openapi: {} })
  await app.register(screenAuth, options())
  const own = { response, summary: 'Orders' }
  app.addHook('onRoute', route => {
    schema = () => route.schema
  })
  app.get('/orders', { exposeHeadRoute: false, schema: own }, answer)
  await app.ready()
  app.swagger()
  t.equal(schema(), own)
  t.strictSame(Object.keys(own), ['response', 'summary'])
})

t.test('a default security of the document is for neither the guarded nor the public routes', async t => {
  const document = await documentOf(t, {
    swagger: {
      openapi: {
        security: [{ key: [] }],
        components: { securitySchemes: { key: { type: 'apiKey', name: 'x-key', in: 'header' } } }
      }
    },
    after: routes
  })
  t.strictSame(document.security, [{ key: [] }])
  t.strictSame(accessOf(document), {
    ...ACCESS,
    'get /news': 'public',
    'post /news': 'public'
  })
})

t.test('routes outside of the scope of the login stay as they are', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(swagger, { openapi: { security: [] } })
  app.get('/outside', { schema: { response } }, answer)
  app.register(
    async scope => {
      await scope.register(screenAuth, options())
      scope.get('/inside', { schema: { response } }, answer)
    },
    { prefix: '/app' }
  )
  await app.ready()
  t.strictSame(accessOf(app.swagger()), { 'get /outside': 'as it was', 'get /app/inside': 'guarded' })
})

t.test('two scopes side by side are both in the document', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(swagger, { openapi: {} })
  for (const prefix of ['/a', '/b']) {
    app.register(
      async scope => {
        scope.get('/early', answer)
        await scope.register(screenAuth, options())
        routes(scope)
      },
      { prefix }
    )
  }
  app.get('/', answer)
  await app.ready()
  const expected = ['/a', '/b'].flatMap(prefix =>
    Object.entries({ 'get /early': 'guarded', ...ACCESS }).map(([name, access]) => [
      name.replace(' ', ` ${prefix}`),
      access
    ])
  )
  t.strictSame(accessOf(app.swagger()), { ...Object.fromEntries(expected), 'get /': 'as it was' })
})

t.test('each document of a host with several is completed, wherever the login is registered', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  const scopes: FastifyInstance[] = []
  const version = async (scope: FastifyInstance) => {
    scopes.push(scope)
    await scope.register(swagger, { openapi: {} })
    routes(scope)
  }
  app.register(version, { prefix: '/v1' })
  app.register(screenAuth, options())
  app.register(version, { prefix: '/v2' })
  await app.ready()
  for (const [index, scope] of scopes.entries()) {
    const access = accessOf(scope.swagger())
    t.equal(access[`get /v${index + 1}/orders/{id}`], 'guarded')
    t.equal(access[`get /v${index + 1}/news`], 'public')
  }
})

t.test('in the no-auth mode no route has security', async t => {
  const document = await documentOf(t, { before: routes, overrides: { enabled: false } })
  t.strictSame([...new Set(Object.values(accessOf(document)))], ['as it was'])
})

t.test('hidden routes stay hidden, and routes without a schema reach the transform without one', async t => {
  const schemas: Json[] = []
  const document = await documentOf(t, {
    swagger: {
      transform({ schema, url }: Json) {
        schemas.push(schema)
        return { schema: schema ?? { hide: true }, url }
      }
    },
    after(app) {
      app.get('/plain', { exposeHeadRoute: false }, answer)
      app.get('/hidden', { exposeHeadRoute: false, schema: { hide: true } }, answer)
    }
  })
  t.strictSame(accessOf(document), {})
  t.equal(schemas[0], undefined)
})

t.test('the transform of a host is called', async t => {
  const document = await documentOf(t, {
    swagger: { transform: ({ schema, url }: Json) => ({ schema: { ...schema, tags: ['Shop'] }, url }) },
    after: routes
  })
  t.strictSame(accessOf(document), ACCESS)
  t.strictSame(document.paths['/news'].get.tags, ['Shop'])
})

t.test('a transform may make a new schema, and give a URL another prefix', async t => {
  const made = { swagger: { transform: ({ url }: Json) => ({ schema: { summary: url }, url: `/v1${url}` }) } }
  const stripped = { swagger: { openapi: { servers: [{ url: 'http://127.0.0.1/api' }] } } }
  const prefixed = Object.entries(ACCESS).map(([name, access]) => [name.replace(' ', ' /v1'), access])
  t.strictSame(accessOf(await documentOf(t, { ...made, after: routes })), Object.fromEntries(prefixed))
  t.strictSame(accessOf(await documentOf(t, { ...made, before: routes })), Object.fromEntries(prefixed))
  t.strictSame(accessOf(await documentOf(t, { ...stripped, before: app => routes(app, '/api') })), ACCESS)
})

t.test('of several routes with a similar URL the most similar one counts', async t => {
  const document = await documentOf(t, {
    before(app) {
      app.get('/health', { config: PUBLIC }, answer)
      app.get('/admin/health', answer)
      app.get('/admin/open/health', { config: PUBLIC }, answer)
      app.get('/', answer)
    }
  })
  t.strictSame(accessOf(document), {
    'get /health': 'public',
    'get /admin/health': 'guarded',
    'get /admin/open/health': 'public',
    'get /': 'guarded'
  })
})

t.test('a URL may be public for one method only', async t => {
  const document = await documentOf(t, {
    before(app) {
      app.post('/orders', answer)
      app.get('/orders', { config: PUBLIC }, answer)
      app.delete('/orders', answer)
    }
  })
  t.strictSame(accessOf(document), {
    'post /orders': 'guarded',
    'get /orders': 'public',
    'delete /orders': 'guarded'
  })
})

t.test('a wildcard is another route than a parameter', async t => {
  const document = await documentOf(t, {
    before(app) {
      app.get('/a/:id', { config: PUBLIC }, answer)
      app.get('/a/*', answer)
    }
  })
  t.strictSame(accessOf(document), { 'get /a/{id}': 'public', 'get /a/{*}': 'guarded' })
})

t.test('a path without an item stays as it is', async t => {
  const { paths } = await documentOf(t, { swagger: { openapi: { paths: { '/x': null } } } })
  t.equal(paths['/x'], null)
})

t.test('an operation that is no route stays as it is', async t => {
  const paths = { '/elsewhere': { summary: 'Not here', get: { responses: { 200: { description: 'x' } } } } }
  const own = structuredClone(paths)
  const document = await documentOf(t, { swagger: { openapi: { paths: own } }, after: routes })
  t.strictSame(document.paths['/elsewhere'], paths['/elsewhere'])
})

t.test('a transform for zod is called, and its routes have the 401', async t => {
  const document = await documentOf(t, {
    swagger: { transform: jsonSchemaTransform },
    after(app) {
      app.setValidatorCompiler(validatorCompiler)
      app.setSerializerCompiler(serializerCompiler)
      const zod = app.withTypeProvider<ZodTypeProvider>()
      const schema = {
        querystring: z.object({ page: z.string() }),
        response: { 200: z.object({ id: z.string() }) }
      }
      zod.get('/orders', { schema }, async () => ({ id: '1' }))
      zod.get('/news', { config: PUBLIC, schema }, async () => ({ id: '1' }))
      zod.get('/plain', async () => 'x')
    }
  })
  t.strictSame(accessOf(document), {
    'get /orders': 'guarded',
    'get /news': 'public',
    'get /plain': 'guarded'
  })
  t.equal(document.paths['/orders'].get.parameters[0].name, 'page')
})

t.test('a host’s transformObject may take parts of the document away', async t => {
  const bare = { openapi: '3.1.0', info: { title: 'x', version: '1' } }
  t.strictSame(await documentOf(t, { swagger: { transformObject: () => bare }, after: routes }), bare)
  const { components, paths } = await documentOf(t, {
    swagger: { transformObject: ({ openapiObject: { paths } }: Json) => ({ ...bare, paths }) },
    after: app => app.get('/orders', answer)
  })
  t.strictSame(Object.keys(components), ['securitySchemes'])
  t.equal(accessOf({ paths })['get /orders'], 'guarded')
})
