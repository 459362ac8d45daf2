import t from 'tap'
import { needs } from '../needs.ts'
import { DOCUMENTS, logsIn, pathOf, project } from './client.ts'

const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'

const go = needs(t, 'go')
for (const document of go ? DOCUMENTS : []) {
  t.test(`a Go client that oapi-codegen makes of ${document} logs in`, async t => {
    const { folder, run } = await project('oapi-codegen', document)
    const options = [
      '-generate',
      'types,client',
      '-package',
      'contract',
      '-o',
      `${folder}/contract/contract.go`
    ]
    await run('mkdir', ['contract'])
    await run('go', ['run', OAPI_CODEGEN, ...options, pathOf(document)])
    await run('go', ['mod', 'tidy'])
    const tags = document === 'openapi-3.0.json' ? ['-tags', 'openapi30'] : []
    await run('go', ['build', ...tags, '-o', 'login', '.'])
    await logsIn(t, args => run(`${folder}/login`, args))
  })
}
