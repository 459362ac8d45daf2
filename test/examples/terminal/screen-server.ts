// A server with the screens of a test, and the terminal client at it.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { Terminal, type TerminalOptions } from './tmux.ts'

export const message = (label: string, text = `You chose ${label}.`) => ({
  label,
  action: { type: 'message', text }
})
export const open = (label: string, url: string) => ({ label, action: { type: 'open_screen', url } })
export const field = (id: string, more: object = {}) => ({
  id,
  label: `Label ${id}`,
  type: 'Text',
  value: '',
  ...more
})
export const menu = (tabs: object[]) => ({
  layout: 'Menu',
  title: 'Main Menu',
  menu: { panel_title: 'Main', tabs }
})

/** What was posted: a SaveChangeset, or the press of a button. */
interface Posted {
  url: string
  changes?: Record<string, string>
  fields?: Record<string, string>
  action?: string
  action_id?: string
}

/** What a Card is saved as, when the test does not say. */
const KEPT = { layout: 'Card', title: 'Kept', status: 'Kept.' }

/**
 * Serves screens by their path, without a login, and remembers what is posted. The response to a POST is the screen of
 * `POST ` and the path; with a `content_location` it lives there. What is `/slow` waits for `release`.
 */
async function screens(t: Test, all: Record<string, object>) {
  const posted: Posted[] = []
  let release = () => {}
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  const server = createServer(async (request, response) => {
    const { method, url = '' } = request
    if (method === 'POST') posted.push({ url, ...JSON.parse(await text(request)) })
    const found = method === 'POST' ? (all[`POST ${url}`] ?? KEPT) : all[url]
    if (url === '/slow') await released
    const { content_location } = { content_location: '', ...found }
    if (content_location !== '') response.setHeader('content-location', content_location)
    response.statusCode = found ? 200 : url === '/broken' ? 500 : 404
    response.end(JSON.stringify(found ?? {}))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, posted, release }
}

/** The client at a menu, or at whatever is at that place. */
export async function at(
  t: Test,
  main: object,
  others: Record<string, object> = {},
  options: TerminalOptions = {}
) {
  const { url, ...server } = await screens(t, Object.assign(others, { '/menu/main': main }))
  const terminal = await Terminal.start(t, url, options)
  await terminal.until(screen => !screen.includes('Connecting'))
  return { terminal, ...server }
}

export const card = (fields: object[], more: object = {}) => ({
  layout: 'Card',
  title: 'Form',
  actions: { save: '/save' },
  sections: [{ id: 's', label: 'Section', fields }],
  ...more
})

/** The Card behind a row or an item. */
export const opened = (index: number) => ({
  [`/user?n=${index}`]: card([field('u', { label: 'User', value: `number ${index}`, editable: false })])
})
