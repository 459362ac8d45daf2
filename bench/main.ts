/** `npm run bench [-- options]`: see compare.ts, which needs packages of its own. */
import { readOptions } from './options.ts'
import { setUp } from './set-up.ts'

// First, so that a wrong option or --help does not wait for the packages.
readOptions()
setUp()
await import('./compare.ts')
