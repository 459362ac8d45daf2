// The host's own documents as they are served.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import Fastify, { type FastifyInstance } from 'fastify'
import t from 'tap'
import screenAuth from '../../../lib/index.ts'
import { ScreenContract } from '../../../schemas/index.ts'
import { bearer, logIn, options, outsideTap } from '../../helpers.ts'
import { accessOf, answer, documentedHost, type Json, PUBLIC } from './document-of.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const { parse } = createRequire(createRequire(import.meta.url).resolve('@fastify/swagger'))('yaml')

function screens(app: FastifyInstance): void {
  app.get('/screen/:id', { schema: { summary: 'A screen', response: { 200: ScreenContract } } }, answer)
  app.get('/list', { schema: { response: { 200: { type: 'array', items: ScreenContract } } } }, answer)
  app.get('/news', { config: PUBLIC, schema: { summary: 'News' } }, answer)
}

t.test('the document is the same each time, as JSON, as YAML and on the pages of swagger-ui', async t => {
  const app = await documentedHost(t, { before: app => void app.register(swaggerUi), after: screens })
  const document = app.swagger()
  t.equal(app.swagger(), document)
  t.strictSame(parse(app.swagger({ yaml: true })), JSON.parse(JSON.stringify(document)))
  t.equal(app.swagger({ yaml: true }), app.swagger({ yaml: true }))

  const headers = bearer((await logIn(app)).json().token)
  const json = await app.inject({ url: '/documentation/json', headers })
  t.strictSame(json.json(), document)
  const yaml = await app.inject({ url: '/documentation/yaml', headers })
  t.match(yaml.headers['content-type'], /yaml/)
  t.match(yaml.body, /^openapi: 3\.1\.0\n/)
  t.strictSame(parse(yaml.body), document)
})

t.test('YAML may be asked for first', async t => {
  const app = await documentedHost(t, { after: screens })
  t.match(parse(app.swagger({ yaml: true })), {
    paths: { '/list': { get: { security: [{ screenAuth: [] }] } } }
  })
})

t.test('a Swagger 2.0 document stays as it is', async t => {
  const documents = []
  for (const withLogin of [false, true]) {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(swagger, { swagger: {} })
    screens(app)
    if (withLogin) {
      await app.register(async scope => void (await scope.register(screenAuth, options())))
    }
    await app.register(async scope => screens(scope), { prefix: '/more' })
    await app.ready()
    documents.push([app.swagger() as Json, app.swagger({ yaml: true })] as const)
  }
  const [[document, yaml], [completed, completedYaml]] = documents as [
    (typeof documents)[0],
    (typeof documents)[0]
  ]
  delete completed.paths['/menu/main']
  delete completed.paths['/auth/login']
  t.strictSame(completed, JSON.parse(JSON.stringify(document)))
  t.match(completedYaml, /^swagger: "2\.0"/)
  t.notMatch(completedYaml + yaml, /screenAuth/)
})

t.test('the routes of a login in Swagger 2.0 are as they were', async t => {
  const app = await documentedHost(t, { swagger: { openapi: undefined, swagger: {} }, after: screens })
  t.notMatch(JSON.stringify(app.swagger()), /security/)
  t.notMatch(app.swagger({ yaml: true }), /security/)
})

t.test('a document of another name stays as it is', async t => {
  const app = await documentedHost(t, { swagger: { decorator: 'openapi' }, after: screens })
  t.notMatch(JSON.stringify((app as Json).openapi().paths['/list']), /security/)
})

t.test('what a host itself has named swagger stays as it is', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  const own = { openapi: '3.1.0' }
  app.decorate('swagger', own as never)
  await app.register(screenAuth, options())
  await app.ready()
  t.equal(app.swagger, own)
})

t.test('a document that the host has written itself is completed, too', async t => {
  const get = { responses: { 200: { description: 'x' } } }
  const own = {
    openapi: '3.1.0',
    info: { title: 'x', version: '1' },
    paths: { '/list': { get }, '/news': { get } }
  }
  const app = await documentedHost(t, {
    swagger: { mode: 'static', specification: { document: structuredClone(own) } },
    after: screens
  })
  t.strictSame(accessOf(app.swagger()), { 'get /list': 'guarded', 'get /news': 'public' })
})

t.test('the documents are valid OpenAPI 3.0 and 3.1, with and without the three routes', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'documents-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const files = []
  for (const openapi of ['3.0.3', '3.1.0']) {
    for (const isSwaggerFirst of [true, false]) {
      const app = Fastify()
      t.teardown(() => app.close())
      const servers = [{ url: 'https://screens.example.com' }]
      const info = {
        title: 'Screens',
        version: '1.0.0',
        license: { name: 'MIT', url: 'https://example.com' }
      }
      const document = { openapi: { openapi, info, servers } }
      if (isSwaggerFirst) await app.register(swagger, document)
      await app.register(screenAuth, options())
      if (!isSwaggerFirst) await app.register(swagger, document)
      screens(app)
      await app.ready()
      const path = join(folder, `${openapi}-${isSwaggerFirst}`)
      await writeFile(`${path}.json`, JSON.stringify(app.swagger()))
      await writeFile(`${path}.yaml`, app.swagger({ yaml: true }))
      files.push(`${path}.json`, `${path}.yaml`)
    }
  }
  const redocly = join(root, 'node_modules/.bin/redocly')
  const [command, args] = outsideTap(redocly, ['lint', ...files, '--extends=spec'])
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  await promisify(execFile)(command, args, { cwd: root, env }).catch(({ stdout }) => t.fail(stdout))
})
