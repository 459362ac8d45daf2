// Can the schedules fail? Each of these faults is put into a copy of lib/, and the schedules must find it.

import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { type Fault, faults } from './faults.ts'
import { runSchedules } from './in-a-thread.ts'

const RUNS = 4000
const SEED = Number(process.env.FUZZ_SEED ?? 1)

const root = fileURLToPath(new URL('../../../../../', import.meta.url))

t.jobs = 2

for (const fault of faults) {
  t.test(fault.name, async t => {
    const { numRuns, failure } = await runSchedules({
      module: withFault(t, fault),
      store: fault.store ?? 'reporting',
      parameters: { numRuns: RUNS, seed: SEED, endOnFailure: true }
    })
    t.comment(`${failure === undefined ? 'not found' : 'found'} after ${numRuns} schedules`)
    t.match(failure, /a session of|is never over|does not remember|failed/, `found in ${RUNS} schedules`)
  })
}

/** Returns the URL of a copy of the plugin that has the fault. */
function withFault(t: Test, { file, text, by }: Fault): string {
  const copy = t.testdir()
  for (const folder of ['lib', 'schemas']) cpSync(join(root, folder), join(copy, folder), { recursive: true })
  const path = join(copy, 'lib/tokens', file)
  const source = readFileSync(path, 'utf8')
  const parts = source.split(text)
  if (parts.length !== 2)
    throw new Error(`${file} has ${parts.length - 1} places to put the fault in: ${text}`)
  writeFileSync(path, parts.join(by))
  return pathToFileURL(join(copy, 'lib/index.ts')).href
}
