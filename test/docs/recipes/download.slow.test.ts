import { join } from 'node:path'
import t from 'tap'
import type { MenuScreen, OpenAction } from '../../../schemas/screens.ts'
import { bearer, until } from '../../helpers.ts'
import { recipe, tokenOf } from '../program.ts'

const NAMES = ['100 % #1 ä&b=c.html', 'picture.png', 'report.txt']

const directory = t.testdir({
  'secret.txt': 'nobody may have this',
  files: {
    ...Object.fromEntries(NAMES.map(name => [name, `this is ${name}`])),
    folder: { 'deep.txt': 'deep' }
  }
})

function start(env: Record<string, string> = {}) {
  return recipe(t, 'download.js', { FILES_DIR: join(directory, 'files'), ...env })
}

const server = start()
const url = await server.listening()
const links = await linksOf(url)

/** The link to each file, as the screen shows them. */
async function linksOf(url: string): Promise<Map<string, URL>> {
  const headers = bearer(await tokenOf(url, 'ada', 'correct horse'))
  const response = await fetch(`${url}/screen/files`, { headers })
  const { menu } = (await response.json()) as MenuScreen
  const items = menu.tabs.flatMap(({ items }) => items)
  return new Map(items.map(({ label, action }) => [label, new URL((action as OpenAction).url, url)]))
}

const linkTo = (name: string) => new URL(links.get(name) as URL)

/** A link in which something is replaced. */
function forged(name: string, changes: Record<string, string>): URL {
  const link = linkTo(name)
  for (const [key, value] of Object.entries(changes)) link.searchParams.set(key, value)
  return link
}

t.test('the links are on a screen behind the login, one for each file', async t => {
  t.equal((await fetch(`${url}/screen/files`)).status, 401)
  t.same([...links.keys()].sort(), NAMES)
})

t.test('a link serves its file without a token', async t => {
  for (const name of NAMES) {
    const response = await fetch(linkTo(name))
    t.equal(response.status, 200)
    t.equal(await response.text(), `this is ${name}`)
    t.match(response.headers.get('content-disposition'), /^attachment/)
    t.equal(response.headers.get('cache-control'), 'private, no-store')
    t.equal(response.headers.get('x-content-type-options'), 'nosniff')
  }
})

t.test('a link is good for its file and its time only', async t => {
  const { searchParams } = linkTo('report.txt')
  const later = String(Number(searchParams.get('expires')) + 1)
  const { signature = '' } = Object.fromEntries(linkTo('picture.png').searchParams)
  for (const changes of [
    { file: 'picture.png' },
    { expires: later },
    { signature },
    { signature: 'A'.repeat(43) },
    { file: '../secret.txt' },
    { file: 'folder/deep.txt' },
    { file: join(directory, 'secret.txt') }
  ]) {
    const response = await fetch(forged('report.txt', changes))
    t.equal(response.status, 403, JSON.stringify(Object.keys(changes)))
    t.equal(await response.text(), '')
  }
})

t.test('what is no link is a 400', async t => {
  for (const changes of [{ signature: '' }, { signature: 'short' }, { expires: 'never' }] as const) {
    t.equal((await fetch(forged('report.txt', changes))).status, 400, JSON.stringify(changes))
  }
  t.equal((await fetch(`${url}/download`)).status, 400)
  t.equal((await fetch(`${linkTo('report.txt')}&file=picture.png`)).status, 400, 'two files')
})

t.test('a link expires', async t => {
  const expired = await linksOf(await start({ LINK_SECONDS: '0' }).listening())
  t.equal((await fetch(expired.get('report.txt') as URL)).status, 403)
})

t.test('a link is good for a minute, and at the server that has made it', async t => {
  const { searchParams } = linkTo('report.txt')
  t.ok(Number(searchParams.get('expires')) <= Date.now() + 60_000)
  const other = await start().listening()
  t.equal((await fetch(new URL(`/download?${searchParams}`, other))).status, 403)
})

t.test('no file is served by its path, and no link is logged', async t => {
  const headers = bearer(await tokenOf(url, 'ada', 'correct horse'))
  t.equal((await fetch(`${url}/report.txt`, { headers })).status, 404)
  t.equal((await fetch(`${url}/report.txt`)).status, 401)
  await until(() => server.output.includes('/report.txt'))
  for (const { searchParams } of links.values()) {
    t.notMatch(server.output, searchParams.get('signature') as string)
  }
})
