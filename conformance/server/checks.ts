import type { Check } from './server-case.ts'
import type { JudgedResponse, Values } from './values.ts'

/** Returns the value at a path of the body (`screen.layout`); undefined if the value or the response is missing. */
const valueAt = (response: JudgedResponse | undefined, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => Object(value)[key], response?.body)

/** Returns the value at a path of the body. Null counts as missing, because servers send it for what a screen lacks. */
export const at = (response: JudgedResponse | undefined, path: string): unknown => valueAt(response, path) ?? undefined

export const all =
  (...checks: Check[]): Check =>
  (response, values) => {
    for (const check of checks) {
      const unmet = check(response, values)
      if (unmet !== undefined) return unmet
    }
    return undefined
  }

export const either =
  (...checks: Check[]): Check =>
  (response, values) => {
    const unmet = checks.flatMap(check => check(response, values) ?? [])
    return unmet.length < checks.length ? undefined : { words: unmet.map(({ words }) => words).join(', or ') }
  }

/** Requires that the response to a named exchange passes a check, so that one fault does not fail every variation. */
export const ifPlain =
  (name: string, check: Check): Check =>
  (_, values) => {
    const response = values.responseTo(name)
    return response && check(response, values)
  }

/** Returns a check that passes if `test` returns true. Otherwise the report shows `words` as the expectation. */
export const that =
  (words: string | ((values: Values) => string), test: (response: JudgedResponse, values: Values) => boolean): Check =>
  (response, values) =>
    test(response, values) ? undefined : { words: typeof words === 'string' ? words : words(values) }

type Test = (value: unknown, response: JudgedResponse, values: Values) => boolean

const valueThat =
  (what: string, words: string, test: Test, valueIn: (response: JudgedResponse) => unknown): Check =>
  (response, values) => {
    const value = valueIn(response)
    if (test(value, response, values)) return undefined
    if (value !== undefined) return { words: `${what} ${words}` }
    return { words: `${what} ${words} (it is missing)`, missing: what.slice(what.search(/\w+$/)) }
  }

/** Returns a check for the value at a path of the body. */
export const member = (path: string, words: string, test: Test): Check =>
  valueThat(path, words, test, response => valueAt(response, path))

export const claim = (name: string, words: string, test: Test): Check =>
  valueThat(`the claim ${name}`, words, test, ({ jwt }) => jwt?.claims[name])
