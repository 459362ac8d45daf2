/**
 * `npm run prepare`: makes the data that is not written by hand, and in dist the library with its types, and the command as
 * one file, which runs with Node and nothing else.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { buildSync } from 'esbuild'

rmSync('dist', { recursive: true, force: true })
makeData()
execFileSync('tsc --project tsconfig.build.json', { shell: true, stdio: 'inherit' })
bundle('dist/screen-auth-conformance.mjs')

/** Node 20 runs no TypeScript. */
function makeData() {
  const { text } = built({ entryPoints: ['build/make-data.ts'], packages: 'external' })
  execFileSync(process.execPath, ['--input-type=module'], { input: text, stdio: ['pipe', 1, 2] })
}

/** @param {string} file to write the command line into, with the licences of all that is in it */
function bundle(file) {
  const { text, inputs } = built({ entryPoints: ['cli.ts'], target: 'node20.19' })
  const dependencies = inputs.flatMap(path => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])
  writeFileSync(file, text + ['.', ...new Set(dependencies)].map(licence).join(''), { mode: 0o755 })
}

/**
 * One program of several sources, and the paths of these.
 *
 * @param {import('esbuild').BuildOptions} options
 */
function built(options) {
  const common = /** @type {const} */ ({ bundle: true, platform: 'node', format: 'esm', write: false, metafile: true })
  const { outputFiles, metafile } = buildSync({ ...options, ...common })
  return { text: outputFiles[0]?.text ?? '', inputs: Object.keys(metafile.inputs) }
}

/** @param {string} folder of a package */
function licence(folder) {
  const { name } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  const file = readdirSync(folder).find(name => /^licen[cs]e/i.test(name))
  if (file === undefined) throw new Error(`${name} has no licence`)
  return `\n/*\n${name}\n\n${readFileSync(`${folder}/${file}`, 'utf8')}*/\n`
}
