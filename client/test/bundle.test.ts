// The size of the bundle that a page loads.

import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import t from 'tap'

/** Bundles and minifies the imports of a page. */
async function bundle(names: string) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export ${names} from './index.ts'`, resolveDir: fileURLToPath(new URL('..', import.meta.url)) },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    metafile: true,
    write: false
  })
  const [{ imports = [], inputs = {} } = {}] = Object.values(metafile.outputs)
  return { bytes: gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length, imports, inputs }
}

for (const [names, limit] of [
  ['{ Session }', 10_700],
  ['*', 12_100]
] as const)
  t.test(`the compressed bundle is smaller than ${limit} bytes, and imports nothing: ${names}`, async t => {
    const { bytes, imports, inputs } = await bundle(names)
    t.ok(bytes > 1_000 && bytes < limit, `${bytes} bytes`)
    t.strictSame(imports, [])
    t.ok(Object.keys(inputs).every(path => !path.includes('node_modules')))
  })

t.test('a page that imports only the session loads no helper', async t => {
  const { inputs } = await bundle('{ Session }')
  for (const path of ['format.ts', 'validation.ts']) t.notOk(Object.keys(inputs).some(input => input.endsWith(path)))
})
