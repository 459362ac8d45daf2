import t from 'tap'
import { DOCUMENTS, pathOf, project } from './client.ts'
import { compilesAndLogsIn, installed } from './typescript.ts'

for (const document of DOCUMENTS) {
  t.test(`with the types that openapi-typescript makes of ${document}, a strict client logs in`, async t => {
    const made = await project('openapi-typescript', document)
    await made.run(installed('.bin/openapi-typescript'), [pathOf(document), '--output', 'contract.ts'])
    await compilesAndLogsIn(t, made)
  })
}
