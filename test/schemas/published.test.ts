// The published contract, which other projects use to validate, to lint and to generate code.
import { readFile } from 'node:fs/promises'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { InjectOptions } from 'fastify'
import t from 'tap'
import screenAuth from '../../lib/index.ts'
import { generatedFiles } from '../../schemas/build/files.ts'
import { CONTRACT_VERSION, DATA_VERSION, publishedFiles } from '../../schemas/build/publish.ts'
import { CREDENTIALS, MAIN_MENU } from '../../schemas/examples.ts'
import { ADA, emptyHost, options } from '../helpers.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tests read any property of a document, and fail if it is missing
type Json = any

const published = publishedFiles()
const schemas = Object.keys(published)
  .filter(path => path.startsWith('json/'))
  .map(path => JSON.parse(published[path] as string))

t.test('the committed files are what `npm run contract` writes', async t => {
  for (const [path, text] of Object.entries(await generatedFiles())) {
    const file = new URL(`../../schemas/generated/${path}`, import.meta.url)
    t.equal(await readFile(file, 'utf8'), text, `${path} is stale: npm run contract`)
  }
})

t.test('each type is a JSON Schema 2020-12, which its examples match; a validator can load all of them', async t => {
  t.equal(schemas.length, 5)
  const ajv = new Ajv2020({ strict: true })
  for (const schema of schemas) {
    const validate = ajv.compile(schema)
    t.equal(schema.$id, `urn:screen-service-auth:${CONTRACT_VERSION}:${schema.title}`)
    t.equal(schema.$comment, `Contract version ${CONTRACT_VERSION}, data version ${DATA_VERSION}`)
    t.ok(schema.description)
    t.ok(schema.examples.length > 0)
    for (const example of schema.examples) t.ok(validate(example), schema.title)
  }
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

const broken = () => {
  throw new Error('broken')
}
const tooMany = Object.assign(new Error('too many requests'), { statusCode: 429 })
const tokens = { issue: () => 'the-token-of-ada', verify: () => ADA }
const mainMenu = () => MAIN_MENU
const throttle = { usernameAndAddress: { failures: 1, seconds: 900 } }
const withToken = { headers: { authorization: 'Bearer the-token-of-ada' } }
const payload = CREDENTIALS

/** The options of a server and a request, for each response. */
const CASES: Record<string, [options: object, request: InjectOptions]> = {
  'get /auth/login 200 form': [{}, {}],
  'get /auth/login 404': [{ enabled: false }, {}],
  'get /auth/login 500': [{ loginForm: broken }, {}],
  'post /auth/login 200 accepted': [{ tokens, mainMenu }, { payload }],
  'post /auth/login 200 rejected': [{ checkCredentials: () => null }, { payload }],
  'post /auth/login 200 blocked': [{ checkCredentials: () => null, throttle }, { payload }],
  'post /auth/login 400 refused': [{}, { payload: {} }],
  'post /auth/login 404': [{ enabled: false }, { payload }],
  'post /auth/login 413 refused': [{}, { payload: { fields: { username: 'x'.repeat(20_000) } } }],
  'post /auth/login 415 refused': [{}, { payload: 'x', headers: { 'content-type': 'text/plain' } }],
  'post /auth/login 500 refused': [{ checkCredentials: broken }, { payload }],
  'post /auth/login 503 refused': [{ tokens: { ...tokens, issue: broken } }, { payload }],
  'post /auth/login default refused': [{}, { payload }],
  'get /menu/main 200 menu': [{ tokens, mainMenu }, withToken],
  'get /menu/main 401': [{ tokens }, {}],
  'get /menu/main 500': [{ tokens, mainMenu: broken }, withToken],
  'get /menu/main 503': [{ tokens: { ...tokens, verify: broken } }, withToken]
}

t.test('the server sends each status and example of openapi.json', async t => {
  const { paths } = JSON.parse(published['openapi.json'] as string)
  t.strictSame(paths['/menu/main'].get.security, [{ screenAuth: [] }])
  t.strictSame(paths['/auth/login'].post.security, [])
  for (const [name, [overrides, request]] of Object.entries(CASES)) {
    const [method, url, status, key] = name.split(' ') as ['get' | 'post', string, string, string?]
    const { content, headers = {} } = paths[url][method].responses[status]
    const { example, examples } = content?.['application/json'] ?? {}
    // Without a log, the no-auth mode warns once per process, and another test would miss this warning.
    const app = emptyHost(t, { logger: { stream: { write() {} } } })
    if (status === 'default') app.addHook('onRequest', async () => Promise.reject(tooMany))
    await app.register(screenAuth, options(overrides))
    const send = async () => app.inject({ method, url, ...request })
    // The second of two failed logins is blocked if the limit is 1.
    await send()
    const response = await send()
    t.equal(response.statusCode, status === 'default' ? 429 : Number(status), name)
    t.strictSame(response.body && response.json(), key ? examples[key].value : (example ?? ''), name)
    for (const [header, { schema }] of Object.entries<Json>(headers))
      if (header !== 'Retry-After' || !/accepted|rejected/.test(name))
        t.equal(response.headers[header.toLowerCase()], String(schema.example), name)
  }
})

/** A version, a validator for it, and keywords that it lacks. */
const EDITIONS = {
  'openapi.json': [/^3\.1\./, Ajv2020, /"nullable":/],
  'openapi-3.0.json': [/^3\.0\./, Ajv, /"type": ("null"|\[)|"(if|then|else|const)":/]
} as const

for (const [name, [edition, Validator, unknown]] of Object.entries(EDITIONS)) {
  const document = JSON.parse(published[name] as string)

  t.test(`${name} has its edition and both versions`, async t => {
    t.match(document.openapi, edition)
    t.notMatch(published[name], unknown)
    t.match(document.info, { version: DATA_VERSION, 'x-contract-version': CONTRACT_VERSION })
  })

  t.test(`a validator of its edition accepts each example of ${name}, and no component has one`, async t => {
    const ajv = new Validator({ strict: false }).addSchema(document, name)
    t.notMatch(JSON.stringify(document.components), /"examples?":/)
    JSON.stringify(document.paths, (_, value) => {
      const { schema, example, examples = { example: { value: example } } } = value ?? {}
      if (!schema || schema.example) return value
      const validate = ajv.compile(schema.$ref ? { $ref: name + schema.$ref } : schema)
      for (const { value } of Object.values<Json>(examples))
        t.ok(validate(value), `${JSON.stringify(value)}: ${ajv.errorsText(validate.errors)}`)
      return value
    })
  })
}
