import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'

/** The sources whose coverage counts: `npm test` runs the example, but does not test all of it. */
export default () =>
  ['lib', 'schemas'].flatMap(folder =>
    readdirSync(folder, { recursive: true })
      .map(String)
      .filter(path => path.endsWith('.ts') && path !== 'generated/known-screen.ts')
      .map(path => resolve(folder, path))
  )
