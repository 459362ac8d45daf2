// ScreenContract in the host's own document.
import swagger from '@fastify/swagger'
import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import t from 'tap'
import screenAuth from '../../../lib/index.ts'
import { ScreenContract } from '../../../schemas/index.ts'
import { options } from '../../helpers.ts'
import { answer, documentOf, type Json } from './document-of.ts'

const REFERENCE = { $ref: '#/components/schemas/ScreenContract' }
const versions = ['3.0.3', '3.1.0']

/** The schemas of the responses of one route, by status. */
async function schemasOf(
  t: Parameters<typeof documentOf>[0],
  openapi: string,
  response: object
): Promise<Json> {
  const document = await documentOf(t, {
    swagger: { openapi: { openapi } },
    after: app => app.get('/screen', { schema: { response } }, answer)
  })
  const { 401: _, ...responses }: Json = document.paths['/screen'].get.responses
  return Object.fromEntries(
    Object.entries<Json>(responses).map(([status, { content }]) => [status, content['application/json']])
  )
}

for (const version of versions) {
  t.test(`in ${version} ScreenContract of any status is a reference, without its examples`, async t => {
    const response = {
      200: ScreenContract,
      '2xx': ScreenContract,
      default: { content: { 'application/json': { schema: ScreenContract } } }
    }
    const schema = { schema: REFERENCE }
    t.strictSame(await schemasOf(t, version, response), { 200: schema, '2XX': schema, default: schema })
  })

  t.test(`in ${version} ScreenContract inside of another schema is a reference`, async t => {
    const orNull = { '3.0.3': { type: 'object', nullable: true, enum: [null] }, '3.1.0': { type: 'null' } }[
      version
    ]
    const { $id: _, ...inline } = ScreenContract
    const response = {
      200: { type: 'array', items: ScreenContract },
      201: Type.Object({
        one: ScreenContract,
        either: Type.Union([inline as typeof ScreenContract, Type.Null()]),
        nullable: { ...inline, nullable: true } as never
      })
    }
    const schemas = await schemasOf(t, version, response)
    t.strictSame(schemas[200].schema, { type: 'array', items: REFERENCE })
    t.strictSame(schemas[201].schema.properties, {
      one: REFERENCE,
      either: { anyOf: [REFERENCE, orNull] },
      nullable: { anyOf: [REFERENCE, orNull] }
    })
  })
}

t.test('the component is as in openapi.json, and the only copy', async t => {
  const document = await documentOf(t, {
    after: app => app.get('/screen', { schema: { response: { 200: Type.Array(ScreenContract) } } }, answer)
  })
  t.strictSame(Object.keys(document.components.schemas).sort(), [
    'AuthRequest',
    'AuthResponse',
    'Field',
    'ScreenContract',
    'Section'
  ])
  t.equal(JSON.stringify(document).split('"title":"ScreenContract"').length, 2)
})

t.test('where the three routes are not in the document, there is only what a screen needs', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(screenAuth, options())
  await app.register(swagger, { openapi: {} })
  app.get('/plain', answer)
  app.get('/screen', { schema: { response: { 200: ScreenContract } } }, answer)
  await app.ready()
  const { components }: Json = app.swagger()
  t.strictSame(Object.keys(components.schemas), ['ScreenContract', 'Section', 'Field'])
})

t.test('without a screen there is no component', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(screenAuth, options())
  await app.register(swagger, { openapi: {} })
  app.get('/plain', answer)
  await app.ready()
  t.strictSame((app.swagger() as Json).components.schemas, {})
})

t.test('a component of the host that is a screen or null stays one', async t => {
  const { $id: _, ...screen } = ScreenContract
  const { components, paths } = await documentOf(t, {
    swagger: { refResolver: { buildLocalReference: ({ $id }: Json) => $id } },
    before: app => void app.addSchema({ ...screen, $id: 'MaybeScreen', nullable: true }),
    after: app => app.get('/screen', { schema: { response: { 200: { $ref: 'MaybeScreen#' } } } }, answer)
  })
  t.strictSame(components.schemas.MaybeScreen, { anyOf: [REFERENCE, { type: 'null' }] })
  t.strictSame(paths['/screen'].get.responses[200].content['application/json'].schema, {
    $ref: '#/components/schemas/MaybeScreen'
  })
})

