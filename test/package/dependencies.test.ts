// docs/dependencies.md names what a production install brings, and nothing else.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')

interface Package {
  dependencies?: Record<string, string>
}
const { packages }: { packages: Record<string, Package> } = JSON.parse(read('package-lock.json'))

/** A package and all that it depends on. */
function withDependencies(path: string, found = new Set<string>()): Set<string> {
  for (const name of Object.keys(packages[path]?.dependencies ?? {})) {
    const nested = `${path}/node_modules/${name}`
    const dependency = packages[nested] === undefined ? `node_modules/${name}` : nested
    if (!found.has(dependency)) withDependencies(dependency, found.add(dependency))
  }
  return found
}

const names = (paths: Iterable<string>) => [...paths].map(path => path.replace(/^.*node_modules\//, ''))
const withFastify = names(withDependencies('node_modules/fastify'))
const brought = names(withDependencies('')).filter(name => !withFastify.includes(name))
const page = read('docs/dependencies.md')
const rows = page.split('\n').filter(line => line.startsWith('| `'))

t.test(
  'each package that comes with the production install is named, and there are as many as it says',
  async t => {
    const named = rows.flatMap(row => [...row.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
    const own = named.filter(name => !withFastify.includes(name))
    t.strictSame([...new Set(own)].sort(), [...brought].sort())
    t.match(page, `adds ${brought.length} others`)
  }
)

t.test('each dependency of package.json has a row', async t => {
  const direct = Object.keys(packages['']?.dependencies ?? {})
  const first = rows.flatMap(row =>
    [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name)
  )
  t.strictSame(first.sort(), direct.sort())
})
