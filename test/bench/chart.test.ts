// The chart and the tables of docs/performance.md are made from bench/results.json. Nothing is measured here.
import { readFile } from 'node:fs/promises'
import { XMLValidator } from 'fast-xml-parser'
import t from 'tap'
import { drawChart } from '../../bench/report/chart.ts'
import { markdown } from '../../bench/report/markdown.ts'
import { tablesOf, withTables } from '../../bench/report/pages.ts'
import type { Report } from '../../bench/report/report.ts'
import { report } from './fixture.ts'

const WRITE = 'node --import tsx bench/chart.ts'

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

t.test('the committed chart and tables are what bench/chart.ts writes', async t => {
  const results: Report = JSON.parse(await read('bench/results.json'))
  const page = await read('docs/performance.md')
  t.equal(await read('bench/chart.svg'), drawChart(results), `bench/chart.svg is stale: ${WRITE}`)
  t.equal(page, withTables(page, tablesOf(results)), `docs/performance.md is stale: ${WRITE}`)
})

t.test('the chart has a bar for each server, from the fastest to the slowest', async t => {
  const chart = drawChart(report)
  t.equal(XMLValidator.validate(chart), true)
  const found = ['node:http, no auth', 'Fastify, no auth', 'fastify-screen-auth'].map(name =>
    chart.indexOf(`>${name}<`)
  )
  t.ok(found.every((place, i) => place > (found[i - 1] ?? 0)))
  t.equal(chart.match(/<rect class="(bar|ours)"/g)?.length, 3)
  t.match(chart, '2.00× (40 µs)')
  t.match(chart, 'fastify-screen-auth 1.0.0, fastify 5.0.0')
  t.match(chart, 'Fast &lt;Processor> &amp; Co')
  t.notMatch(chart, 'again')
})

t.test('the table has a row for each server, and a column for each scenario that was measured', async t => {
  t.equal(
    markdown(report),
    [
      '| CPU time, bare Fastify = 1 | warm | cold |',
      '| --- | --: | --: |',
      '| node:http, no auth | 0.75 |  |',
      '| Fastify, no auth | 1.00 | 1.00 |',
      '| **fastify-screen-auth** | **2.00** | **3.00** |',
      '',
      '- `warm`: GET /menu/main with one valid token',
      '- `cold`: GET /menu/main with new tokens',
      '',
      'Medians of 3 rounds of 1 s, 2000-01-01, Node 20.0.0, Fast <Processor> & Co: fastify 5.0.0, fastify-screen-auth 1.0.0.'
    ].join('\n')
  )
})

t.test('each table goes between its two marks, and only there', async t => {
  const tables = new Map([
    ['bench', 'new'],
    ['bench redis', 'new, too']
  ])
  t.equal(
    withTables('a\n<!-- bench -->\nold\n<!-- /bench -->\nz\n', tables),
    'a\n<!-- bench -->\nnew\n<!-- /bench -->\nz\n'
  )
  t.equal(
    withTables('<!-- bench redis -->\n<!-- /bench redis -->\n<!-- bench -->\n<!-- /bench -->', tables),
    '<!-- bench redis -->\nnew, too\n<!-- /bench redis -->\n<!-- bench -->\nnew\n<!-- /bench -->'
  )
  for (const page of ['no marks', '<!-- bench --> only one', '<!-- /bench --> <!-- bench -->']) {
    t.equal(withTables(page, tables), page)
  }
})
