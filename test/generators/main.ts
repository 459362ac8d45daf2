import type { components, paths } from './contract.ts'

type AuthRequest = components['schemas']['AuthRequest']
type ScreenContract = components['schemas']['ScreenContract']
type AuthResponse = paths['/auth/login']['post']['responses'][200]['content']['application/json']

const [base = '', username = '', password = ''] = process.argv.slice(2)

const form: ScreenContract = await (await fetch(`${base}/auth/login`)).json()
const ids = form.sections?.flatMap(({ fields }) => fields.map(({ id }) => id))
console.log(`form: ${form.layout} ${form.auth_action} ${ids?.join(' ')}`)

const rejected = await logIn({ fields: { username, password: 'wrong' } })
if (!rejected.success) console.log(`rejected: ${rejected.error}`)

const { token, screen } = await logIn({ fields: { username, password } })
console.log(`accepted: ${screen?.title}, ${screen?.user_display_name}`)
// @ts-expect-error: a token is a string or null
const bearer: string = token

const headers = { authorization: `Bearer ${bearer}` }
const menu: ScreenContract = await (await fetch(`${base}/menu/main`, { headers })).json()
console.log(`menu: ${menu.title}, ${menu.user_display_name}`)

async function logIn(body: AuthRequest): Promise<AuthResponse> {
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  return (await fetch(base + form.auth_action, init)).json() as Promise<AuthResponse>
}
