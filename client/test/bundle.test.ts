// What a page loads of the session.

import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import t from 'tap'

t.test('minified and compressed it has less than 6,000 bytes, and it imports nothing', async t => {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL('../index.ts', import.meta.url))],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    metafile: true,
    write: false
  })
  const bytes = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
  t.ok(bytes > 1_000 && bytes < 6_000, `${bytes} bytes`)
  t.strictSame(
    Object.values(metafile.outputs).flatMap(({ imports }) => imports),
    []
  )
  t.ok(Object.keys(metafile.inputs).every(path => !path.includes('node_modules')))
})
