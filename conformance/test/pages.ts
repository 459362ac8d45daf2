import { existsSync, readFileSync } from 'node:fs'
import type { Test } from 'tap'

/** Checks that the pages about the kit say something. A copy of this package alone has no page above it. */
export function matchPages(t: Test, text: string): void {
  const pages = ['../docs/checking.md', '../../README.md'].map(path => new URL(path, import.meta.url))
  for (const page of pages.filter(existsSync))
    t.match(readFileSync(page, 'utf8').replaceAll(/\s+/g, ' '), text, page.pathname)
}
