// A client that knows section 6 of the design and no name of the example. It opens what it finds, saves what can be
// saved, and presses every button.

import t, { type Test } from 'tap'
import type { ListScreen, MenuItem } from '../../../schemas/screens.ts'
import { DEMO, type Json } from '../process.ts'
import { type Example, sessionTokens, startExample } from './in-process.ts'

const LAYOUTS = ['Card', 'List', 'HeaderLines', 'Grid', 'Menu']

/** For each type a value that a person may type. */
const TYPED: Record<string, string> = {
  Text: 'typed',
  Decimal: '7.5',
  Integer: '7',
  Date: '2026-02-28',
  Email: 'typed@example.com',
  Phone: '+49 30 1234',
  URL: 'https://example.com/typed',
  Boolean: 'true',
  Password: 'typed-password',
  TextArea: 'typed\ntwice',
  DateRange: '2026-02-28/2026-03-01',
  Time: '12:34'
}

/** A client that walks from screen to screen, and checks each. */
class ForeignClient {
  /** The kinds of what it has met, by their number. */
  readonly met = new Map<string, number>()
  readonly #t: Test
  readonly #example: Example
  readonly #seen = new Set<string>()
  #password = DEMO.password
  #token = ''

  constructor(t: Test, example: Example) {
    this.#t = t
    this.#example = example
  }

  /** Opens a URL once, and goes on from there. */
  async open(url: string): Promise<void> {
    if (this.#seen.has(url)) return
    this.#seen.add(url)
    await this.#walk(await this.#get(url))
  }

  async #get(url: string): Promise<Json> {
    let response = await this.#example.get(url, this.#token)
    if (response.statusCode === 401) {
      this.#count('logged in')
      const { token } = await this.#example.logIn({ ...DEMO, password: this.#password })
      this.#token = token
      response = await this.#example.get(url, token)
    }
    this.#t.equal(response.statusCode, 200, url)
    return response.json()
  }

  async #walk(screen: Json): Promise<void> {
    this.#check(screen)
    if (screen.parent_url !== undefined) await this.open(screen.parent_url)
    for (const { items } of screen.menu?.tabs ?? []) for (const item of items) await this.#choose(item)
    if (screen.lines !== undefined) for (const url of rowUrls(screen.lines)) await this.open(url)
    for (const action of screen.screen_actions ?? []) await this.#press(screen, action)
    await this.#edit(screen)
  }

  /** What is there has the type that clients rely on, and nothing is null. */
  #check(screen: Json): void {
    const t = this.#t
    this.#count(screen.layout)
    t.ok(LAYOUTS.includes(screen.layout), screen.layout)
    t.type(screen.title, 'string')
    t.notMatch(JSON.stringify(screen), /:null\b/)
    for (const field of fieldsOf(screen)) {
      this.#count(`a ${field.type}`)
      t.ok(field.type in TYPED || field.type === 'Option' || field.type === 'Separator', field.type)
      for (const key of ['id', 'label', 'value']) t.type(field[key], 'string', `${field.id} ${key}`)
    }
    const { lines } = screen
    if (lines === undefined) return
    t.equal(lines.row_count, lines.rows.length)
    for (const { values } of lines.rows) t.equal(values.length, lines.columns.length)
  }

  async #choose({ action }: MenuItem): Promise<void> {
    this.#count(action.type)
    if (action.type === 'open_screen' || action.type === 'open_menu') await this.open(action.url)
  }

  async #press(screen: Json, { id, kind, endpoint, confirm_message }: Json): Promise<void> {
    this.#count(kind)
    if (kind === 'confirm') this.#t.match(confirm_message, /\w/)
    const body = { action_id: id, record_id: screen.record_id, screen_title: screen.title, fields: {} }
    const { code, success, push_url } = await this.#example.post(endpoint, body, this.#token)
    this.#t.match({ code, success }, { code: 200, success: true }, endpoint)
    if (push_url !== undefined) await this.open(push_url)
  }

  /** Creates, saves with a fault, saves and saves again, and deletes. */
  async #edit(screen: Json): Promise<void> {
    const t = this.#t
    const { create, save } = screen.actions ?? {}
    if (create !== undefined) return this.#edit(await this.#accepted(screen, 'create'))
    if (save === undefined) return
    const wrong = fieldsOf(screen).find(({ validation }) => validation?.required)
    const refused = await this.#post(screen, 'save', { [wrong.id]: '' })
    t.match(refused, { code: 200, status: /^Error: ./ }, 'what is required is missing')
    t.ok(refused.status.length <= 42, refused.status)
    const saved = await this.#accepted(screen, 'save')
    if (saved.actions.delete === undefined) return
    const list = await this.#post(saved, 'delete', {})
    t.match(list, { code: 200, layout: 'List', status: /^(?!Error:)./ })
    this.#count('deleted')
  }

  /** Types into every field, and posts that. Returns the screen of the response. */
  async #accepted(screen: Json, action: 'create' | 'save'): Promise<Json> {
    const editable = fieldsOf(screen).filter(
      ({ editable, type }) => editable !== false && type !== 'Separator'
    )
    const changes = Object.fromEntries(editable.map(field => [field.id, this.#typed(field)]))
    const next = await this.#post(screen, action, changes)
    this.#t.match(next, { code: 200, layout: 'Card', status: /^(?!Error:)./ })
    this.#check(next)
    this.#password = changes.new_password ?? this.#password
    const values = new Map(fieldsOf(next).map(({ id, value }) => [id, value]))
    for (const { id, type } of editable)
      if (type !== 'Password') this.#t.equal(values.get(id), changes[id], `${id} is shown as it was typed`)
    if (next.url !== undefined) {
      const { sections } = await this.#get(next.url)
      this.#t.strictSame(sections, next.sections, 'its URL leads to the same screen')
    }
    this.#count(`${action}d`)
    return next
  }

  #typed({ id, type, options }: Json): string {
    if (id === 'current_password') return this.#password
    return type === 'Option' ? (options[0].value ?? options[0]) : (TYPED[type] as string)
  }

  #post(screen: Json, action: string, changes: object): Promise<Json> {
    const { screen_id, record_id, actions } = screen
    return this.#example.post(actions[action], { screen_id, record_id, changes, action }, this.#token)
  }

  #count(what: string): void {
    this.met.set(what, (this.met.get(what) ?? 0) + 1)
  }
}

