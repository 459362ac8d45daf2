import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Version of this package. It is imported by name, because the build puts this file into another folder. */
export const { version } = require('screen-auth-conformance/package.json') as { version: string }
