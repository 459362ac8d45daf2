// A server with the screens of a test, and the web client to see them with.

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { webClient } from '../../../examples/server/web-client.ts'
import { ADA, host, PASSWORD } from '../../helpers.ts'

export const CREDENTIALS = { username: ADA.username, password: PASSWORD }

/** A Card whose button says what it does. */
export const PERSON = {
  layout: 'Card',
  title: 'Person',
  save_action: '/save',
  save_label: 'Sign out everywhere',
  sections: [
    { label: 'User', fields: [{ id: 'username', label: 'Username', value: 'ada', editable: false }] }
  ]
}

/** Listens on a free port, with the web client at the root or below a prefix. */
export async function listen(app: FastifyInstance, prefix = ''): Promise<string> {
  await app.register(webClient, { prefix })
  return `${await app.listen({ host: '127.0.0.1', port: 0 })}${prefix}/`
}

/** A server whose menu opens each of some screens, and has some more items. */
export async function serverOf(
  t: Test,
  screens: Record<string, object>,
  more: object[] = []
): Promise<string> {
  const items = Object.keys(screens).map(name => ({
    label: name,
    action: { type: 'open_screen', url: `/${name}` }
  }))
  const menu = { panel_title: 'Main', tabs: [{ label: 'All', items: [...items, ...more] }] }
  const app = await host(t, { mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu }) })
  for (const [name, screen] of Object.entries(screens)) app.get(`/${name}`, async () => screen)
  return listen(app)
}
