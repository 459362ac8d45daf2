// The links, npm scripts and files that a page names exist.
import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { pages, readPage } from './page.ts'

const pathOf = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url))
const scripts = ['', 'client/', 'conformance/'].flatMap(folder =>
  Object.keys(JSON.parse(readFileSync(pathOf(`${folder}package.json`), 'utf8')).scripts)
)

for (const path of pages()) {
  const { links, code, samples } = readPage(path)

  t.test(`each link of ${path} leads to an existing file and heading`, async t => {
    for (const link of links.filter(link => !/^(https?|mailto):/.test(link))) {
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? path : posix.join(posix.dirname(path), file)
      t.ok(existsSync(pathOf(target)), `${link} is a file`)
      if (anchor !== undefined) t.ok(readPage(target).anchors.has(anchor), `${link} is a heading`)
    }
  })

  t.test(`every npm script named in ${path} exists`, async t => {
    const text = [...code, ...samples.map(({ code }) => code)].join('\n')
    for (const [, name = ''] of text.matchAll(/\bnpm run (?:-s )?([a-z:]+)/g)) t.ok(scripts.includes(name), name)
  })

  t.test(`every file named in ${path} exists`, async t => {
    const isPath = /^(bench|client|conformance|docs|examples|lib|schemas|scripts|test)\/[\w./-]*$/
    for (const name of code.filter(code => isPath.test(code))) t.ok(existsSync(pathOf(name)), name)
  })
}
