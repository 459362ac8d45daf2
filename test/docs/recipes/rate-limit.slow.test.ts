import t, { type Test } from 'tap'
import { bearer } from '../../helpers.ts'
import { logIn, startRecipe, tokenOf } from '../program.ts'

const LIMIT = 100

/** Starts the recipe, and lets it count requests until the next one is one too many. */
async function startAtLimit(
  t: Test,
  path: string
): Promise<{ url: string; token: string; statuses: Set<number> }> {
  const url = await startRecipe(t, 'rate-limit.js')
  const token = await tokenOf(url, 'ada', 'correct horse')
  const statuses = new Set<number>()
  for (let count = 1; count < LIMIT; count++) statuses.add((await fetch(url + path)).status)
  return { url, token, statuses }
}

for (const path of ['/menu/main', '/unknown']) {
  t.test(`requests without a token are counted: ${path}`, async t => {
    const { url, statuses } = await startAtLimit(t, path)
    t.strictSame([...statuses], [401])
    const { status, headers } = await fetch(url + path)
    t.equal(status, 429)
    t.match(headers.get('retry-after'), /^\d+$/)
  })
}

t.test('above the limit a login is a 429 with an AuthResponse, and a right token is a 429, too', async t => {
  const { url, token } = await startAtLimit(t, '/auth/login')
  const login = await logIn(url, 'ada', 'correct horse')
  t.equal(login.status, 429)
  t.match(login.headers.get('retry-after'), /^\d+$/)
  t.strictSame(await login.json(), {
    success: false,
    token: null,
    error: 'The login request was refused.',
    screen: null
  })
  t.equal((await fetch(`${url}/menu/main`, { headers: bearer(token) })).status, 429)
})
