// A client that has its types from the OpenAPI documents, by way of openapi-typescript, logs in.
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { DEMO, startServer } from '../examples/process.ts'
import { folder, inProject, root, save } from '../package/project.ts'

const TOOLS = ['--yes', '--package', 'openapi-typescript@7.13.0', '--package', 'typescript@5.9.3']
const STRICT = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'es2022', '--module', 'preserve']

const CLIENT = `
  import type { components, paths } from './contract.ts'

  type AuthRequest = components['schemas']['AuthRequest']
  type ScreenContract = components['schemas']['ScreenContract']
  type AuthResponse = paths['/auth/login']['post']['responses'][200]['content']['application/json']

  const [base = '', username = '', password = ''] = process.argv.slice(2)

  const form: ScreenContract = await (await fetch(base + '/auth/login')).json()
  console.log(form.layout, form.sections?.flatMap(({ fields }) => fields.map(({ id }) => id)).join(' '))
  const rejected = await logIn({ fields: { username, password: 'wrong' } })
  console.log(rejected.success, rejected.error)
  const { token, screen } = await logIn({ fields: { username, password } })
  console.log(screen?.title, screen?.user_display_name)
  // @ts-expect-error: a token is a string or null
  const bearer: string = token

  const headers = { authorization: 'Bearer ' + bearer }
  const menu: ScreenContract = await (await fetch(base + '/menu/main', { headers })).json()
  console.log(menu.title, menu.user_display_name)

  async function logIn(body: AuthRequest): Promise<AuthResponse> {
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await fetch(base + form.auth_action, init)).json() as Promise<AuthResponse>
  }
`
const OUTPUT = `
Card username password
false Wrong username or password.
Main Menu Demo User
Main Menu Demo User`

t.before(() => symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules')))

for (const name of ['openapi.json', 'openapi-3.0.json'])
  t.test(`a strict client with the types of ${name} logs in`, async t => {
    await save('client.mts', CLIENT)
    const document = join(root, 'schemas/generated', name)
    await inProject('npx', [...TOOLS, 'openapi-typescript', document, '--output', 'contract.ts'])
    await inProject('node_modules/.bin/tsc', [...STRICT, '--types', 'node', 'client.mts'])
    const { url } = await startServer(t, { SVC_AUTH_SECRET: 'secret-of-the-generated-clients!' })
    const output = await inProject('node_modules/.bin/tsx', ['client.mts', url, DEMO.username, DEMO.password])
    t.equal(output, OUTPUT.trim())
  })
