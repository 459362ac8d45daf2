// The sample for React: a server renders it, a browser hydrates it, and a person uses it.

import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Test } from 'tap'
import { startServer } from '../process.ts'
import { openPage, test } from '../web/browser.ts'

const resolveDir = fileURLToPath(new URL('../../../examples/react', import.meta.url))

/** Bundles a program with the development build of React, which reports every mismatch. */
async function bundle(program: string): Promise<string> {
  const contents = `import { lazy, StrictMode, Suspense } from 'react'; import { App } from './app.jsx'; ${program}`
  const stdin = { contents, resolveDir, loader: 'jsx' } as const
  const { outputFiles } = await build({ stdin, bundle: true, format: 'esm', jsx: 'automatic', write: false })
  return `${outputFiles[0]?.text}`
}

/** Opens a page. `root` is JSX of the sample, and of `Late`, which hydrates after an event of the name `late`. */
async function open(t: Test, root: string) {
  const server = await bundle(`import { renderToString } from 'react-dom/server'
    const Late = App
    export const html = renderToString(${root})`)
  const { html } = await import(`data:text/javascript,${encodeURIComponent(server)}`)
  const script = await bundle(`import { hydrateRoot } from 'react-dom/client'
    const isLate = new Promise(resolve => addEventListener('late', resolve))
    const Late = lazy(() => isLate.then(() => ({ default: App })))
    hydrateRoot(document.querySelector('div'), ${root})`)
  const { url } = await startServer(t, {})
  const page = await openPage(t, 'about:blank')
  // The browser itself reports a 401 and a 404.
  page.on('console', message => {
    if (message.type() === 'error' && !/status of 40[14]/.test(message.text())) t.fail(message.text())
  })
  await page.addInitScript('window.confirm = text => { document.title = text; return true }')
  const body = `<!doctype html><div>${html}</div><script type="module" src="react.js"></script>`
  await page.route('**/react', route => route.fulfill({ contentType: 'text/html', body }))
  await page.route('**/react.js', route => route.fulfill({ contentType: 'text/javascript', body: script }))
  await page.goto(`${url}/react`)
  await page.untilTitle('Demo Company')
  return page
}

test('a person can log in, search, fill in, save and delete a record, and log out', async t => {
  const page = await open(t, '<StrictMode><App /></StrictMode>')
  const press = (name: string) => page.getByRole('button', { name }).click()
  await page.logIn()
  await page.untilTitle('Main Menu')
  await press('Contacts')
  await page.getByRole('searchbox').fill('keller')
  await page.getByRole('button', { name: 'Amara' }).waitFor({ state: 'detached' })
  await press('Bruno Keller | Keller & Töchter | Nov 2, 1969 | 62.50')
  await page.getByLabel('Birthday').fill('1969-11-03')
  await page.getByLabel('Category').selectOption('Friend')
  await page.getByLabel('Favourite').check()
  await page.getByLabel('Name').fill('')
  await press('Send')
  t.equal(await page.locator('input:invalid').getAttribute('id'), 'name')
  await page.getByLabel('Name').fill('Bruno K.')
  await page.pressKeys('Enter')
  await page.untilMessage(/^Saved\.$/, 'status')
  await press('Delete')
  await page.untilTitle('Contacts')
  t.match(await page.title(), /^Delete Bruno K\.\?/)
  await press('Log out Demo User')
  await t.resolves(page.untilMessage(/logged out/, 'status'))
})

test('a part of the page that hydrates after the session has started matches the HTML of the server', async t => {
  const page = await open(t, '<><App /><Suspense><Late /></Suspense></>')
  t.equal(await page.locator('h1').last().textContent(), 'starting')
  await page.evaluate('dispatchEvent(new Event("late"))')
  await t.resolves(page.locator('main:last-of-type input').first().waitFor())
})
