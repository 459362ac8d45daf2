// What package.json and the lockfile promise.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { pages, readPage } from '../docs/page.ts'
import { outsideTap } from '../helpers.ts'

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')
const root = fileURLToPath(new URL('../..', import.meta.url))

t.test('npm runs no script when a published package is installed or packed', async t => {
  for (const folder of ['', 'client/', 'conformance/']) {
    const names = Object.keys(JSON.parse(read(`${folder}package.json`)).scripts)
    t.strictSame(
      names.filter(name => /^(pre|post)?(install|prepare|pack|publish(Only)?)$|^prepublish/.test(name)),
      [],
      folder
    )
  }
})

t.test('the lockfile names no registry', async t => {
  t.notMatch(read('package-lock.json'), '"resolved": "http')
})

for (const folder of ['', 'client', 'conformance']) {
  const pack = outsideTap('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'])
  const [{ files }] = JSON.parse(execFileSync(...pack, { cwd: posix.join(root, folder), encoding: 'utf8' }))
  const paths: string[] = files.map(({ path }: { path: string }) => posix.join(folder, path))

  t.test(`every link in the package of /${folder} leads to a file of the package`, async t => {
    // A picture is only on the page of the repository: one would double the size of the package.
    for (const page of paths.filter(path => path.endsWith('.md')))
      for (const link of readPage(page).links.filter(link => !/^(https?:|mailto:|#)|\.(png|svg)$/.test(link))) {
        const target = posix.join(posix.dirname(page), link.replace(/#.*/, ''))
        t.ok(
          paths.some(path => path === target || path.startsWith(`${target}/`)),
          `${page}: ${link}`
        )
      }
  })

  t.test(`the package of /${folder} has the licence and the contract once`, async t => {
    for (const name of ['LICENSE', 'contract.md'])
      t.equal(paths.filter(path => posix.basename(path) === name).length, 1, name)
  })
}

t.test('no version number is stale', async t => {
  const { version } = JSON.parse(read('package.json'))
  const lock = JSON.parse(read('package-lock.json'))
  t.strictSame([lock.version, lock.packages[''].version], [version, version], 'package-lock.json')
  t.equal(/^## (\d\S+)/m.exec(read('CHANGELOG.md'))?.[1], version, 'CHANGELOG.md')
  for (const path of pages()) {
    const pattern = /(?:fastify-screen-auth[-@]|Status:\*\* version )(\d[\w.-]*?)(?=\.tgz|[^\w.-]|$)/gm
    for (const [, found] of read(path).matchAll(pattern)) t.equal(found, version, path)
  }
})
