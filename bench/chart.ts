/**
 * `node --import tsx bench/chart.ts`: makes chart.svg and the tables in docs/performance.md from results.json. A test fails
 * when they are out of date.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { drawChart } from './report/chart.ts'
import { tablesOf, withTables } from './report/pages.ts'
import type { Report } from './report/report.ts'

const PAGE = '../docs/performance.md'

const report: Report = JSON.parse(read('results.json'))
const tables = tablesOf(report)

writeFileSync(at('chart.svg'), drawChart(report))
writeFileSync(at(PAGE), withTables(read(PAGE), tables))
console.log([...tables.values()].join('\n\n'))

function read(file: string): string {
  return readFileSync(at(file), 'utf8')
}

function at(file: string): URL {
  return new URL(file, import.meta.url)
}
