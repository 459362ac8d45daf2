import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'

const sources = ['lib', 'schemas', 'examples'].flatMap(folder =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter(path => /\.[jt]s$/.test(path))
    .map(path => resolve(folder, path))
)

/** The sources whose coverage counts: the other two packages have their own tests. */
export default () => sources
