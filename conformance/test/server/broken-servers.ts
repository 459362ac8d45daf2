import { brokenGuards } from './broken-guards.ts'
import { brokenLogins } from './broken-logins.ts'
import { brokenTokens } from './broken-tokens.ts'

export { partsOf } from './broken-parts.ts'

/** Every broken server, and the clause that the kit must name. */
export const brokenServers = [...brokenGuards, ...brokenLogins, ...brokenTokens]
