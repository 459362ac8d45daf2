import { delimiter, join } from 'node:path'
import t from 'tap'
import { cacheFor } from '../cache.ts'
import { needs } from '../needs.ts'
import { DOCUMENTS, logsIn, pathOf, project } from './client.ts'

const python = needs(t, 'python3')
for (const document of python ? DOCUMENTS : []) {
  t.test(`a Python client that openapi-python-client makes of ${document} logs in`, async t => {
    const { run } = await project('openapi-python-client', document)
    const bin = join(cacheFor('openapi-python-client'), 'venv/bin')
    await run('python3', ['-m', 'venv', join(bin, '..')])
    await run(`${bin}/pip`, ['install', '--quiet', '--requirement', 'requirements.txt'])
    // It formats with ruff, which lies beside it.
    const env = { PATH: [bin, process.env.PATH].join(delimiter) }
    const options = ['--meta', 'none', '--output-path', 'contract', '--fail-on-warning']
    await run(`${bin}/openapi-python-client`, ['generate', '--path', pathOf(document), ...options], env)
    await logsIn(t, args => run(`${bin}/python`, ['main.py', ...args]))
  })
}
