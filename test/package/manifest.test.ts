// What package.json and the lockfiles promise.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import semver from 'semver'
import t from 'tap'
import { pages } from '../docs/page.ts'

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')
const manifest = JSON.parse(read('package.json'))

interface Lockfile {
  version: string
  packages: Record<
    string,
    { version: string; engines?: { node?: string }; bin?: Record<string, string>; dev?: boolean }
  >
}
const lockfile: Lockfile = JSON.parse(read('package-lock.json'))

t.test('the scripts are commands that any shell understands, cmd.exe too', async t => {
  const commands = Object.values(lockfile.packages).flatMap(({ bin }) => Object.keys(bin ?? {}))
  for (const [name, script] of Object.entries<string>(manifest.scripts)) {
    t.match(script, /^[\w@./:=*-]+( [\w@./:=*-]+)*$/, name)
    t.ok(['node', 'npm', ...commands].includes(script.split(' ')[0] as string), name)
  }
  t.ok(Object.keys(manifest.scripts).length <= 13, 'and there are at most thirteen')
})

t.test('npm warns of no package, whatever Node of those in `engines` installs them', async t => {
  const oldest: string[] = manifest.engines.node.match(/\d+\.\d+\.\d+/g)
  t.strictSame(oldest.length, 3)
  for (const path of ['package-lock.json', 'bench/package-lock.json']) {
    const { packages }: Lockfile = JSON.parse(read(path))
    for (const [name, { engines }] of Object.entries(packages)) {
      for (const node of [...oldest, '26.0.0'])
        if (engines?.node !== undefined && !semver.satisfies(node, engines.node))
          t.fail(`${name} in ${path} wants Node ${engines.node}, not ${node}`)
    }
  }
})

t.test('the pages name the Node versions of `engines`', async t => {
  for (const [, version] of manifest.engines.node.matchAll(/(\d+\.\d+)\.\d+/g))
    t.match(read('README.md'), version.replace(/\.0$/, ''))
  for (const path of pages()) {
    for (const [, version] of read(path).matchAll(/\bNode (\d+\.\d+)(?:\+| or later|,)/g))
      t.match(manifest.engines.node, version, path)
  }
})

t.test('the lockfile names no registry', async t => {
  t.notMatch(read('package-lock.json'), '"resolved": "http')
})

t.test('no version number is stale', async t => {
  const { version } = manifest
  t.strictSame([lockfile.version, lockfile.packages['']?.version], [version, version], 'package-lock.json')
  t.equal(/^## (\d\S+)/m.exec(read('CHANGELOG.md'))?.[1], version, 'CHANGELOG.md')
  for (const path of pages()) {
    const named = [...read(path).matchAll(/fastify-screen-auth[-@](\d[\w.-]*?)(?=\.tgz|[^\w.-]|$)/gm)].map(
      ([, found]) => found
    )
    t.ok(
      named.every(found => found === version),
      path
    )
  }
})
