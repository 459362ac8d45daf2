/** `npm run prepare`: compiles the package into dist, and makes the data that is not written by hand. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import process from 'node:process'
import { buildSync } from 'esbuild'

rmSync('dist', { recursive: true, force: true })
const compiler = spawn('tsc --project tsconfig.build.json', { shell: true, stdio: 'inherit' })
const compiled = once(compiler, 'exit')

// Meanwhile. Node 20 runs no TypeScript.
const { outputFiles } = buildSync({
  entryPoints: ['build/make-data.ts'],
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  write: false
})
execFileSync(process.execPath, ['--input-type=module'], {
  input: outputFiles[0]?.contents,
  stdio: ['pipe', 1, 2]
})

const [status] = await compiled
if (status !== 0) process.exit(1)
chmodSync('dist/cli.js', 0o755)
