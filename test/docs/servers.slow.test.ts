// The screens, the Go program and the commands of docs/servers.md, taken from the page, and the kit against that server.
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { needs } from '../needs.ts'
import { faultsOf } from './known-screen.ts'
import { escapeRegExp, readPage } from './page.ts'
import { jsonOf, logIn, tokenOf } from './program.ts'
import { Reader } from './reader.ts'

const KIT = 'conformance/dist/screen-auth-conformance.mjs'
const DEMO = { username: 'demo', password: 'demo-password' }

const { samples } = readPage('docs/servers.md')
const codeOf = (language: string) => samples.filter(sample => sample.language === language).map(({ code }) => code)
const [rejection = '', form = '', menu = '', users = ''] = codeOf('json')
const [program = '', ...otherPrograms] = codeOf('go')

t.test('every block of the page is tested here', async t => {
  t.strictSame([...new Set(samples.map(({ language }) => language))], ['json', 'go', 'sh'])
  t.equal(codeOf('json').length, 4)
  t.strictSame(otherPrograms, [])
})

t.test('known clients draw the screens of the page', async t => {
  for (const screen of [form, menu, users]) t.equal(faultsOf(JSON.parse(screen)), '')
})

t.test('the program is read in one go: it has 75 lines at most', async t => {
  t.ok(program.split('\n').length <= 75)
})

// Not `every` alone, so that each missing program is named.
const isReady = ['go', 'bash', 'curl', 'openssl'].map(name => needs(t, name)).every(path => path !== undefined)

if (isReady) {
  const reader = new Reader(t)
  const kit = fileURLToPath(new URL(`../../${KIT}`, import.meta.url))

  t.before(async () => {
    const files = { 'form.json': form, 'menu.json': menu, 'users.json': users, 'server.go': program }
    for (const [name, text] of Object.entries(files)) await reader.type(`cat > ${name} << 'END'\n${text}\nEND`)
    await reader.type(`mkdir -p conformance/dist && cp '${kit}' conformance/dist`)
  })

  t.test('the program is formatted, and Go finds no fault with it', async t => {
    t.equal(await reader.type('go fmt server.go && go vet server.go'), '')
  })

  t.test('the commands print what the page shows: the server conforms, and nothing is left to judge', async t => {
    const commands = samples.filter(({ language }) => language === 'sh')
    // The limits of time are for people who wait.
    const patient = `${KIT} --timeout 120 --limit 1200`
    const code = commands.map(({ code }) => code.replace(KIT, patient)).join('\n')
    const output = await reader.type(code)
    const expected = commands.map(({ expected }) => expected?.trim()).join('\n…')
    t.match(output, new RegExp(`^${escapeRegExp(expected).replaceAll('…', '[^]*?')}`))
    const [, , last = ''] = output.split('Profile: ')
    t.match(last, 'Observed: ')
    t.notMatch(last, 'Not judged')
  })

  t.test('the server sends the screens of the page, with the name of the user', async t => {
    const url = `http://127.0.0.1:${await reader.type('echo 3001')}`
    const token = await tokenOf(url, DEMO)
    const user_display_name = 'Demo User'
    t.strictSame(await jsonOf(`${url}/auth/login`), JSON.parse(form))
    t.strictSame(await jsonOf(`${url}/menu/main`, token), { ...JSON.parse(menu), user_display_name })
    t.strictSame(await jsonOf(`${url}/screen/users`, token), { ...JSON.parse(users), user_display_name })
    t.strictSame(await (await logIn(url, { password: 'wrong' })).json(), JSON.parse(rejection))
  })
}
