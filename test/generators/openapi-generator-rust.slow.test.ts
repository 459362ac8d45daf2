import { join } from 'node:path'
import t from 'tap'
import { cacheFor } from '../cache.ts'
import { needs } from '../needs.ts'
import { DOCUMENTS, logsIn, project } from './client.ts'
import { generate } from './openapi-generator.ts'

const programs = [needs(t, 'cargo'), needs(t, 'mvn')]
for (const document of programs.includes(undefined) ? [] : DOCUMENTS) {
  t.test(`a Rust client that openapi-generator makes of ${document} logs in`, async t => {
    const made = await project('openapi-generator-rust', document)
    await generate(made, document, ['--generator-name', 'rust', '--output', 'client'])
    const env = { CARGO_TARGET_DIR: join(cacheFor('openapi-generator-rust'), 'target') }
    await made.run('cargo', ['build', '--quiet'], env)
    await logsIn(t, args => made.run(`${env.CARGO_TARGET_DIR}/debug/login`, args))
  })
}
