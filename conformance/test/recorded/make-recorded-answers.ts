// Writes recorded-answers.json: node --import tsx test/recorded/make-recorded-answers.ts && npm run format
import { writeFileSync } from 'node:fs'
import { serverCases } from '../../cases.ts'
import { brokenServers, partsOf } from '../server/broken-servers.ts'
import { conformingReference } from '../server/broken-tokens.ts'
import {
  conforming,
  type Form,
  PASSWORD,
  privateKeyOf,
  SECOND,
  SECRET,
  USERNAME
} from '../server/minimal-server.ts'
import { only, type RecordedRun, record } from './recorded-run.ts'

const optionsFor = (form: Form) => ({
  ...(form === 'no-auth' ? { noAuth: true } : { username: USERNAME, password: PASSWORD }),
  ...(form === 'jwt' && { secret: SECRET }),
  timeout: 120
})
const stops: (() => unknown)[] = []
const t = { teardown: (stop: () => unknown) => stops.push(stop) } as unknown as Parameters<typeof record>[0]

const runs: RecordedRun[] = []
for (const form of ['jwt', 'ES256', 'opaque', 'no-auth'] as const) {
  runs.push(
    await record(t, `conforms: ${form}`, form, () => conforming(form, '/deep/base'), {
      ...optionsFor(form),
      key: privateKeyOf(form),
      ...(form !== 'no-auth' && { secondUsername: SECOND.username, secondPassword: SECOND.password }),
      protected: ['/screen/own']
    })
  )
}
runs.push(
  await record(t, 'conforms: reference', 'jwt', () => conformingReference, {
    ...optionsFor('jwt'),
    reference: true,
    appName: 'Willkommen'
  })
)
// Of broken servers only what they break: the rest is as above.
for (const broken of brokenServers.filter((_, index) => index % 12 === 3)) {
  const { clause, name, form } = broken
  const run = await record(t, `${clause}: ${name}`, form, () => partsOf(broken), {
    ...optionsFor(form),
    ...broken.options
  })
  runs.push(only(run, ({ status }) => status !== 'ok'))
}
for (const stop of stops) stop()

const file = {
  $schema: './recorded-answers.schema.json',
  contractVersion: serverCases.contractVersion,
  dataVersion: serverCases.dataVersion,
  runs
}
writeFileSync(new URL('../../recorded-answers.json', import.meta.url), `${JSON.stringify(file, null, 2)}\n`)
