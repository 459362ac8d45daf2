/**
 * `npm run archive`, or `node archive.js [FILE]`: puts the conformance kit into conformance.tar.gz, for projects without npm: the
 * contract, the data, and the runner as one file. The same sources make the same bytes.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { create } from 'tar'

const here = fileURLToPath(new URL('.', import.meta.url))
const [file = 'conformance.tar.gz'] = process.argv.slice(2)
const staging = mkdtempSync(join(tmpdir(), 'conformance-'))

/** esbuild puts what `require` names into the bundle, when it is not the `require` of `createRequire`. */
const dataInside = {
  name: 'data inside',
  /** @param {import('esbuild').PluginBuild} build */
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: readFileSync(path, 'utf8').replace(/^const require = createRequire\(.*\n/m, '')
    }))
  }
}

try {
  const data = /^(?!package|tsconfig).*\.(json|md)$|^LICENSE$/
  for (const name of readdirSync(here).filter(name => data.test(name))) cpSync(join(here, name), join(staging, name))
  // The schemas are made in the repository of the plugin: where this package is alone, the archive has none.
  const schemas = join(here, '../schemas/generated')
  if (existsSync(schemas))
    cpSync(schemas, join(staging, 'schemas'), { recursive: true, filter: name => !name.endsWith('.ts') })
  await bundle()
  await pack()
} finally {
  rmSync(staging, { recursive: true })
}

/** Makes one file of the command line, its data and what it depends on, with the licences of the latter beside it. */
async function bundle() {
  const { metafile } = await build({
    absWorkingDir: here,
    entryPoints: ['cli.ts'],
    outfile: join(staging, 'screen-auth-conformance.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    metafile: true,
    plugins: [dataInside]
  })
  const folders = Object.keys(metafile.inputs).map(path => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0])
  const packages = [...new Set(folders)].filter(folder => folder !== undefined).sort()
  writeFileSync(join(staging, 'LICENSES-OF-DEPENDENCIES'), packages.map(licence).join('\n'))
}

/** @param {string} folder of a package */
function licence(folder) {
  const name = folder.replace(/^.*node_modules\//, '')
  const file = readdirSync(join(here, folder)).find(name => /^licen[cs]e/i.test(name))
  if (file === undefined) throw new Error(`${name} has no licence`)
  return `${name}\n\n${readFileSync(join(here, folder, file), 'utf8')}`
}

async function pack() {
  const files = readdirSync(staging, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name).slice(staging.length + 1)).sort()
  await create(
    {
      file,
      cwd: staging,
      prefix: 'conformance',
      gzip: true,
      portable: true,
      mtime: new Date('2000-01-01'),
      // The mode of a file depends on the settings of who made it.
      onWriteEntry: entry => {
        if (entry.stat) entry.stat.mode = 0o100644
      }
    },
    paths
  )
}
