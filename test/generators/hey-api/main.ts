import { client } from './contract/client.gen'
import { getAuthLogin, getMenuMain, postAuthLogin } from './contract/index'

const [baseUrl = '', username = '', password = ''] = process.argv.slice(2)
client.setConfig({ baseUrl })

const { data: form } = await getAuthLogin({ throwOnError: true })
const ids = form.sections?.flatMap(({ fields }) => fields.map(({ id }) => id))
console.log(`form: ${form.layout} ${form.auth_action} ${ids?.join(' ')}`)

const { data: rejected } = await postAuthLogin({
  body: { fields: { username, password: 'wrong' } },
  throwOnError: true
})
if (!rejected.success) console.log(`rejected: ${rejected.error}`)

const { data: accepted } = await postAuthLogin({
  body: { fields: { username, password } },
  throwOnError: true
})
const { token, screen } = accepted
console.log(`accepted: ${screen?.title}, ${screen?.user_display_name}`)

const { data: menu } = await getMenuMain({ auth: token ?? '', throwOnError: true })
console.log(`menu: ${menu.title}, ${menu.user_display_name}`)
