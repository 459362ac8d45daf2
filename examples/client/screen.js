/**
 * Reads the responses of a server. A screen may contain anything (contract 2.3 describes only a part), so a value that
 * is missing or has the wrong type becomes an empty text or an empty list here. Views need no checks of their own.
 *
 * @module
 */

/**
 * @typedef {object} Screen
 * @property {string} layout
 * @property {string} title
 * @property {string} locale the language of the texts, for example `de`; empty when it is not known
 * @property {string} displayName
 * @property {string} authAction where a login form is submitted as an AuthRequest; empty on any other screen
 * @property {string} saveAction where a Card is saved (not in the contract); empty when it cannot be saved
 * @property {string} saveLabel the label of the button that saves it; empty for the default
 * @property {Section[]} sections
 * @property {Menu | null} menu
 * @property {List | null} list
 *
 * @typedef {{ label: string, fields: Field[] }} Section
 * @typedef {{ id: string, label: string, type: string, value: string, editable: boolean }} Field
 * @typedef {{ title: string, tabs: Tab[] }} Menu
 * @typedef {{ label: string, items: Item[] }} Tab
 * @typedef {{ label: string, action: Action }} Item
 * @typedef {{ type: string, url: string, text: string, items: Item[] }} Action
 * @typedef {{ columns: Column[], rows: Row[] }} List
 * @typedef {{ label: string, isRight: boolean }} Column with numbers, for instance, if it is on the right
 * @typedef {{ cells: string[], item: Item | null }} Row with an item it can be opened; the first cell is its label
 *
 * @typedef {Record<string, unknown>} Json
 * @typedef {{ token: string | null, error: string, screen: Screen | null }} AuthResponse
 */

/** Limit of popups within popups: more than any menu needs, and too few for a stack overflow. */
const MAX_DEPTH = 8

/**
 * Returns null when it is not a screen: every screen has a layout.
 *
 * @param {unknown} json
 * @returns {Screen | null}
 */
export function readScreen(json) {
  const screen = object(json)
  if (typeof screen.layout !== 'string') return null
  const { layout } = screen
  return {
    layout,
    title: text(screen.title) || layout,
    locale: text(screen.locale),
    displayName: text(screen.user_display_name),
    authAction: text(screen.auth_action),
    saveAction: text(screen.save_action),
    saveLabel: text(screen.save_label).trim(),
    sections: objects(screen.sections).map(readSection),
    menu: layout === 'Menu' || screen.menu ? readMenu(screen.menu) : null,
    list: layout === 'List' || screen.lines ? readList(screen.lines) : null
  }
}

/**
 * The response to submitted credentials (contract 2.2); null when it is no AuthResponse. A failure has no token.
 *
 * @param {unknown} json
 * @returns {AuthResponse | null}
 */
export function readAuthResponse(json) {
  const { success, token, error, screen } = object(json)
  if (success === false) return { token: null, error: text(error), screen: null }
  const isAccepted = success === true && typeof token === 'string' && token !== ''
  return isAccepted ? { token, error: '', screen: readScreen(screen) } : null
}

/**
 * The response of the example server to a saved Card; null when it is something else.
 *
 * @param {unknown} json
 * @returns {{ success: boolean, message: string } | null}
 */
export function readSaved(json) {
  const { success, message } = object(json)
  return typeof success === 'boolean' ? { success, message: text(message) } : null
}

/**
 * @param {Screen} screen
 * @returns {Field[]}
 */
export function fieldsOf({ sections }) {
  return sections.flatMap(({ fields }) => fields)
}

/**
 * @param {Json} section
 * @returns {Section}
 */
function readSection({ label, fields }) {
  return { label: text(label), fields: objects(fields).map(readField) }
}

/**
 * @param {Json} field
 * @returns {Field}
 */
function readField({ id, label, type, value, editable }) {
  return {
    id: text(id),
    label: text(label) || text(id) || 'Field',
    type: text(type),
    value: text(value),
    editable: editable !== false
  }
}

/**
 * @param {unknown} json
 * @returns {Menu}
 */
function readMenu(json) {
  const { panel_title, tabs } = object(json)
  return {
    title: text(panel_title),
    tabs: objects(tabs).map(({ label, items }) => ({ label: text(label), items: readItems(items, 0) }))
  }
}

/**
 * @param {unknown} json
 * @param {number} depth
 * @returns {Item[]}
 */
function readItems(json, depth) {
  if (depth > MAX_DEPTH) return []
  return objects(json).map(({ label, action: described }) => {
    const action = readAction(described, depth)
    const { type, url } = action
    return { label: text(label) || url || (type === 'separator' ? '' : type), action }
  })
}

/**
 * @param {unknown} json
 * @param {number} depth
 * @returns {Action}
 */
function readAction(json, depth) {
  const { type, url, text: says, items } = object(json)
  return { type: text(type), url: text(url), text: text(says), items: readItems(items, depth + 1) }
}

/**
 * @param {unknown} json
 * @returns {List}
 */
function readList(json) {
  const { columns, rows, on_select } = object(json)
  return {
    columns: objects(columns).map(({ id, label, align }) => ({
      label: text(label) || text(id) || 'Column',
      isRight: align === 'right'
    })),
    rows: objects(rows).map(({ values }) =>
      readRow(Array.isArray(values) ? values.map(text) : [], text(on_select))
    )
  }
}

/**
 * @param {string[]} cells
 * @param {string} urlPattern in which `{0}` stands for the first cell
 * @returns {Row}
 */
function readRow(cells, urlPattern) {
  if (urlPattern === '') return { cells, item: null }
  const [first = '', ...others] = cells
  const label = first.trim() === '' ? 'Open' : first
  const url = urlPattern.replace(/\{(\d+)\}/g, (_, index) =>
    encodeURIComponent((cells[index] ?? '').toWellFormed())
  )
  return {
    cells: [label, ...others],
    item: { label, action: { type: 'open_screen', url, text: '', items: [] } }
  }
}

/**
 * @param {unknown} value
 * @returns {string}
 */
function text(value) {
  if (typeof value === 'string') return value
  return value === null || value === undefined ? '' : JSON.stringify(value)
}

/**
 * @param {unknown} value
 * @returns {Json[]} without values that are no objects
 */
function objects(value) {
  return Array.isArray(value) ? value.filter(one => typeof one === 'object' && one !== null) : []
}

/**
 * @param {unknown} value
 * @returns {Json}
 */
function object(value) {
  return objects([value])[0] ?? {}
}
