// A client that knows only known-screen.schema.json and no name of the example. It opens every URL that a screen names,
// posts every form with invalid and with valid values, presses every button, and validates each response.

import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { opaqueTokens } from '../../../lib/index.ts'
import { DEMO, type Json } from '../process.ts'
import { type Example, fieldsOf, NO_AUTH, startExample, valuesOf } from './in-process.ts'

const known = JSON.parse(readFileSync(new URL('../../../schemas/known-screen.schema.json', import.meta.url), 'utf8'))
const ajv = new Ajv2020({ strict: false }).addSchema(known, 'known')
/** The example also sends every text that known clients show by themselves. */
const uiStrings = { required: Object.keys(known.$defs.UiStrings.properties) }
const SCREEN = ajv.compile<unknown>({
  $ref: 'known#',
  required: ['locale', 'ui_strings'],
  properties: { ui_strings: uiStrings }
})
const ACTION_RESPONSE = ajv.compile({ $ref: 'known#/$defs/ActionResponse' })

/** A control character, which no field accepts. */
const WRONG = '\u0001'

/** The options of the server, and the expected numbers of logins and pressed buttons. */
const MODES: [mode: string, auth: () => Parameters<typeof startExample>[1], logins: number, pressed: number][] = [
  ['with JWTs', () => ({}), 1, 0],
  // A changed password ends all sessions, and so does the button.
  ['with sessions that can be ended', () => ({ tokens: opaqueTokens() }), 3, 1],
  ['without a login', () => NO_AUTH, 0, 0]
]

class KnownClient {
  /** The faults in the responses. */
  readonly faults: string[] = []
  /** The requests, without their query. */
  readonly sent = new Set<string>()
  /** The completed actions. */
  readonly done: string[] = []
  /** The types of all received fields and menu actions. */
  readonly met = new Set<string>()
  readonly #t: Test
  readonly #example: Example
  readonly #seen = new Set<string>()
  #password = DEMO.password
  #token = ''

  constructor(t: Test, example: Example) {
    this.#t = t
    this.#example = example
  }

  /** Opens a URL and all that its screen names, unless it was opened before. */
  async open(url: string): Promise<void> {
    if (this.#seen.has(url)) return
    this.#seen.add(url)
    await this.#walk(url, await this.#get(url))
  }

  async #walk(url: string, screen: Json): Promise<void> {
    if (screen.parent_url !== undefined) await this.open(screen.parent_url)
    for (const { items } of screen.menu?.tabs ?? [])
      for (const { action } of items) {
        this.met.add(action.type)
        if (/^open_(screen|menu)$/.test(action.type)) await this.open(action.url)
      }
    if (screen.lines !== undefined) await this.#walkList(url, screen)
    for (const action of screen.screen_actions ?? []) await this.#press(screen, action)
    await this.#edit(screen)
  }

