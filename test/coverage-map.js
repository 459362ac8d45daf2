import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'

const sources = ['lib', 'schemas', 'examples'].flatMap(folder =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter(path => /\.[jt]s$/.test(path))
    .map(path => resolve(folder, path))
)

/** What counts as covered by the tests of this package: the two other packages have tests of their own. */
export default () => sources
