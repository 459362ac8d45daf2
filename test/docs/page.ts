import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import GithubSlugger from 'github-slugger'
import { lexer, type Token, walkTokens } from 'marked'

const root = new URL('../../', import.meta.url)

/** A fenced block of code. */
export interface Sample {
  /** Where it is, as `docs/errors.md:7`. */
  place: string
  language: string
  code: string
  /** What it prints: the block of text that follows it. `…` stands for anything. */
  expected: string | null
  /** The test that runs it, where it takes more than a program and what that prints: `<!-- tested by PATH -->` in front. */
  testedBy: string | null
}

/** A page of the documentation. */
export interface Page {
  samples: Sample[]
  links: string[]
  /** What is set as code within a line. */
  code: string[]
  /** What a link may name after its #. */
  anchors: Set<string>
}

/** The pages for readers, by their path. */
export function pages(): string[] {
  const top = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'conformance/contract.md']
  const names = readdirSync(new URL('docs', root), { recursive: true }) as string[]
  const packages = [
    'client/README.md',
    'conformance/README.md',
    'conformance/docs/checking.md',
    'conformance/docs/ci.md'
  ]
  return [...top, ...names.filter(name => name.endsWith('.md')).map(name => `docs/${name}`), ...packages]
}

export function readPage(path: string): Page {
  const source = readFileSync(fileURLToPath(new URL(path, root)), 'utf8')
  const page: Page = { samples: [], links: [], code: [], anchors: new Set() }
  const slugger = new GithubSlugger()
  let before: Token | undefined
  let last: Sample | null = null
  let searched = 0
  walkTokens(lexer(source), token => {
    if (token.type === 'code') {
      searched = source.indexOf(token.raw.trim(), searched)
      const place = `${path}:${source.slice(0, searched).split('\n').length}`
      searched += token.raw.trim().length
      const [, testedBy = null] =
        before?.type === 'html' ? (/<!-- tested by (\S+) -->/.exec(before.raw) ?? []) : []
      if (token.lang === 'text' && last?.expected === null) last.expected = token.text
      else {
        last = { place, language: token.lang ?? '', code: token.text, expected: null, testedBy }
        page.samples.push(last)
      }
    }
    if (token.type === 'heading') {
      page.anchors.add(slugger.slug(token.text))
      last = null
    }
    if (token.type === 'link' || token.type === 'image') page.links.push(token.href)
    if (token.type === 'codespan') page.code.push(token.text)
    if (token.type === 'html') {
      const urls = token.raw.matchAll(/(?:src|srcset|href)=["']?([^"'\s>]+)/g)
      page.links.push(...[...urls].map(([, url]) => url ?? ''))
      // Code that is set as HTML cannot be run.
      if (/<pre|```/.test(token.raw))
        page.samples.push({ place: path, language: 'html', code: token.raw, expected: null, testedBy: null })
    }
    if (token.type !== 'space') before = token
  })
  return page
}