  async #walkList(url: string, { lines, actions }: Json): Promise<void> {
    const t = this.#t
    const [path] = url.split('?')
    t.equal(lines.row_count, lines.rows.length)
    for (const { values } of lines.rows) {
      t.equal(values.length, lines.columns.length)
      t.notOk(values.includes('true') || values.includes('false'), 'no cell shows a raw Boolean')
      for (const value of values.filter((value: string) => value !== '')) {
        const found = await this.#get(`${path}?query=${encodeURIComponent(value)}`)
        const isFound = found.lines.rows.some((row: Json) => row.values.includes(value))
        t.ok(isFound, `${value} is found`)
      }
      await this.open(lines.on_select.replace(/\{(\d+)\}/g, (_: string, n: number) => encodeURIComponent(values[n])))
    }
    t.match(await this.#get(`${path}?query=${encodeURIComponent(WRONG)}`), {
      lines: { row_count: 0 },
      status: /\w/
    })
    if (actions?.create === undefined) return
    const blank = await this.#get(actions.create)
    t.equal(fieldsOf(blank).find(({ type }) => type === 'Boolean')?.value, 'false')
    await this.#delete(await this.#saved(blank, 'create'))
  }

  async #press(screen: Json, { id, endpoint }: Json): Promise<void> {
    const body = { action_id: id, record_id: screen.record_id, screen_title: screen.title, fields: {} }
    const response = await this.#post(endpoint, body, ACTION_RESPONSE)
    this.#t.match(response, { code: 200, success: true }, endpoint)
    this.done.push('pressed')
  }

  /** Saves a Card with invalid and with valid values, and deletes its record. */
  async #edit(screen: Json): Promise<void> {
    if (screen.actions?.save === undefined) return
    for (const { id } of editableOf(screen))
      await this.#refused(screen, { ...this.#typedInto(screen), [id]: WRONG }, id)
    const saved = await this.#saved(screen, 'save')
    if (saved.actions === undefined) return
    const late = { [editableOf(screen)[0].id]: 'late' }
    await this.#refused(screen, { ...this.#typedInto(screen), ...late }, 'the Card is stale')
    await this.#delete(saved)
    await this.#refused(saved, late, 'the record is deleted')
  }

  async #refused(screen: Json, changes: object, why: string): Promise<void> {
    this.#t.match(await this.#save(screen, 'save', changes), { status: /^Error: ./ }, why)
  }

  /** Fills in every field and posts the values. Returns the screen of the response. */
  async #saved(screen: Json, action: 'create' | 'save'): Promise<Json> {
    const typed = this.#typedInto(screen)
    const next = await this.#save(screen, action, typed)
    this.#t.match(next, { layout: 'Card', status: /^(?!Error:)./ })
    this.#password = typed.new_password ?? this.#password
    const values = valuesOf(next)
    for (const { id, type } of editableOf(next)) if (type !== 'Password') this.#t.equal(values[id], typed[id], id)
    if (next.url !== undefined) this.#t.strictSame((await this.#get(next.url)).sections, next.sections)
    this.done.push(action)
    return next
  }

  async #delete({ actions, screen_id, record_id }: Json): Promise<void> {
    const list = await this.#post(actions.delete, { screen_id, record_id })
    this.#t.match(list, { layout: 'List', status: /^(?!Error:)./ })
    this.done.push('delete')
  }

  /** Returns a value for each field, in the locale of the screen. */
  #typedInto(screen: Json): Record<string, string> {
    return Object.fromEntries(editableOf(screen).map(field => [field.id, this.#typed(field, screen.locale)]))
  }

  #typed({ id, type, options }: Json, { date_format, decimal_separator }: Json): string {
    const day = (day: string) => date_format.replace('DD', day).replace('MM', '02').replace('YYYY', '2026')
    const values: Record<string, string> = {
      Text: 'typed',
      Decimal: `7${decimal_separator}5`,
      Integer: '7',
      Date: day('28'),
      Email: 'typed@example.com',
      Phone: '+49 30 1234',
      URL: 'https://example.com/typed',
      Boolean: 'true',
      Option: options?.[0].value,
      Password: id === 'current_password' ? this.#password : 'typed-password',
      TextArea: 'typed\ntwice',
      DateRange: `${day('27')}/${day('28')}`,
      Time: '12:34'
    }
    return values[type] as string
  }

  #save({ screen_id, record_id, actions }: Json, action: string, changes: object): Promise<Json> {
    return this.#post(actions[action], { screen_id, record_id, changes, action, lines: [] })
  }

  async #get(url: string): Promise<Json> {
    this.#note('GET', url)
    const response = await this.#example.get(url, this.#token)
    if (response.statusCode === 401) return this.#logIn(() => this.#get(url))
    this.#t.equal(response.statusCode, 200, url)
    return this.#checked(url, response.json())
  }

  async #post(url: string, body: object, type = SCREEN): Promise<Json> {
    this.#note('POST', url)
    const response = await this.#example.post(url, body, this.#token)
    if (response.code === 401) return this.#logIn(() => this.#post(url, body, type))
    this.#t.equal(response.code, 200, url)
    return this.#checked(url, response, type)
  }

  /** Logs in with a wrong and with the right password, and then repeats the request. */
  async #logIn(then: () => Promise<Json>): Promise<Json> {
    this.#token = ''
    const form = this.#checked('GET /auth/login', await this.#example.getJson('/auth/login'))
    this.#note('GET', '/auth/login')
    this.#note('POST', form.auth_action)
    const [username, password] = fieldsOf(form).map(({ id }) => id)
    const fields = { [username]: DEMO.username, [password]: WRONG }
    this.#t.match(await this.#example.post(form.auth_action, { fields }), {
      code: 200,
      success: false,
      error: /\w/
    })
    fields[password] = this.#password
    const { token, screen } = await this.#example.post(form.auth_action, { fields })
    this.#token = token
    this.#checked('POST /auth/login', screen)
    this.done.push('logged in')
    return then()
  }

  #checked(url: string, json: Json, type = SCREEN): Json {
    const faultIf = (isFault: boolean, fault: string) => isFault && this.faults.push(`${url} ${fault}`)
    if (!type(json)) faultIf(true, ajv.errorsText(type.errors))
    faultIf(/:null\b/.test(JSON.stringify(json)), 'has a property that is null and not left out')
    const places = (json.sections ?? []).map(({ row_group = 0, column = 0 }: Json) => `${row_group} ${column}`)
    faultIf(new Set(places).size < places.length, 'has sections that are drawn over each other')
    faultIf(json.status?.length > 42, json.status)
    faultIf(type === SCREEN && this.#token !== '' && json.user_display_name !== 'Demo User', 'has no display name')
    for (const { id, type: kind, value, true_label, false_label } of fieldsOf(json)) {
      this.met.add(kind)
      faultIf(kind === 'Date' && !/^(\d\d-\d\d-\d{4})?$/.test(value), `${id} is not in the format of the locale`)
      faultIf(kind === 'Boolean' && !(true_label && false_label), `${id} has no words`)
      faultIf(kind === 'Boolean' && !/^(true|false)$/.test(value), `${id} is neither true nor false`)
    }
    return json
  }

  #note(method: string, url: string): void {
    this.sent.add(`${method} ${url.split('?')[0]}`)
  }
}

