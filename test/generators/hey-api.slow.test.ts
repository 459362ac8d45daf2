import t from 'tap'
import { DOCUMENTS, pathOf, project } from './client.ts'
import { compilesAndLogsIn } from './typescript.ts'

/** The last one for Node 20, and the TypeScript that it needs beside it. */
const HEY_API = ['--yes', '--package', '@hey-api/openapi-ts@0.95.0', '--package', 'typescript@6.0.3']

for (const document of DOCUMENTS) {
  t.test(`a client that Hey API makes of ${document} logs in`, async t => {
    const made = await project('hey-api', document)
    const options = ['--input', pathOf(document), '--output', 'contract', '--client', '@hey-api/client-fetch']
    await made.run('npx', [...HEY_API, 'openapi-ts', ...options])
    await compilesAndLogsIn(t, made)
  })
}
