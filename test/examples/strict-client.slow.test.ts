// A Go client that was written only from known-screen.schema.json and a description of the screens, and shares no code
// with our clients. It fails on every wrong type, and also checks the texts for people.

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
    t.test(`a strict client can use every feature before and after a restart, ${language}`, async t => {
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
