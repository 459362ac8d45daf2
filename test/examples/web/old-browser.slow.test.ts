// A browser that lacks what the page needs says so.

import { appOf, listen, openPage, test } from './browser.ts'

for (const missing of ['delete URL.parse', 'delete Map.groupBy', 'CSS.supports = () => false'])
  test(`an old browser says that it is too old: ${missing}`, async t => {
    const page = await openPage(t, 'about:blank')
    await page.addInitScript(missing)
    await page.goto(await listen(await appOf(t, {})))
    await t.resolves(page.getByText('This browser is too old.').waitFor())
  })
