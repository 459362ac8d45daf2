// runner.py agrees with the kit on every case: of servers that conform, of every broken one, and of recorded answers.
import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { type CheckServerOptions, checkServer } from '../../conformance/index.ts'
import type { RecordedRun } from '../../conformance/test/recorded/recorded-run.ts'
import { brokenServers, partsOf } from '../../conformance/test/server/broken-servers.ts'
import { conformingReference } from '../../conformance/test/server/broken-tokens.ts'
import {
  conforming,
  type Form,
  listen,
  PASSWORD,
  type Parts,
  privateKeyOf,
  SECOND,
  SECRET,
  USERNAME
} from '../../conformance/test/server/minimal-server.ts'
import { needs } from '../needs.ts'
import { argumentsFor, installPython, type Loop, startLoop } from './python-runner.ts'

interface Server {
  name: string
  form: Form
  parts(): Parts
  options: CheckServerOptions | undefined
}

const second = { secondUsername: SECOND.username, secondPassword: SECOND.password }
const FORMS = ['jwt', 'RS256', 'ES256', 'opaque', 'no-auth'] as const
const servers: Server[] = [
  ...FORMS.map(form => ({
    name: `conforms: ${form}`,
    form,
    parts: () => conforming(form, '/deep/base'),
    options: { key: privateKeyOf(form), ...(form !== 'no-auth' && second), protected: ['/screen/own'] }
  })),
  {
    name: 'conforms: reference',
    form: 'jwt',
    parts: () => conformingReference,
    options: { reference: true, appName: 'Willkommen' }
  },
  ...brokenServers.map(broken => ({
    name: `${broken.clause}: ${broken.name}`,
    form: broken.form,
    parts: () => partsOf(broken),
    options: broken.options
  }))
]

const optionsFor = (form: Form): CheckServerOptions => ({
  ...(form === 'no-auth' ? { noAuth: true } : { username: USERNAME, password: PASSWORD }),
  ...(form === 'jwt' && { secret: SECRET })
})

/** They follow two logins at once: which one a server takes for the last that mixes them up is a matter of chance. */
const AFTER_TWO_LOGINS = ['second-menu', 'protected-second-display-name']

/** The results of both runners. Each gets a server of its own, which may remember something. */
async function runBoth(t: Test, { name, form, parts, options }: Server, python: Loop, folder: string) {
  const all = { ...optionsFor(form), ...options }
  const [one, other] = [await listen(t, form, parts()), await listen(t, form, parts())]
  const [{ results }, others] = await Promise.all([
    checkServer(one, { ...all, timeout: 120 }),
    python(argumentsFor(other, all, folder))
  ])
  const kit = results.map(({ id, status, level, note }) =>
    level === 'OBSERVED' && /^(yes|no)$/.test(note as string) ? [id, status, note] : [id, status]
  )
  const isCertain = ([id]: unknown[]) =>
    !name.includes('last login') || !AFTER_TWO_LOGINS.includes(id as string)
  return { kit: kit.filter(isCertain), python: (others as unknown[][]).filter(isCertain) }
}

const found = needs(t, 'python3')
if (found !== undefined) {
  const python = await installPython(found)

  t.test('runner.py and the kit agree on every case of every server', async t => {
    const folders = t.testdir({ 0: {}, 1: {} })
    // Two processes, each with the next server that is left.
    await Promise.all(
      ['0', '1'].map(async name => {
        const loop = startLoop(t, python)
        for (let server = servers.shift(); server !== undefined; server = servers.shift()) {
          const results = await runBoth(t, server, loop, `${folders}/${name}`)
          t.strictSame(results.python, results.kit, server.name)
        }
      })
    )
  })

  t.test('runner.py comes to the recorded verdicts', async t => {
    const loop = startLoop(t, python)
    const file = new URL('../../recorded-answers.json', import.meta.url)
    const { runs }: { runs: RecordedRun[] } = JSON.parse(readFileSync(file, 'utf8'))
    for (const run of runs) {
      const verdicts = run.cases.map(({ id, status, observed }) =>
        observed === undefined ? [id, status] : [id, status, observed]
      )
      t.strictSame(await loop(run), verdicts, run.name)
    }
  })
}
