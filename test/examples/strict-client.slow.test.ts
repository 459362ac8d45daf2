// A client in Go that was written from section 6 of the design and known-screen.schema.json alone, and shares no code with
// ours: a wrong type anywhere is a failure, and what a person reads is checked too.

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { SECRET } from '../helpers.ts'
import { needs } from '../needs.ts'
import { freshDatabase, type Server, startServer } from './process.ts'

const STEPS = {
  before: 'log in, walk, create from the list, create from the menu, edit, wrong input, search, conflict',
  after: 'token over a restart, walk, edit a kept record, delete, log out, change the password'
}

const cwd = fileURLToPath(new URL('strict-client', import.meta.url))
const run = promisify(execFile)

if (needs(t, 'go')) {
  for (const language of ['en', 'de'])
    t.test(`a strict client does what can be done, before and after a restart, ${language}`, async t => {
      const program = `${t.testdir()}/strict-client`
      await run('go', ['build', '-o', program, '.'], { cwd })
      const state = `${t.testdirName}/state.json`
      const environment = { ...freshDatabase(t), SVC_AUTH_SECRET: SECRET }
      const stage = async (server: Server, name: 'before' | 'after') => {
        const { stdout } = await run(program, [server.url, language, state, name])
        const done = [...stdout.matchAll(/^ok: (.*)$/gm)].map(([, step]) => step)
        t.equal(done.join(', '), STEPS[name])
        await server.stop()
      }
      const before = await startServer(t, environment)
      await stage(before, 'before')
      await stage(await startServer(t, { ...environment, PORT: new URL(before.url).port }), 'after')
    })
}
