// The packed tarball, installed from a registry beside the tools of hosts that load it in their own ways.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { folder, IMPORTS, inProject, LOG_IN, LOGGED_IN, pack, REQUIRES, save, testModuleSettings } from './project.ts'

const TOOLS = `
  fastify@5 @types/node@20 @sinclair/typebox@0.34 @fastify/type-provider-typebox@5
  typescript@5.4 typescript-5.7@npm:typescript@5.7 jest-29@npm:jest@29 jest-30@npm:jest@30 vitest@3
  esbuild@0.28 webpack@5 webpack-cli@6 rollup@4 @rollup/plugin-commonjs@29 @rollup/plugin-node-resolve@16
`

/** What npm prints while it installs the tarball alone. */
let output: string

t.before(async () => {
  const { filename } = await pack()
  await save('package.json', '{ "private": true }')
  output = await inProject('sh', ['-c', `npm install --no-audit --no-fund ./${filename} fastify@5 2>&1`])
  await inProject('npm', ['install', '--no-audit', '--no-fund', ...TOOLS.trim().split(/\s+/)])
  await mkdir(join(folder, 'tests'))
  await save('app.mjs', `${IMPORTS}${LOG_IN}logIn().then(console.log)`)
  await save('app.cjs', `${REQUIRES}${LOG_IN}logIn().then(console.log)`)
})

t.test('npm warns of nothing when it installs the tarball', async t => {
  // On Node 20 it warns of `cookie`, a dependency of Fastify.
  t.notMatch(output, /npm warn (?!EBADENGINE)/)
})

/** A test that Jest and Vitest understand. */
const TEST = `${LOG_IN}test('logs in', async () => expect(await logIn()).toBe('${LOGGED_IN}'), 30_000)`

for (const version of ['29', '30'])
  t.test(`Jest ${version} loads the package without any configuration`, async () => {
    await save('tests/jest.test.js', REQUIRES + TEST)
    await inProject('node', [`node_modules/jest-${version}/bin/jest.js`, 'tests/jest.test.js'])
  })

t.test('Vitest loads the package', async () => {
  await save('tests/vitest.test.mjs', `import { expect, test } from 'vitest'${IMPORTS}${TEST}`)
  await inProject('npx', ['vitest', 'run', 'tests/vitest.test.mjs'])
})

// Rollup bundles only our package, because it needs a minute for Fastify.
const ROLLUP = `
  import commonjs from '@rollup/plugin-commonjs'
  import resolve from '@rollup/plugin-node-resolve'
  export default { external: /^(?!fastify-screen-auth)[@\\w]/, plugins: [resolve(), commonjs()] }
`
const BUNDLERS = {
  esbuild: 'esbuild --bundle --platform=node --outfile=OUT IN',
  webpack: 'webpack --mode none --target node20 --output-path . --output-filename OUT --entry IN',
  rollup: 'rollup --config rollup.mjs --format cjs --file OUT IN'
}

for (const [name, command] of Object.entries(BUNDLERS))
  for (const input of ['./app.mjs', './app.cjs'])
    t.test(`${name} makes a program of ${input} that logs in`, async t => {
      const bundle = `${name}.cjs`
      await save('rollup.mjs', ROLLUP)
      await inProject('npx', command.replace('OUT', bundle).replace('IN', input).split(' '))
      t.equal(await inProject('node', [bundle]), LOGGED_IN)
    })

testModuleSettings('TypeScript 5.4', join(folder, 'node_modules/typescript'))
// TypeScript 5.6 and 5.7 take the TypeBox of `require` for that of `import` if they find it first.
testModuleSettings('TypeScript 5.7', join(folder, 'node_modules/typescript-5.7'), {}, 'preserve')
