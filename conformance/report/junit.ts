import type { Report, Result } from './report.ts'

/** Returns the report as JUnit XML, which CI systems show. */
export function junit({ target, results, counts, duration }: Report): string {
  const totals = `tests="${results.length}" failures="${counts.failed}" skipped="${counts.skipped}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="${xml(`screen-auth-conformance ${target}`)}" ${totals} time="${duration / 1000}">`,
    ...results.map(testcase),
    '</testsuite>',
    ''
  ].join('\n')
}

function testcase({ id, clause, level, title, status, note = '', failures = [] }: Result): string {
  const text = xml(
    failures.map(({ sent, expected, came }) => [sent, ...expected, came].join('\n')).join('\n\n')
  )
  const content = {
    ok: note === '' ? '' : `<system-out>${xml(note)}</system-out>`,
    failed: `<failure type="${level}" message="${xml(title)}">${text}</failure>`,
    warning: `<system-out>${xml(title)}\n${text}</system-out>`,
    skipped: `<skipped message="${xml(note)}"/>`
  }[status]
  return `  <testcase classname="${xml(`contract ${clause} ${level}`)}" name="${xml(`${id}: ${title}`)}">${content}</testcase>`
}

/** Escapes a text. XML 1.0 does not allow some characters even escaped: they become a replacement character. */
function xml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`)
}
