/**
 * `npm run prepare`: generates generated.ts. Builds the library with its types in dist, and the
 * command as one file that needs only Node.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { buildSync } from 'esbuild'

rmSync('dist', { recursive: true, force: true })
// Bundled first: Node 20 does not run TypeScript.
execFileSync(process.execPath, ['--input-type=module'], {
  input: bundled('build/make-data.ts', 'external'),
  stdio: ['pipe', 1, 2]
})
execFileSync('tsc --project tsconfig.build.json', { shell: true, stdio: 'inherit' })
const licence = `\n/*\nscreen-auth-conformance\n\n${readFileSync('../LICENSE', 'utf8')}*/\n`
writeFileSync('dist/index.js', bundled('index.ts'))
writeFileSync('dist/screen-auth-conformance.mjs', bundled('cli.ts') + licence, { mode: 0o755 })

/**
 * @param {string} entry a source file
 * @param {'bundle' | 'external'} packages how to treat imported packages; the kit itself imports none
 */
function bundled(entry, packages = 'bundle') {
  const { outputFiles } = buildSync({
    entryPoints: [entry],
    packages,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    write: false
  })
  return outputFiles[0]?.text ?? ''
}
