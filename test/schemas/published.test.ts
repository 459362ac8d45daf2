// The published contract, which other projects use to validate, to lint and to generate code.
import { readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { compiled } from '../../schemas/build/compile.ts'
import { CONTRACT_VERSION, DATA_VERSION, publishedFiles } from '../../schemas/build/publish.ts'

const published = publishedFiles()
const schemas = Object.keys(published)
  .filter(path => path.startsWith('json/'))
  .map(path => JSON.parse(published[path] as string))

t.test('the committed files are what `npm run contract` writes', async t => {
  for (const [path, text] of Object.entries({ ...published, 'compiled.ts': compiled() })) {
    const file = new URL(`../../schemas/generated/${path}`, import.meta.url)
    t.equal(await readFile(file, 'utf8'), text, `${path} is stale: npm run contract`)
  }
})

t.test('each type is a JSON Schema 2020-12 of its own, which its examples match', async t => {
  t.equal(schemas.length, 5)
  for (const schema of schemas) {
    const validate = new Ajv2020({ strict: true }).compile(schema)
    t.equal(schema.$id, `urn:screen-service-auth:${CONTRACT_VERSION}:${schema.title}`)
    t.equal(schema.$comment, `Contract version ${CONTRACT_VERSION}, data version ${DATA_VERSION}`)
    t.ok(schema.description)
    t.ok(schema.examples.length > 0)
    for (const example of schema.examples) t.ok(validate(example), schema.title)
  }
})

t.test('all the schemas can be loaded together', async t => {
  const id = `urn:screen-service-auth:${CONTRACT_VERSION}:AuthResponse`
  t.equal(new Ajv2020().addSchema(schemas).getSchema(id)?.({}), false)
})

t.test('the AuthResponse schema refuses what is neither a success nor a failure', async t => {
  const validate = new Ajv2020().compile(schemas.find(({ title }) => title === 'AuthResponse'))
  const screen = { layout: 'Menu' }
  const cases: [boolean, object][] = [
    [true, { success: true, token: 't', error: null, screen }],
    [true, { success: false, token: null, error: 'e', screen: null, more: 1 }],
    [false, { success: true, token: null, error: null, screen }],
    [false, { success: true, token: '', error: null, screen }],
    [false, { success: true, token: 't', error: 'e', screen }],
    [false, { success: true, token: 't', error: null, screen: null }],
    [false, { success: false, token: 't', error: 'e', screen: null }],
    [false, { success: false, token: null, error: null, screen: null }],
    [false, { success: false, token: null, error: 'e', screen }],
    [false, { success: false, token: null, error: 'e' }]
  ]
  for (const [isValid, body] of cases) t.equal(validate(body), isValid, JSON.stringify(body))
})

t.test('openapi.json has every status of every route with an example, and its security', async t => {
  const { paths, components } = JSON.parse(published['openapi.json'] as string)
  t.match(components.securitySchemes, { screenAuth: { type: 'http', scheme: 'bearer' } })
  const statuses = []
  for (const [path, methods] of Object.entries<Record<string, { responses: object }>>(paths))
    for (const [method, { responses }] of Object.entries(methods)) {
      statuses.push([method, path, ...Object.keys(responses)].join(' '))
      for (const response of Object.values(responses)) t.match(JSON.stringify(response), /"examples?":/)
    }
  t.strictSame(statuses, [
    'get /auth/login 200 404 500',
    'post /auth/login 200 400 413 415 500 503 default',
    'get /menu/main 200 401 500 503'
  ])
  t.strictSame(paths['/menu/main'].get.security, [{ screenAuth: [] }])
  t.strictSame(paths['/auth/login'].post.security, [])
})

for (const [name, edition] of Object.entries({ 'openapi.json': /^3\.1\./, 'openapi-3.0.json': /^3\.0\./ })) {
  t.test(`${name} has its edition and both versions`, async t => {
    const { openapi, info } = JSON.parse(published[name] as string)
    t.match(openapi, edition)
    t.match(info, { version: DATA_VERSION, 'x-contract-version': CONTRACT_VERSION })
  })

  t.test(`${name} refers to nothing outside of itself`, async t => {
    const references = [...(published[name] as string).matchAll(/"\$ref": "(.*?)"/g)].map(([, to]) => to)
    t.ok(references.length > 0)
    const outside = references.filter(to => !to?.startsWith('#/'))
    t.strictSame(outside, [])
  })
}
