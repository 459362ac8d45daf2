import { markdown } from './markdown.ts'
import { redisMarkdown } from './redis.ts'
import type { Report } from './report.ts'

/** The tables of a report, by the name of their marker on the page. */
export function tablesOf(report: Report): Map<string, string> {
  const redis = redisMarkdown(report)
  return new Map([['bench', markdown(report)], ...(redis === null ? [] : [['bench redis', redis] as const])])
}

/** Puts each table into the page. */
export function withTables(page: string, tables: Map<string, string>): string {
  return [...tables].reduce((text, [name, table]) => withTable(text, name, table), page)
}

/** Puts the table between its two marker comments; without them, the page stays unchanged. */
function withTable(page: string, name: string, table: string): string {
  const [mark, endMark] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [begin, end] = [page.indexOf(mark), page.indexOf(endMark)]
  if (begin < 0 || end < begin) return page
  return `${page.slice(0, begin + mark.length)}\n${table}\n${page.slice(end)}`
}
