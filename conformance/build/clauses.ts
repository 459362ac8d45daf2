/** The names in ids, where the contract has no number and no short name. */
const NAMES: Record<string, string> = {
  'Protected route requested with a missing token': 'missing token',
  'Protected route requested with an invalid or expired token': 'invalid token',
  'Credentials rejected on POST /auth/login': 'rejected credentials',
  'Token lifetime of the reference server': 'token lifetime'
}

/** What ids begin with below headings without a number. */
const UNNUMBERED: Record<string, string> = { Rules: '4 rule ', 'Route protection table': '5 table ' }

/**
 * The text of each clause of the contract, by its id: its numbered items, the rows of its tables and the paragraphs of
 * its first section. What is "not shown" there is a gap, and no clause.
 */
export function clausesOf(contract: string): Map<string, string> {
  const clauses = new Map<string, string>()
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

/** The name of a row: a method and a path, or the first cell. */
function nameOf(cells: string[], section: string): string {
  const [first = '', second = ''] = cells.map(cell => cell.replaceAll('`', ''))
  const route = { '4 ': `${first} ${second}`, '5 table ': `${second} ${first}` }[section]
  return route?.replace('any ', '') ?? NAMES[first] ?? first
}
