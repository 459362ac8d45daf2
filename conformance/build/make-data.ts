// Writes generated.ts, from the contract and the manifest.
import { readFileSync, writeFileSync } from 'node:fs'
import { clausesOf } from './clauses.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const clauses = [...clausesOf(readFileSync('contract.md', 'utf8'))]

writeFileSync(
  'generated.ts',
  `// Made by build/make-data.ts from package.json and contract.md.
/** The version of this package. */
export const version: string = ${JSON.stringify(version)}

/** The text of each clause of the contract, by its id. The text of a table row is its cells. */
export const clauses: Map<string, string> = new Map(${JSON.stringify(clauses, null, 2)})
`
)
