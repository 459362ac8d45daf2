// The page shows the strings of a server as text, and its files are the only public ones.

import { createHash } from 'node:crypto'
import { webClient } from '../../../examples/server/web-client.ts'
import { ADA, deferred, host, PASSWORD } from '../../helpers.ts'
import { appOf, cardOf, enter, fieldOf, listen, openPage, test } from './browser.ts'

const attack = (text: string) =>
  `${text}<img src=x onerror="top.hacked=1"><script>top.hacked=1</script>"'\`><svg onload=top.hacked=1>`

/** Properties that are no texts. The test attacks with some of them one by one. */
const KEPT = ['layout', 'type', 'kind', 'id', 'url', 'endpoint', 'save', 'on_select', 'auth_action', 'token']

test('no string of a server becomes HTML, a script, or a script URL', async t => {
  const url = 'javascript:top.hacked=1'
  const fields = [
    fieldOf('Text', 'Text', { id: attack('id'), value: 'value' }),
    fieldOf('Odd', attack('type'), { value: 'value' })
  ]
  const others = [
    fieldOf('Option', 'Option', { value: 'value', options: ['option'] }),
    fieldOf('Away', 'DateRange', { placeholder: 'x' })
  ]
  const columns = [{ label: 'column', align: 'align' }, { label: 'second' }]
  const lines = { columns, rows: [{ values: ['link', 'cell'] }], on_select: `${url}+{0}` }
  const question = { id: 'a', label: 'act', kind: 'confirm', endpoint: url, confirm_message: 'question' }
  const screens = {
    card: cardOf(fields, { title: 'card', actions: {} }),
    form: cardOf([...fields, ...others], { title: 'form', actions: { save: url }, screen_actions: [question] }),
    list: { layout: 'List', title: 'list', lines },
    other: { layout: attack('layout'), title: 'other' }
  }
  const app = await appOf(t, screens, [
    { label: 'message', action: { type: 'message', text: 'text' } },
    { label: 'url', action: { type: 'open_url', url } },
    { label: 'data', action: { type: 'open_url', url: 'data:text/html,<script>top.hacked=1</script>' } },
    { label: 'screen', action: { type: 'open_screen', url } },
    { label: 'action', action: { type: attack('type') } },
    { label: 'popup', action: { type: 'popup', items: [{ label: 'deep', action: { type: 'message' } }] } }
  ])
  const page = await openPage(t, 'about:blank')
  await page.route(/\/(auth|menu|card|form|list|other)/, async route => {
    const response = await route.fetch()
    // A 401 has no body.
    const json = JSON.parse((await response.text()) || 'null', (key, value) =>
      typeof value === 'string' && value !== '' && !KEPT.includes(key) ? attack(value) : value
    )
    await route.fulfill({ response, json })
  })
  await page.goto(await listen(app))

  /** Asserts that the attacks are readable as text, and that the page has only its logo and script. */
  const check = async (...places: string[]) => {
    for (const place of places) await page.getByText(attack(place), { exact: true }).first().waitFor()
    const found = await page.evaluate('[globalThis.hacked, document.images.length, document.scripts.length]')
    t.strictSame(found, [undefined, 1, 1])
  }
  const submit = async (password: string) => {
    await page.locator('[name=username]').fill(ADA.username)
    await page.locator('[name=password]').fill(password)
    await page.pressKeys('Enter')
  }
  await check('Demo Company', 'Username', 'Password')
  await submit('wrong')
  await check('Wrong username or password.')
  await submit(PASSWORD)
  await check('Main Menu', 'All', ADA.displayName)
  await page.getByRole('navigation', { name: attack('Main') }).waitFor()
  await page.locator('summary').click()
  await check('popup', 'deep')
  for (const item of ['message', 'url', 'data', 'screen', 'action']) {
    await page.getByText(attack(item), { exact: true }).click()
    await page.locator('footer').filter({ hasText: /\w/ }).waitFor()
    await check('Main Menu')
  }
  const seen = { card: ['Text', 'value'], form: ['Text', 'Away', 'act'], list: ['column', 'cell'], other: [] }
  for (const [name, places] of Object.entries(seen)) {
    await page.getByText(attack(name), { exact: true }).click()
    await page.untilTitle(attack(name))
    await check(name, ADA.displayName, ...places)
    await page.goBack()
    await page.untilTitle(attack('Main Menu'))
  }
  await page.getByText(attack('form'), { exact: true }).click()
  await page.getByText(attack('act'), { exact: true }).click()
  await check('question')
  await page.pressKeys('Escape')
  await page.getByLabel(attack('Text'), { exact: true }).fill('x')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.untilMessage(/another server/)
  await check('form')
})

