// Every relative link of the documentation leads to a file, and to a heading where it names one.
import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { pages, readPage } from './page.ts'

const root = new URL('../../', import.meta.url)

for (const path of pages()) {
  t.test(`the links of ${path} lead somewhere`, async t => {
    for (const link of readPage(path).links.filter(link => !/^(https?|mailto):/.test(link))) {
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? path : posix.join(posix.dirname(path), file)
      t.ok(existsSync(fileURLToPath(new URL(target, root))), `${link} is a file`)
      if (anchor !== undefined) t.ok(readPage(target).anchors.has(anchor), `${link} is a heading`)
    }
  })
}

t.test('every npm script that a page names is there', async t => {
  const scripts = ['', 'client/', 'conformance/'].flatMap(folder =>
    Object.keys(JSON.parse(readFileSync(new URL(`${folder}package.json`, root), 'utf8')).scripts)
  )
  for (const path of pages()) {
    const { code, samples } = readPage(path)
    const text = [...code, ...samples.map(({ code }) => code)].join('\n')
    for (const [, name = ''] of text.matchAll(/\bnpm run (?:-s )?([a-z:]+)/g))
      t.ok(scripts.includes(name), `npm run ${name} in ${path}`)
  }
})

t.test('every file that a page names is there', async t => {
  const isPath = /^(bench|client|conformance|docs|examples|lib|schemas|scripts|test)\/[\w./-]*$/
  for (const path of pages()) {
    for (const name of readPage(path).code.filter(code => isPath.test(code)))
      t.ok(existsSync(fileURLToPath(new URL(name, root))), `${name} in ${path}`)
  }
})
