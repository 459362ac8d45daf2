/** `npm run bench:chart`: makes chart.svg and the table in README.md from results.json. A test fails when they are stale. */
import { readFileSync, writeFileSync } from 'node:fs'
import { drawChart } from './report/chart.ts'
import { markdown, withTable } from './report/markdown.ts'
import type { Report } from './report/report.ts'

const report: Report = JSON.parse(read('results.json'))
const table = markdown(report)

writeFileSync(at('chart.svg'), drawChart(report))
writeFileSync(at('../README.md'), withTable(read('../README.md'), table))
console.log(table)

function read(file: string): string {
  return readFileSync(at(file), 'utf8')
}

function at(file: string): URL {
  return new URL(file, import.meta.url)
}
