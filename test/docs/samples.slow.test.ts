// Runs every sample of the documentation, in its order on the page, as a reader would.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { DEMO, startServer } from '../examples/process.ts'
import { needs } from '../needs.ts'
import { pages, readPage, type Sample } from './page.ts'
import { jsonOf, tokenOf } from './program.ts'
import { Reader } from './reader.ts'

const root = new URL('../../', import.meta.url)

for (const path of pages()) {
  const { samples } = readPage(path)
  if (samples.length === 0) continue
  t.test(`the samples of ${path} run as they are printed`, async t => {
    const reader = new Reader(t)
    // A sample may need what the one before it has left, so with one that is skipped the page is over.
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

t.test('the screens in docs/clients.md are as the reference server sends them', async t => {
  const { url } = await startServer(t, {})
  const token = await tokenOf(url, DEMO)
  const sent = []
  for (const path of ['/auth/login', '/menu/main', '/screen/users']) {
    const { ui_strings, ...screen } = await jsonOf(url + path, token)
    t.type(ui_strings, 'object')
    sent.push(screen)
  }
  const json = readPage('docs/clients.md').samples.filter(({ language }) => language === 'json')
  const shown = json.map(({ code }) => JSON.parse(code)).filter(({ layout }) => layout !== undefined)
  t.strictSame(shown, sent)
})

async function run(reader: Reader, { language, code, expected, place }: Sample): Promise<void> {
  if (language === 'js' && expected === null) await reader.serve(code)
  else if (language === 'js' && expected !== null) t.match(await reader.run(code), toPattern(expected))
  else if (language === 'sh' && expected !== null) t.match(await reader.type(code), toPattern(expected))
  else t.fail(`${place} is not tested: there must be a block of text after it that says what it prints`)
}

/** What a sample needs beside Node. */
function programsFor({ language, code }: Sample): string[] {
  const redis = code.includes('6379') ? ['redis-server'] : []
  if (language !== 'sh') return redis
  return [...redis, 'bash', ...['curl', 'openssl', 'redis-cli'].filter(name => code.includes(name))]
}

function mentions(file: string, path: string): boolean {
  const url = new URL(file, root)
  return /\.test\.ts$/.test(file) && existsSync(url) && readFileSync(fileURLToPath(url), 'utf8').includes(path)
}

/** A pattern for the whole text. */
function toPattern(expected: string): RegExp {
  if (/^[\s…]*$/.test(expected)) throw new Error('the block of text says nothing')
  const escaped = expected.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  // What stands for the first lines may stand for none.
  const pattern = escaped.replace(/^…\n */, '(?:[^]*\\n)?\\s*').replaceAll('…', '[^]*?')
  return new RegExp(`^${pattern}$`)
}
