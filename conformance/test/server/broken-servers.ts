import { brokenGuards } from './broken-guards.ts'
import { brokenLogins } from './broken-logins.ts'
import type { BrokenServer } from './broken-parts.ts'
import { brokenTokens } from './broken-tokens.ts'
import { conforming, type Parts } from './minimal-server.ts'

/** Every broken server, and the clause that the kit must name. */
export const brokenServers = [...brokenLogins, ...brokenGuards, ...brokenTokens]

/** Returns the parts of a broken server; the others are those of one that conforms. */
export function partsOf({ form, prefix, change }: BrokenServer): Parts {
  const parts = conforming(form, prefix)
  return { ...parts, ...(typeof change === 'function' ? change(parts) : change) }
}
