// Known clients can draw every screen of the example: each one that a screen names is opened and validated.

import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { opaqueTokens } from '../../../lib/index.ts'
import type { Json } from '../process.ts'
import { type Example, fieldsOf, NO_AUTH, startExample } from './in-process.ts'

const known = JSON.parse(readFileSync(new URL('../../../schemas/known-screen.schema.json', import.meta.url), 'utf8'))
const ajv = new Ajv2020({ strict: false }).addSchema(known, 'known')
const isKnown = ajv.compile<Json>({
  $ref: 'known#',
  required: ['locale', 'ui_strings'],
  // The example also sends every text that known clients show by themselves.
  properties: { ui_strings: { required: Object.keys(known.$defs.UiStrings.properties) } }
})

/** Opens the main menu and all screens that a screen names. Returns them by their URLs. */
async function walk({ get }: Example, token: string): Promise<Map<string, Json>> {
  const screens = new Map<string, Json>()
  const urls = ['/menu/main']
  // The list grows during the loop.
  for (const url of urls) {
    if (screens.has(url)) continue
    const response = await get(url, token)
    screens.set(url, response.statusCode === 200 ? response.json() : { status: response.statusCode })
    urls.push(...linksIn(screens.get(url) as Json))
  }
  return screens
}

function linksIn({ parent_url, menu, lines, actions }: Json): string[] {
  const items: Json[] = (menu?.tabs ?? []).flatMap(({ items }: Json) => items)
  const selected = ({ values }: Json) =>
    lines.on_select.replace(/\{(\d+)\}/g, (_: string, index: number) => encodeURIComponent(values[index]))
  const urls = [parent_url, actions?.create, ...items.map(({ action }) => action.url)]
  return [...urls, ...(lines?.rows ?? []).map(selected)].filter(url => url !== undefined)
}

const isLong = ({ type, validation = {} }: Json) =>
  ['Email', 'URL', 'DateRange', 'TextArea'].includes(type) || validation.max_length > 25

/** Returns why known clients do not draw a screen well, or `''`. */
function faultsOf(screen: Json): string {
  if (!isKnown(screen)) return ajv.errorsText(isKnown.errors)
  const sections: Json[] = screen.sections ?? []
  const places = sections.map(({ row_group = 0, column = 0 }: Json) => `${row_group} ${column}`)
  if (new Set(places).size < places.length) return 'it has sections that are drawn over each other'
  const beside = (one: Json) => sections.some(other => other !== one && other.row_group === one.row_group)
  const hasLong = fieldsOf({ sections: sections.filter(beside) }).some(isLong)
  if (hasLong) return 'it has a value that half a row of a terminal cuts'
  return /:null\b/.test(JSON.stringify(screen)) ? 'it has a property that is null and not left out' : ''
}

for (const [mode, auth] of [
  ['with JWTs', {}],
  ['with sessions that can be ended', { tokens: opaqueTokens() }],
  ['without a login', NO_AUTH]
] as const)
  t.test(`known clients can draw every screen, ${mode}`, async t => {
    const example = await startExample(t, auth)
    await example.users.add({ username: 'Ada & {0} Søn', displayName: 'Ada' }, 'a-password')
    const isOpen = auth === NO_AUTH
    const token = isOpen ? '' : (await example.logIn()).token
    if (!isOpen) t.equal(faultsOf(await example.getJson('/auth/login')), '')
    const screens = await walk(example, token)
    t.ok(screens.size > 10)
    for (const [url, screen] of screens) {
      t.equal(faultsOf(screen), '', url)
      t.equal((await example.get(url)).statusCode, isOpen ? 200 : 401, `${url} without a token`)
      t.equal(screen.user_display_name, isOpen ? undefined : 'Demo User', url)
    }
    const types = new Set([...screens.values()].flatMap(fieldsOf).map(({ type }) => type))
    const all = known.$defs.FieldType.enum.filter((type: string) => !isOpen || type !== 'Password')
    t.strictSame([...types].sort(), all.sort(), 'the example shows every type of field')
  })

t.test('a list finds each of its values', async t => {
  const { getJson } = await startExample(t, NO_AUTH)
  for (const path of ['/screen/users', '/screen/contacts']) {
    const { lines } = await getJson(path)
    for (const value of lines.rows.flatMap(({ values }: Json) => values).filter((value: string) => value !== ''))
      t.ok((await getJson(`${path}?query=${encodeURIComponent(value)}`)).lines.row_count > 0, value)
  }
})
