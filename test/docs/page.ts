import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import GithubSlugger from 'github-slugger'
import { lexer, walkTokens } from 'marked'

const root = new URL('../../', import.meta.url)

/** A fenced block of code. */
export interface Sample {
  /** Its file and line, for example `docs/errors.md:7`. */
  place: string
  language: string
  code: string
  /** The expected output: the text block after it. `…` matches anything. */
  expected: string | null
  /** The test file for it, if comparing its output is not enough: from `<!-- tested by PATH -->` before the block. */
  testedBy: string | null
}

/** A page of the documentation. */
export interface Page {
  samples: Sample[]
  links: string[]
  /** The inline code. */
  code: string[]
  /** The valid fragments of links, without `#`. */
  anchors: Set<string>
}

/** Returns the paths of all pages for readers. */
export function pages(): string[] {
  const folders = ['docs', 'docs/recipes', 'client', 'conformance', 'conformance/docs']
  const found = ['', ...folders.map(folder => `${folder}/`)].flatMap(folder =>
    readdirSync(new URL(folder, root)).map(name => folder + name)
  )
  return found.filter(path => path.endsWith('.md'))
}

/** Escapes the characters of a text that have a meaning in a regular expression. */
export const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

export function readPage(path: string): Page {
  const page: Page = { samples: [], links: [], code: [], anchors: new Set() }
  const slugger = new GithubSlugger()
  const tokens = lexer(readFileSync(fileURLToPath(new URL(path, root)), 'utf8'))
  let line = 1
  let testedBy: string | null = null
  let last: Sample | null = null
  for (const token of tokens) {
    if (token.type === 'code' && token.lang === 'text' && last?.expected === null) last.expected = token.text
    else if (token.type === 'code') {
      last = {
        place: `${path}:${line}`,
        language: token.lang ?? '',
        code: token.text,
        expected: null,
        testedBy
      }
      page.samples.push(last)
    }
    if (token.type === 'heading') last = null
    if (token.type !== 'space') testedBy = /<!-- tested by (\S+) -->/.exec(token.raw)?.[1] ?? null
    line += token.raw.split('\n').length - 1
  }
  walkTokens(tokens, token => {
    if (token.type === 'heading') page.anchors.add(slugger.slug(token.text))
    if (token.type === 'link' || token.type === 'image') page.links.push(token.href)
    if (token.type === 'codespan') page.code.push(token.text)
    if (token.type === 'html')
      for (const [, url = ''] of token.raw.matchAll(/(?:src|srcset|href)=["']?([^"'\s>]+)/g)) page.links.push(url)
  })
  return page
}
