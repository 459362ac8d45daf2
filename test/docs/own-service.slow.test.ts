// The commands and the list of docs/own-service.md: a copy of the example outside the checkout, with a second list.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { DEMO, follow, get, type Json, post, save } from '../examples/process.ts'
import { bearer, outsideTap } from '../helpers.ts'
import { readPage } from './page.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { PATH = '', HOME = '' } = process.env
const { samples } = readPage('docs/own-service.md')
const [commands = '', program = ''] = samples.map(({ code }) => code)
const known = JSON.parse(readFileSync(join(root, 'schemas/known-screen.schema.json'), 'utf8'))
const isKnown = new Ajv2020({ strict: false }).compile<Json>(known)

const folder = mkdtempSync(join(tmpdir(), 'own-service-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
const project = join(folder, 'my-service')

/** Runs commands in the checkout, but makes the project in a temporary folder. */
function type(code: string, cwd = root) {
  const text = code.replaceAll('../my-service', project)
  // Without the scripts of packages: `npm pack` would rebuild the files that other tests use.
  const env = { PATH, HOME, PORT: '0', npm_config_ignore_scripts: 'true' }
  const child = spawn(...outsideTap('bash', ['-euc', text]), { cwd, env, detached: true })
  t.teardown(() => child.exitCode ?? child.signalCode ?? process.kill(-(child.pid as number), 'SIGKILL'))
  return follow(child)
}

t.test('the copy starts, and its second list has all that the contacts have', async t => {
  const { closed, output } = type(commands.replace(/npm start$/, ''))
  t.equal(await closed, 0, output.stderr)
  writeFileSync(join(project, 'server/orders.ts'), program)
  const lists = join(project, 'server/lists.ts')
  const text = readFileSync(lists, 'utf8').replace('[contacts]', '[contacts, orders]')
  writeFileSync(lists, `import { orders } from './orders.ts'\n${text}`)
  const server = type('npm start', project)
  await server.says(/Log in as/)
  const [, url = ''] = /listening at (\S+)/.exec(server.output.stdout) ?? []

  const { token, screen: menu } = await post({ url }, '/auth/login', DEMO)
  t.match(menu.menu.tabs[1], { label: 'Orders', items: [{ label: 'Orders' }, { label: 'New order' }] })
  const checked = ({ status, ...screen }: Json) => {
    t.ok(isKnown(typeof status === 'number' ? screen : { ...screen, status }), JSON.stringify(isKnown.errors))
    return { ...screen, status }
  }
  const open = async (path: string) => checked(await (await get({ url }, path, token)).json())
  const act = async (path: string, changes: object) => checked(await save({ url }, path, changes, bearer(token)))
  const namesIn = ({ lines }: Json) => lines.rows.map(({ values }: Json) => values[0]).join()

  const list = await open('/screen/orders')
  t.strictSame(list.lines.rows[0].values, ['2026-001', 'Keller & Töchter', '01-12-2026', '12,500.00', '', '1'])
  t.equal(namesIn(await open('/screen/orders?query=tran')), '2026-002')
  const form = await open(list.actions.create)
  t.match(await act(form.actions.create, { number: '7', customer: 'Ada', total: '1.005' }), {
    status: 'Error: Total: at most 2 decimals.'
  })
  const created = await act(form.actions.create, { number: '7', customer: 'Ada', total: '1,000.5' })
  t.match(created, { title: '7', sections: [{ fields: [{}, {}, {}, { value: '1,000.50' }] }] })
  t.match(await act(created.actions.save, { paid: 'true' }), { title: '7' })
  t.match(await act(created.actions.save, { customer: 'Bea' }), { status: /^Error: Changed by demo/ })
  t.match(await act(created.actions.delete, {}), { status: /^Error: Changed by demo/ })
  const { actions } = await open('/screen/order?id=3')
  t.equal(namesIn(await act(actions.delete, {})), '2026-001,2026-002')
})
