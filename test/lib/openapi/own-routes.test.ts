// Our routes in the document of a host that uses @fastify/swagger.
import { readFile } from 'node:fs/promises'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import screenAuth from '../../../lib/index.ts'
import { ScreenContract } from '../../../schemas/index.ts'
import { bearer, logIn, options } from '../../helpers.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents are looked into at will, and a wrong look fails the test
type Json = any

const contract: Json = JSON.parse(
  await readFile(new URL('../../../schemas/generated/openapi.json', import.meta.url), 'utf8')
)

/** The document of a host that registers @fastify/swagger, then whatever `before` does, then the plugin. */
async function documentOf(
  t: Test,
  swaggerOptions: object,
  { overrides = {}, before = () => {} }: { overrides?: object; before?: (app: FastifyInstance) => void } = {}
): Promise<Json> {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(swagger, swaggerOptions)
  before(app)
  await app.register(screenAuth, options(overrides))
  await app.ready()
  return app.swagger()
}

t.test('in OpenAPI 3.1 the routes appear as in openapi.json', async t => {
  const { paths, components } = await documentOf(t, { openapi: { openapi: '3.1.0' } })
  t.strictSame(components, contract.components)
  const { requestBody, ...post } = contract.paths['/auth/login'].post
  t.match(paths['/auth/login'].post.requestBody, {
    required: true,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/AuthRequest' } } }
  })
  delete paths['/auth/login'].post.requestBody
  t.strictSame(paths, { ...contract.paths, '/auth/login': { ...contract.paths['/auth/login'], post } })
})

t.test('unless the host asks for OpenAPI 3.1 the document is valid 3.0', async t => {
  const document = await documentOf(t, { openapi: {} })
  const text = JSON.stringify(document)
  t.match(document.openapi, /^3\.0\./)
  t.notMatch(text, /def-\d/)
  t.notMatch(text, /"type":"null"|"if":|"then":|"else":/)
  t.match(document.components.schemas.AuthResponse.properties, {
    token: { type: 'string', nullable: true },
    screen: {
      anyOf: [
        { $ref: '#/components/schemas/ScreenContract' },
        { type: 'object', nullable: true, enum: [null] }
      ]
    }
  })
  t.equal(document.components.schemas.ScreenContract.example.auth_action, '/auth/login')
})

t.test('a Swagger 2.0 document has the routes with their plain schemas', async t => {
  const { paths } = await documentOf(t, { swagger: {} })
  t.strictSame(Object.keys(paths).sort(), ['/auth/login', '/menu/main'])
  t.ok(paths['/auth/login'].get.responses[200].schema.properties.layout)
  t.ok(paths['/auth/login'].post.responses[200].schema.properties.token)
  t.ok(paths['/menu/main'].get.responses[200].schema.properties.layout)
})

t.test('the schemas of a host keep their names, and ours are renamed', async t => {
  const own = { $id: 'Section', title: 'Section', type: 'object', properties: { aisle: { type: 'string' } } }
  const { components, paths } = await documentOf(
    t,
    { openapi: {}, refResolver: { buildLocalReference: ({ $id }: { $id: string }) => $id } },
    {
      before(app) {
        app.addSchema(own)
        app.get('/shop', { schema: { response: { 200: { $ref: 'Section#' } } } }, async () => ({}))
      }
    }
  )
  t.ok(components.schemas.Section.properties.aisle)
  t.ok(components.schemas.ScreenAuthSection.properties.fields)
  t.equal(
    components.schemas.ScreenContract.properties.sections.items.$ref,
    '#/components/schemas/ScreenAuthSection'
  )
  t.match(paths['/shop'].get.responses[200].content, {
    'application/json': { schema: { $ref: '#/components/schemas/Section' } }
  })
})

t.test('a host that adds our ScreenContract itself has it once in the document', async t => {
  const { components } = await documentOf(
    t,
    { openapi: {}, refResolver: { buildLocalReference: ({ $id }: { $id: string }) => $id } },
    { before: app => app.addSchema(ScreenContract) }
  )
  t.notOk(components.schemas.ScreenAuthScreenContract)
  t.ok(components.schemas.ScreenContract.properties.user_display_name)
})

t.test('the security schemes and the transform of a host stay as they are', async t => {
  const own = { type: 'apiKey', name: 'x-key', in: 'header' }
  const { components, paths } = await documentOf(t, {
    openapi: { components: { securitySchemes: { key: own } } },
    transform: () => t.fail('not for our routes')
  })
  t.strictSame(Object.keys(components.securitySchemes).sort(), ['key', 'screenAuth'])
  t.strictSame(components.securitySchemes.key, own)
  t.ok(paths['/menu/main'])
})

t.test('two instances and HEAD routes have operation ids of their own', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(swagger, { openapi: {}, exposeHeadRoutes: true })
  await app.register(async scope => void (await scope.register(screenAuth, options({ prefix: '/:tenant' }))))
  await app.register(async scope => void (await scope.register(screenAuth, options({ prefix: '/b' }))))
  await app.ready()
  const { paths } = app.swagger() as Json
  const ids = Object.values<Json>(paths).flatMap(methods =>
    Object.values<Json>(methods).map(({ operationId }) => operationId)
  )
  t.equal(ids.length, 10)
  t.equal(new Set(ids).size, 10)
  t.ok(paths['/{tenant}/menu/main'])
})

t.test('an operation id has word characters only, whatever the prefix is', async t => {
  const { paths } = await documentOf(t, { openapi: {} }, { overrides: { prefix: '/:tenant(^[a-z]+$)/v-1' } })
  t.equal(paths['/{tenant}/v-1/menu/main'].get.operationId, 'get_tenant_a_z_V_1MenuMain')
})

t.test('in the no-auth mode the menu has no security and no 401', async t => {
  const { paths } = await documentOf(t, { openapi: {} }, { overrides: { enabled: false } })
  t.strictSame(Object.keys(paths), ['/menu/main'])
  t.strictSame(paths['/menu/main'].get.security, [])
  t.strictSame(Object.keys(paths['/menu/main'].get.responses), ['200', '500', '503'])
})

t.test('a host’s route can name our security scheme', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(swagger, { openapi: {} })
  await app.register(screenAuth, options())
  app.get('/screen', { schema: { security: [{ screenAuth: [] }] } }, async () => 'x')
  await app.ready()
  t.strictSame((app.swagger() as Json).paths['/screen'].get.security, [{ screenAuth: [] }])
})

t.test('swagger-ui is guarded, and shows the document to a user who is logged in', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(swagger, { openapi: {} })
  await app.register(swaggerUi)
  await app.register(screenAuth, options())
  t.equal((await app.inject('/documentation/json')).statusCode, 401)
  const { token } = (await logIn(app)).json()
  const answer = await app.inject({ url: '/documentation/json', headers: bearer(token) })
  t.strictSame(Object.keys(answer.json().paths).sort(), ['/auth/login', '/menu/main'])
  t.equal((await app.inject({ url: '/documentation/', headers: bearer(token) })).statusCode, 200)
})
