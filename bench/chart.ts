/**
 * `npm run bench:chart`: makes chart.svg and the table in README.md from results.json. With `--stale` it writes nothing,
 * and exits with 1 when one of them is not what results.json gives.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { drawChart } from './report/chart.ts'
import { markdown, withTable } from './report/markdown.ts'
import type { Report } from './report/report.ts'

const report: Report = JSON.parse(read('results.json'))
const table = markdown(report)
const outputs = { 'chart.svg': drawChart(report), '../README.md': withTable(read('../README.md'), table) }

for (const [file, text] of Object.entries(outputs)) {
  if (!process.argv.includes('--stale')) writeFileSync(at(file), text)
  else if (read(file) !== text) {
    console.error(`bench/${file} is not what bench/results.json gives: npm run bench:chart`)
    process.exitCode = 1
  }
}
if (!process.argv.includes('--stale')) console.log(table)

function read(file: string): string {
  return readFileSync(at(file), 'utf8')
}

function at(file: string): URL {
  return new URL(file, import.meta.url)
}