function editableOf(screen: Json): Json[] {
  return fieldsOf(screen).filter(({ editable, type }) => editable !== false && type !== 'Separator')
}

/** Returns the routes of the app with their methods, without the files of the web client. */
function routesOf(app: FastifyInstance): string[] {
  const above: string[] = []
  const routes = app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap(line => {
      const [, indent = '', part = '', methods = ''] = /^(\W*)── (\S+) \((.+)\)$/.exec(line) ?? []
      above.splice(Math.floor(indent.length / 4), Infinity, part)
      return methods.split(', ').map(method => `${method} ${above.join('')}`)
    })
  return routes.filter(route => /^(GET|POST) \/(?!web\/)\w/.test(route))
}

for (const [mode, auth, logins, pressed] of MODES)
  t.test(`known clients can read every screen and use every action, ${mode}`, async t => {
    const example = await startExample(t, auth())
    await example.users.add({ username: 'Ada & {0} Søn', displayName: 'Ada' }, 'a-password')
    const client = new KnownClient(t, example)
    await client.open('/menu/main')
    t.strictSame(client.faults, [])
    // No screen names the logout.
    const routes = routesOf(example.app).filter(route => route !== 'POST /auth/logout')
    t.strictSame([...client.sent].sort(), routes.sort(), 'the client uses every route')
    const count = (action: string) => client.done.filter(one => one === action).length
    t.strictSame(['logged in', 'pressed', 'create', 'delete'].map(count), [logins, pressed, 1, 7])
    const types = known.$defs.FieldType.enum.filter((type: string) => logins > 0 || type !== 'Password')
    t.strictSame(new Set([...types, 'open_screen', 'separator', 'message']), client.met)
    t.strictSame(await example.contacts.list(), [])
    if (logins > 0) t.match(await example.logIn({ ...DEMO, password: 'typed-password' }), { success: true })
  })

t.test('every route except the login returns 401 without a token', async t => {
  const { app } = await startExample(t, { tokens: opaqueTokens() })
  for (const route of routesOf(app).filter(route => !route.endsWith('/auth/login'))) {
    const [method, url] = route.split(' ') as ['GET' | 'POST', string]
    t.equal((await app.inject({ method, url })).statusCode, 401, route)
  }
})
