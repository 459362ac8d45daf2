// The links, npm scripts and files that a page names exist.
import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import Fastify from 'fastify'
import t from 'tap'
import { draw } from '../../bench/picture.ts'
import screenAuth, { opaqueTokens } from '../../lib/index.ts'
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

t.test('every option has a row in the README, and every setting stands on the page of its option', async t => {
  const user = { username: 'ada', displayName: 'Ada' }
  const required = { checkCredentials: () => user, mainMenu: () => ({ layout: 'Menu' }) }
  const register = (options: object) => Fastify().register(screenAuth, { ...required, ...options })
  const lists: [page: string, isRow: boolean, call: () => unknown][] = [
    ['README.md', true, () => register({ nothing: 1 })],
    ['docs/logins.md', false, () => register({ throttle: { nothing: 1 } })],
    ['docs/logins.md', false, () => register({ checks: { nothing: 1 } })],
    ['docs/tokens.md', false, () => opaqueTokens({ nothing: 1 } as object)]
  ]
  for (const [page, isRow, call] of lists) {
    const { message } = await Promise.resolve()
      .then(call)
      .then(
        () => new Error('no error'),
        error => error
      )
    // Without the options of Fastify.
    const names = /only (.*?)(, logLevel.*)?$/.exec(message)?.[1]?.split(', ') ?? []
    t.ok(names.length > 2, message)
    const text = readFileSync(pathOf(page), 'utf8')
    for (const name of names) t.ok(text.includes(isRow ? `\n| \`${name}\` |` : `\`${name}`), `${page} has ${name}`)
  }
})

t.test('the picture of the performance page shows the numbers of its table', async t => {
  const page = readFileSync(pathOf('docs/performance.md'), 'utf8')
  const lines = [...page.matchAll(/^\| (?!---)(.*)\|$/gm)]
  const table = lines.map(([, line = '']) => line.split('|').map(cell => cell.trim()))
  const picture = readFileSync(pathOf('docs/performance.svg'), 'utf8')
  t.equal(picture, draw(table))
  const numbers = table.slice(1).flatMap(([, , ...ratios]) => ratios.filter(Boolean))
  t.strictSame([...picture.matchAll(/([\d.]+)<\/text>/g)].map(([, number]) => number).slice(1), numbers)
})
