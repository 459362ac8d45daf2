// The page about the kit says how many of the mistakes it finds. All of them: otherwise a slow test beside this one fails.
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { frameworks } from './mistakes.ts'

t.test('the page names the frameworks, and how many mistakes there are', async t => {
  const all = Object.values(frameworks).flat()
  const { length } = all.flatMap(({ mistakes }) => mistakes)
  const names = new Intl.ListFormat('en').format(all.map(({ name }) => name))
  const page = await readFile(new URL('../../conformance/docs/checking.md', import.meta.url), 'utf8')
  t.match(page.replaceAll(/\s+/g, ' '), `${length} of ${length} mistakes that people make with ${names}`)
})
