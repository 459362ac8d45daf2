/**
 * `npm run build`, which `npm ci` runs, too: builds the three packages. It is the `prepare` script of a package that is
 * never published, because npm warns of a published package with such a script.
 */
import { execSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { buildSync } from 'esbuild'

const require = createRequire(import.meta.url)

process.chdir(`${import.meta.dirname}/..`)
run('tsc --project tsconfig.build.json')
// Drops the comments, an eighth of the package. The types keep them, and an editor shows those.
buildSync({ absWorkingDir: process.cwd(), entryPoints: ['dist/**/*.js'], outdir: 'dist', allowOverwrite: true })
for (const path of ['json', 'openapi.json', 'openapi-3.0.json'])
  cpSync(`schemas/generated/${path}`, `dist/schemas/generated/${path}`, { recursive: true })
addModules()
cpSync('conformance/contract.md', 'client/contract.md')
for (const folder of ['client', 'conformance']) cpSync('LICENSE', `${folder}/LICENSE`)
run('tsc --project tsconfig.build.json', 'client')
run('node build.js', 'conformance')

function run(command, cwd = '.') {
  rmSync(`${cwd}/dist`, { recursive: true, force: true })
  execSync(command, { cwd, stdio: 'inherit' })
}

/**
 * Adds what `import` loads: modules that export the names of the CommonJS build, so that `import` and `require` share
 * one instance. The types of the schemas are copies, because TypeBox has other types for each module system.
 */
function addModules() {
  writeFileSync('dist/package.json', '{ "type": "commonjs" }\n')
  const { default: _, ...plugin } = require('../dist/lib/index.js')
  const byName = `export { ${Object.keys(plugin)}, screenAuth as default } from './index.js'\n`
  writeFileSync('dist/lib/index.mjs', byName)
  // The schemas first: TypeScript 5.6 and 5.7 find the types of TypeBox once for all files of a package.
  const first = `import type {} from '../schemas/index.mjs'\n`
  writeFileSync('dist/lib/index.d.mts', `${first}export * from './index.js'\n${byName}`)

  writeFileSync(
    'dist/schemas/index.mjs',
    `export { ${Object.keys(require('../dist/schemas/index.js'))} } from './index.js'\n`
  )
  writeFileSync('dist/schemas/screens.mjs', 'export {}\n')
  writeFileSync('dist/schemas/screens.d.mts', "export * from './screens.js'\n")
  for (const name of ['index', 'auth', 'screen']) {
    const types = readFileSync(`dist/schemas/${name}.d.ts`, 'utf8')
    writeFileSync(`dist/schemas/${name}.d.mts`, types.replaceAll(/(\.\/(?:auth|screen)\.)ts/g, '$1mts'))
  }
}