function fieldsOf(screen: Json): Json[] {
  return (screen.sections ?? []).flatMap(({ fields }: { fields: Json[] }) => fields)
}

function rowUrls({ on_select, rows }: ListScreen['lines']): string[] {
  if (on_select === undefined) return []
  return rows.map(({ values }) =>
    on_select.replace(/\{(\d+)\}/g, (_, index) => encodeURIComponent(values[index] ?? ''))
  )
}

t.test('a client that knows nothing but section 6 walks every screen, and does what can be done', async t => {
  const example = await startExample(t)
  const { met } = await walk(t, example)
  t.strictSame([met.get('logged in'), met.get('created'), met.get('deleted')], [1, 1, 6])
  for (const type of [...Object.keys(TYPED), 'Option', 'Separator']) t.ok(met.has(`a ${type}`), type)
  for (const kind of ['open_screen', 'separator', 'message', 'simple']) t.ok(met.has(kind), kind)
  t.strictSame(await example.contacts.list(), [])
  t.match(await example.logIn({ ...DEMO, password: TYPED.Password }), { success: true })
})

t.test('without a login it walks every screen, too', async t => {
  const example = await startExample(t, { enabled: false })
  const { met } = await walk(t, example)
  t.strictSame([met.get('created'), met.get('deleted')], [1, 6])
  t.notOk(met.has('logged in') || met.has('a Password'))
  t.strictSame(await example.contacts.list(), [])
})

t.test('where sessions can be ended, it ends its own, and goes on after another login', async t => {
  const example = await startExample(t, { tokens: sessionTokens() })
  await example.users.add({ username: 'Ada & {0} Søn', displayName: 'Ada' }, 'a-password')
  const { met } = await walk(t, example)
  t.equal(met.get('confirm'), 1)
  t.ok((met.get('logged in') ?? 0) > 1)
})

async function walk(t: Test, example: Example): Promise<ForeignClient> {
  const client = new ForeignClient(t, example)
  await client.open('/menu/main')
  return client
}