t.test('a host that adds ScreenContract to its shared schemas has one component, of our name', async t => {
  for (const swagger of [{}, { refResolver: { buildLocalReference: ({ $id }: Json) => $id } }]) {
    const { components, paths } = await documentOf(t, {
      swagger,
      before(app) {
        app.addSchema(ScreenContract)
        app.addSchema({ $id: 'Page', type: 'object', properties: { screen: { $ref: 'ScreenContract#' } } })
      },
      after(app) {
        app.get('/screen', { schema: { response: { 200: { $ref: 'ScreenContract#' } } } }, answer)
        app.get('/page', { schema: { response: { 200: { $ref: 'Page#' } } } }, answer)
      }
    })
    t.strictSame(paths['/screen'].get.responses[200].content, { 'application/json': { schema: REFERENCE } })
    const titled = Object.values<Json>(components.schemas).filter(({ title }) => title === 'ScreenContract')
    t.equal(titled.length, 1)
    t.strictSame(components.schemas.ScreenContract.properties.sections.items, {
      $ref: '#/components/schemas/Section'
    })
    const page = paths['/page'].get.responses[200].content['application/json'].schema.$ref.split('/').at(-1)
    t.strictSame(components.schemas[page].properties.screen, REFERENCE)
  }
})

t.test('a reference into the shared ScreenContract leads into the component', async t => {
  const { paths } = await documentOf(t, {
    before: app => void app.addSchema(ScreenContract),
    after: app =>
      app.get(
        '/title',
        { schema: { response: { 200: { $ref: 'ScreenContract#/properties/title' } } } },
        answer
      )
  })
  t.strictSame(paths['/title'].get.responses[200].content['application/json'].schema, {
    $ref: '#/components/schemas/ScreenContract/properties/title'
  })
})

t.test('a component of the host named ScreenContract stays, and ours has another name', async t => {
  const own = { type: 'object', properties: { own: { type: 'string' } } }
  const { components, paths } = await documentOf(t, {
    swagger: { openapi: { openapi: '3.1.0', components: { schemas: { ScreenContract: own } } } },
    after: app => app.get('/screen', { schema: { response: { 200: ScreenContract } } }, answer)
  })
  t.strictSame(components.schemas.ScreenContract, own)
  t.strictSame(paths['/screen'].get.responses[200].content['application/json'].schema, {
    $ref: '#/components/schemas/ScreenAuthScreenContract'
  })
  t.ok(components.schemas.ScreenAuthScreenContract.properties.user_display_name)
})

t.test('a schema that says more than ScreenContract stays', async t => {
  const menu = { type: 'object', properties: { tabs: { type: 'array', items: {} } } }
  const more = {
    ...ScreenContract,
    $id: undefined,
    properties: { ...(ScreenContract as Json).properties, menu }
  }
  const named = { $id: 'x', title: 'ScreenContract', type: 'object' }
  const schemas = await schemasOf(t, '3.1.0', { 200: more, 201: named })
  t.strictSame(schemas[200].schema.properties.menu, menu)
  t.strictSame(schemas[201].schema, { title: 'ScreenContract', type: 'object' })
})

t.test('examples of the host stay beside the reference', async t => {
  const examples = [{ layout: 'Card', title: 'Mine' }]
  const { 200: media } = await schemasOf(t, '3.1.0', { 200: { ...ScreenContract, examples } })
  t.strictSame(media, { schema: REFERENCE, example: examples[0] })
})

t.test('in the no-auth mode ScreenContract is a reference, too', async t => {
  const { paths } = await documentOf(t, {
    overrides: { enabled: false },
    before: app => app.get('/screen', { schema: { response: { 200: ScreenContract } } }, answer)
  })
  t.strictSame(paths['/screen'].get.responses[200].content, { 'application/json': { schema: REFERENCE } })
})
