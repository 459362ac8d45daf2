// Runs every sample of the documentation as a reader would, in the order of the page.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { needs } from '../needs.ts'
import { escapeRegExp, pages, readPage, type Sample } from './page.ts'
import { Reader } from './reader.ts'

const root = new URL('../../', import.meta.url)

for (const path of pages()) {
  const { samples } = readPage(path)
  if (samples.length === 0) continue
  t.test(`the samples of ${path} run and print the expected output`, async t => {
    const reader = new Reader(t)
    // A sample may depend on the previous one, so a skipped sample ends the test of the page.
    let canGoOn = true
    for (const sample of samples) {
      const { place, language, testedBy } = sample
      if (!canGoOn) break
      await t.test(`${place} (${language})`, async t => {
        if (testedBy !== null) return t.ok(mentions(testedBy, path), `${testedBy} tests ${path}`)
        canGoOn = programsFor(sample).every(name => needs(t, name) !== undefined)
        if (canGoOn) await run(reader, sample)
      })
    }
  })
}

async function run(reader: Reader, { language, code, expected, place }: Sample): Promise<void> {
  if (language === 'js' && expected === null) await reader.serve(code)
  else if (language === 'js' && expected !== null) t.match(await reader.run(code), toPattern(expected))
  else if (language === 'sh' && expected !== null) t.match(await reader.type(code), toPattern(expected))
  else t.fail(`${place} is not tested: it must be followed by a text block with its output`)
}

/** Returns the programs that a sample needs besides Node. */
function programsFor({ language, code }: Sample): string[] {
  const redis = code.includes('6379') ? ['redis-server'] : []
  if (language !== 'sh') return redis
  return [...redis, 'bash', ...['curl', 'openssl', 'redis-cli'].filter(name => code.includes(name))]
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
