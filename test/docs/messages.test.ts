// The table in docs/messages.md has every message of the login.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { ENGLISH } from '../../lib/login/messages.ts'

const page = readFileSync(fileURLToPath(new URL('../../docs/messages.md', import.meta.url)), 'utf8')

t.test('the page names every key of a message, with its English text', async t => {
  const named = [...page.matchAll(/^\| `([\w-]+)` \| ([^`|]+) \|/gm)].map(([, key, text]) => [key, text])
  const { blocked, ...others } = Object.fromEntries(named)
  t.match(blocked, /^Too many tries\. Try again in /)
  t.strictSame(others, ENGLISH)
})
