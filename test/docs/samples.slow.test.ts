// Runs every sample of the documentation as a reader would, in the order of the page.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { needs } from '../needs.ts'
import { escapeRegExp, pages, readPage, type Sample } from './page.ts'
import { Reader } from './reader.ts'

const root = new URL('../../', import.meta.url)

// Not `every` alone, so that each missing program is named.
const isReady = ['bash', 'curl', 'openssl'].map(name => needs(t, name)).every(path => path !== undefined)

for (const path of isReady ? pages() : []) {
  const { samples } = readPage(path)
  if (samples.length === 0) continue
  t.test(`the samples of ${path} run and print the expected output`, async t => {
    const reader = new Reader(t)
    for (const sample of samples)
      await t.test(`${sample.place} (${sample.language})`, async t => {
        const { testedBy } = sample
        if (testedBy === null) await run(t, reader, sample)
        else t.ok(mentions(testedBy, path), `${testedBy} tests ${path}`)
      })
  })
}

async function run(t: Test, reader: Reader, { language, code, expected, place }: Sample): Promise<void> {
  if (language === 'js' && expected === null) await reader.serve(code)
  else if (language === 'js' && expected !== null) t.match(await reader.run(code), toPattern(expected))
  else if (language === 'sh' && expected !== null) t.match(await reader.type(code), toPattern(expected))
  else t.fail(`${place} is not tested: it must be followed by a text block with its output`)
}

function mentions(file: string, path: string): boolean {
  const url = new URL(file, root)
  return /\.test\.ts$/.test(file) && existsSync(url) && readFileSync(fileURLToPath(url), 'utf8').includes(path)
}

/** Returns a pattern that matches the whole output. */
function toPattern(expected: string): RegExp {
  if (/^[\s…]*$/.test(expected)) throw new Error('the text block is empty')
  // A first line that is only `…` stands for any number of lines, even none.
  const pattern = escapeRegExp(expected.trim())
    .replace(/^…\n */, '(?:[^]*\\n)?\\s*')
    .replaceAll('…', '[^]*?')
  return new RegExp(`^${pattern}$`)
}
