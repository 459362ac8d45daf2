// A server with the screens of a test, and the web client to see them with.

import type { FastifyInstance } from 'fastify'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { webClient } from '../../../examples/server/web-client.ts'
import { ADA, host, PASSWORD } from '../../helpers.ts'
import { logIn, untilTitle } from './browser.ts'

export const CREDENTIALS = { username: ADA.username, password: PASSWORD }

/** A Card to read. */
export const PERSON = {
  layout: 'Card',
  title: 'Person',
  sections: [
    { label: 'User', fields: [{ id: 'username', label: 'Username', value: 'ada', editable: false }] }
  ]
}

/** A Card that is saved at `/save`. */
export const cardOf = (fields: object[], more: object = {}) => ({
  layout: 'Card',
  title: 'Card',
  actions: { save: '/save' },
  sections: [{ fields }],
  ...more
})

/** Listens on a free port, with the web client at the root or below a prefix. */
export async function listen(app: FastifyInstance, options: object = {}): Promise<string> {
  await app.register(webClient, options)
  const { prefix = '' } = options as { prefix?: string }
  return `${await app.listen({ host: '127.0.0.1', port: 0 })}${prefix}/`
}

/** A server whose menu opens each of some screens, and has some more items. */
export async function appOf(
  t: Test,
  screens: Record<string, object>,
  more: object[] = []
): Promise<FastifyInstance> {
  const items = Object.keys(screens).map(name => ({
    label: name,
    action: { type: 'open_screen', url: `/${name}` }
  }))
  const menu = { panel_title: 'Main', tabs: [{ label: 'All', items: [...items, ...more] }] }
  const app = await host(t, { mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu }) })
  for (const [name, screen] of Object.entries(screens)) app.get(`/${name}`, async () => screen)
  return app
}

/** The same, listening. */
export async function serverOf(
  t: Test,
  screens: Record<string, object>,
  more: object[] = []
): Promise<string> {
  return listen(await appOf(t, screens, more))
}

/** Logs in, and opens the screen of a name. */
export async function openScreen(page: Page, name: string, title: string): Promise<void> {
  await logIn(page, CREDENTIALS)
  await untilTitle(page, 'Main Menu')
  await page.getByRole('link', { name, exact: true }).click()
  await untilTitle(page, title)
}
