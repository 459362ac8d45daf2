// The screens, the Go program and the commands of docs/servers.md, taken from the page, and the kit against that server,
// also in the job of conformance/docs/ci.md.
import t from 'tap'
import { DEMO } from '../examples/process.ts'
import { needs } from '../needs.ts'
import { escapeRegExp, readPage } from './page.ts'
import { Reader } from './reader.ts'
import { Visitor } from './table.ts'

const KIT = 'screen-auth-conformance.mjs'
/** The limits of time are for people who wait. */
const PATIENCE = '--timeout 120 --limit 1200'

const { samples } = readPage('docs/servers.md')
const codeOf = (language: string) => samples.filter(sample => sample.language === language).map(({ code }) => code)
const [form = '', menu = '', users = ''] = codeOf('json')
const [program = ''] = codeOf('go')

// Not `every` alone, so that each missing program is named.
const isReady = ['go', 'bash', 'curl', 'openssl'].map(name => needs(t, name)).every(path => path !== undefined)

if (isReady) {
  const reader = new Reader(t)

  t.before(async () => {
    const files = { 'form.json': form, 'menu.json': menu, 'users.json': users, 'server.go': program }
    for (const [name, text] of Object.entries(files)) await reader.type(`cat > ${name} << 'END'\n${text}\nEND`)
  })

  t.test('Go finds no fault, and the commands print what the page shows: the server conforms', async t => {
    t.equal(await reader.type('go fmt server.go && go vet server.go'), '')
    const [sample] = samples.filter(({ language }) => language === 'sh')
    const output = await reader.type(`${sample?.code.replace(KIT, `${KIT} ${PATIENCE}`)}`)
    t.match(output, new RegExp(`^${escapeRegExp(`${sample?.expected}`).replaceAll('…', '[^]*?')}`))
  })

  t.test('the server sends the screens of the page, with the name of the user', async t => {
    const user_display_name = 'Demo User'
    await Visitor.visit(
      t,
      `http://127.0.0.1:${await reader.type('echo 3001')}`,
      ['GET /auth/login', {}, 200, JSON.parse(form)],
      ['POST /auth/login', { fields: DEMO, keep: 'demo' }, 200],
      ['GET /menu/main', { as: 'demo' }, 200, { ...JSON.parse(menu), user_display_name }],
      ['GET /screen/users', { as: 'demo' }, 200, { ...JSON.parse(users), user_display_name }]
    )
  })

  t.test('the job for GitLab builds the server, and checks it with the options of the job', async t => {
    const [script, job = ''] = readPage('conformance/docs/ci.md').samples.map(({ code }) => code)
    const [, options] = /CONFORMANCE_OPTIONS: (.*)/.exec(job) ?? []
    // Without the first command, which installs Node.
    const [, ...commands] = [...job.matchAll(/^ +- (.*)/gm)].map(([, command]) => command)
    const output = await reader.type(`${script?.split('\nEND')[0]?.replace('3000', '3002')}\nEND
      export CONFORMANCE_OPTIONS='${options} ${PATIENCE}' START_SECONDS=600 SVC_AUTH_SECRET=${'0'.repeat(32)}
      export SCREEN_AUTH_USERNAME=${DEMO.username} SCREEN_AUTH_PASSWORD=${DEMO.password}
      go mod init server
      ${commands.join('\n')}`)
    t.match(output, /\nProfile: core, hardening\..*\nThe server \S+ conforms: /)
    t.notMatch(output, 'give --protected')
  })
}
