import { markdown } from './markdown.ts'
import { redisMarkdown } from './redis.ts'
import type { Report } from './report.ts'

/** The tables of a report, by the name of their marker in the README. */
export function tablesOf(report: Report): Map<string, string> {
  const redis = redisMarkdown(report)
  return new Map([['bench', markdown(report)], ...(redis === null ? [] : [['bench redis', redis] as const])])
}

/** Puts each table into the README. */
export function withTables(readme: string, tables: Map<string, string>): string {
  return [...tables].reduce((text, [name, table]) => withTable(text, name, table), readme)
}

/** Puts the table between its two marker comments; without them, the README stays unchanged. */
function withTable(readme: string, name: string, table: string): string {
  const [mark, endMark] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [begin, end] = [readme.indexOf(mark), readme.indexOf(endMark)]
  if (begin < 0 || end < begin) return readme
  return `${readme.slice(0, begin + mark.length)}\n${table}\n${readme.slice(end)}`
}