/** Replaces each text with an element, as the translation of a browser does. */
const translator = (replace: string) => `new MutationObserver(() => {
  const isOwn = 'ancestor::font or ancestor::script or ancestor::style or ancestor::*[@translate="no"]'
  const texts = document.evaluate('//text()[not(' + isOwn + ')]', document, null, 6)
  for (let i = 0; i < texts.snapshotLength; i++) {
    const text = texts.snapshotItem(i)
    const font = document.createElement('font')
    ${replace}
  }
}).observe(document, { subtree: true, childList: true })`

test('texts change even if the browser has translated the page', async t => {
  let held = deferred()
  const app = await appOf(t, { card: cardOf([fieldOf('A', 'Text')]) })
  app.post('/save', () => held.promise.then(() => cardOf([])))
  const url = await listen(app)
  for (const replace of [
    'text.replaceWith(font); font.append(text)',
    'font.append(text.data); text.replaceWith(font)'
  ]) {
    held = deferred()
    const page = await openPage(t, url)
    await page.addInitScript(translator(replace))
    await page.reload()
    for (const name of ['Show Password', 'Hide Password']) await page.getByRole('button', { name }).click()
    await enter(page)
    await page.choose('card', 'Card')
    await page.getByLabel('A', { exact: true }).fill('x')
    await page.getByText('Unsaved changes').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: /^Saving…$/ }).waitFor()
    held.resolve()
    await page.untilMessage(/^Saved\.$/, 'status')
    t.equal(await page.locator('title').textContent(), 'Card')
  }
})

test('the page and its files are public, cached by their hash, and have a strict policy; no other path is public', async t => {
  const app = await host(t)
  const brand = t.testdir({ 'logo.svg': '<svg/>', 'brand.css': ':root { --brand: #abc }', secret: 'x' })
  await app.register(webClient, { brand })
  const { body, headers } = await app.inject('/')
  t.match(
    body,
    /<style>.*--brand: ?#abc.*<img id="logo" src="data:image\/svg\+xml;base64,PHN2Zy8\+"/s,
    'the first picture'
  )
  const hashes = ['script', 'style'].map(tag => {
    const [, content = ''] = new RegExp(`<${tag}>(.+?)</${tag}>`, 's').exec(body) ?? []
    return `'sha256-${createHash('sha256').update(content).digest('base64')}'`
  })
  const [, css = ''] = /href="(web\/style[^"]+)/.exec(body) ?? []
  const [font = ''] = /inter[^"]+woff2/.exec((await app.inject(`/${css}`)).body) ?? []
  const [script = ''] = /web\/app[^"]+/.exec(body) ?? []
  for (const file of ['', script, css, `web/${font}`]) {
    const { statusCode, headers } = await app.inject({ url: `/${file}`, headers: { 'accept-encoding': 'gzip' } })
    t.equal(statusCode, 200, file)
    t.match(headers['cache-control'], file ? /max-age=31536000, immutable/ : /^no-cache$/)
    t.equal(headers['content-encoding'], file.endsWith('.woff2') ? undefined : 'gzip')
    const policy = `${headers['content-security-policy']}`
    t.ok(policy.startsWith(`default-src 'none';script-src 'self' ${hashes[0]};style-src 'self' ${hashes[1]};`))
    t.notMatch(policy, /unsafe|\*/)
  }
  const same = await app.inject({ url: '/', headers: { 'if-none-match': `${headers.etag}` } })
  t.equal(same.statusCode, 304)
  const others = ['/web', '/web/app.js', '/client/index.js', '/server/main.ts', '/index.html', '/brand/secret']
  for (const url of [...others, '/web/..%2fserver/main.ts']) t.equal((await app.inject(url)).statusCode, 401, url)
  t.equal((await app.inject({ method: 'POST', url: `/${css}` })).statusCode, 401)
})

test('the page and its requests may be below a prefix', async t => {
  const app = await host(t, { prefix: '/v1' })
  const url = await listen(app, { prefix: '/v1' })
  t.equal((await app.inject('/')).statusCode, 401)
  const page = await openPage(t, url.slice(0, -1))
  t.equal(page.url(), url, 'with a trailing slash')
  await enter(page)
  await page.reload()
  await t.resolves(page.untilTitle('Main Menu'))
})
