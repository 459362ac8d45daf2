/**
 * `npm run build` runs it: generates generated.ts from the contract and the manifest. Builds the library with its types in
 * dist, and the command as one file that needs only Node.
 */
import { execSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { buildSync } from 'esbuild'

/** Short names for the ids of clauses that have no number and only a long name in the contract. */
const NAMES = {
  'Protected route requested with a missing token': 'missing token',
  'Protected route requested with an invalid or expired token': 'invalid token',
  'Credentials rejected on POST /auth/login': 'rejected credentials',
  'Token lifetime of the reference server': 'token lifetime'
}

/** The beginnings of the ids of clauses below headings without a number. */
const UNNUMBERED = { Rules: '4 rule ', 'Route protection table': '5 table ' }

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const clauses = [...clausesOf(readFileSync('contract.md', 'utf8'))]
writeFileSync(
  'generated.ts',
  `// Made by build.js from package.json and contract.md.
/** The version of this package. */
export const version: string = ${JSON.stringify(version)}

/** The text of each clause of the contract, by its id. The text of a table row is its cells. */
export const clauses: Map<string, string> = new Map(${JSON.stringify(clauses, null, 2)})
`
)
execSync('tsc --project tsconfig.build.json', { stdio: 'inherit' })
const licence = `\n/*\nscreen-auth-conformance\n\n${readFileSync('../LICENSE', 'utf8')}*/\n`
writeFileSync('dist/index.js', bundled('index.ts'))
writeFileSync('dist/screen-auth-conformance.mjs', bundled('cli.ts') + licence, { mode: 0o755 })

/**
 * Returns the text of each clause of the contract, by its id. The clauses are the numbered items, the rows of the
 * tables, and the paragraphs of the first section. A text that ends with "not shown." is a gap and not a clause.
 *
 * @param {string} contract
 */
function clausesOf(contract) {
  const clauses = new Map()
  let section = ''
  let parent = ''
  const isRule = (line = '') => /^\|[-|]+\|$/.test(line)
  for (const line of contract.split('\n').filter((line, at, lines) => !isRule(line) && !isRule(lines[at + 1]))) {
    const [, heading] = /^#+ (.*)/.exec(line) ?? []
    const [, indent, number, words = ''] = /^( *)(\d+)\. (.*)/.exec(line) ?? []
    if (heading !== undefined) section = UNNUMBERED[heading] ?? `${/^[\d.]*\d/.exec(heading) ?? ''} `.trimStart()
    else if (line.startsWith('| ')) {
      const cells = line.slice(2, -2).split(' | ')
      clauses.set(section + nameOf(cells, section), cells.join(' · '))
    } else if (line === '' || line.endsWith('not shown.')) continue
    else if (number !== undefined) {
      const id = indent ? `${parent}.${number}` : section.replace(/(\d) $/, '$1.') + number
      if (!indent) parent = id
      clauses.set(id, words)
    } else if (section === '1 ') clauses.set(clauses.has('1') ? '1 login' : '1', line)
  }
  return clauses
}

/**
 * @param {string[]} cells of a row
 * @param {string} section
 */
function nameOf(cells, section) {
  const [first = '', second = ''] = cells.map(cell => cell.replaceAll('`', ''))
  const route = { '4 ': `${first} ${second}`, '5 table ': `${second} ${first}` }[section]
  return route?.replace('any ', '') ?? NAMES[first] ?? first
}

/** @param {string} entry a source file */
function bundled(entry) {
  const options = { platform: 'node', format: 'esm', target: 'node20.19', bundle: true, write: false }
  return buildSync({ entryPoints: [entry], ...options }).outputFiles[0].text
}
