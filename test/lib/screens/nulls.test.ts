// Servers of the public protocol send null for what a screen lacks. The published schema says where it may stand.
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import Fastify from 'fastify'
import t from 'tap'
import screenAuth from '../../../lib/index.ts'
import { ScreenContract } from '../../../schemas/index.ts'
import { ADA, bearer, forge, host, logIn, options } from '../../helpers.ts'

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../schemas/generated/json/${name}.json`, import.meta.url), 'utf8'))
const isValid = new Ajv2020({ strict: false }).compile(read('ScreenContract'))

const text = fc.string({ unit: 'grapheme' })
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value)
const json = fc.jsonValue({ maxDepth: 2 })
/** Properties that the contract does not know, which may have any value. */
const more = { lines: orNull(json), ui_strings: orNull(json), '': json }
const field = fc.record(
  { id: text, label: text, type: text, value: orNull(text), ...more },
  { requiredKeys: ['id', 'label', 'type'] }
)
const section = fc.record(
  { id: text, label: text, fields: fc.array(field, { maxLength: 3 }), ...more },
  { requiredKeys: ['id', 'label', 'fields'] }
)
const screen = fc.record(
  {
    layout: text,
    title: orNull(text),
    auth_action: orNull(text),
    sections: orNull(fc.array(section, { maxLength: 3 })),
    menu: orNull(fc.dictionary(text, json)),
    user_display_name: orNull(text),
    ...more
  },
  { requiredKeys: ['layout'] }
)

/** What a client parses from the text of a value. */
const parsed = (value: unknown) => JSON.parse(JSON.stringify(value))

for (const enabled of [true, false])
  t.test(`a screen with null goes out unchanged, enabled: ${enabled}`, async t => {
    let sent: ScreenContract
    const app = Fastify()
    t.teardown(() => app.close())
    const schema = { response: { 200: ScreenContract } }
    app.get('/early', { schema }, async () => sent)
    await app.register(screenAuth, { ...options({ mainMenu: () => sent }), enabled } as never)
    app.get('/screen', { schema }, async () => sent)
    app.get('/public', { schema, config: { screenAuth: false } }, async () => sent)
    const headers = bearer(forge())
    await fc.assert(
      fc.asyncProperty(screen, async screen => {
        sent = screen as ScreenContract
        t.ok(isValid(screen) || t.fail(JSON.stringify(isValid.errors)))
        const named = { ...parsed(screen), user_display_name: screen.user_display_name ?? ADA.displayName }
        for (const url of ['/early', '/screen', '/menu/main', '/public']) {
          const { body } = await app.inject({ url, headers })
          t.strictSame(JSON.parse(body), enabled && url !== '/public' ? named : parsed(screen), url)
        }
        if (enabled) t.strictSame((await logIn(app)).json().screen, named)
      }),
      { numRuns: 150 }
    )
  })

t.test('a value of another type goes out as text, where the schema says text', async t => {
  const app = await host(t)
  const field = { id: 'a', label: 'A', type: 'Number' }
  const sections = [
    {
      id: 's',
      label: 'S',
      fields: [
        { ...field, value: 5 },
        { ...field, value: 5n }
      ]
    }
  ]
  app.get(
    '/slip',
    { schema: { response: { 200: ScreenContract } } },
    async () => ({ layout: 'Card', title: 7, sections }) as never
  )
  const { title, sections: out } = (await app.inject({ url: '/slip', headers: bearer(forge()) })).json()
  t.strictSame([title, ...out[0].fields.map((field: { value: unknown }) => field.value)], ['7', '5', '5'])
})

t.test('after a value of another type, an error handler of the host may send what it likes', async t => {
  const app = await host(t)
  app.setErrorHandler(async () => ({ failed: true }))
  app.addHook('preSerialization', async (request, _reply, payload) => {
    if (request.url === '/bad' && 'title' in (payload as object)) throw new Error('bad')
    return payload
  })
  app.get(
    '/bad',
    { schema: { response: { 200: ScreenContract } } },
    async () => ({ layout: 'Card', title: 7 }) as never
  )
  t.strictSame((await app.inject({ url: '/bad', headers: bearer(forge()) })).json(), { failed: true })
})

t.test('a copy of ScreenContract keeps the formats of its own properties', async t => {
  const app = await host(t)
  const { properties: given } = ScreenContract as unknown as { properties: object }
  const properties = { ...given, work_date: { type: 'string', format: 'date' } }
  app.get('/copy', { schema: { response: { 200: { ...ScreenContract, properties } } } }, async () => ({
    layout: 'Card',
    title: null,
    work_date: new Date(0)
  }))
  const { work_date, title } = (await app.inject({ url: '/copy', headers: bearer(forge()) })).json()
  t.strictSame([work_date, title], ['1970-01-01', null])
})
