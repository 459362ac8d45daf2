// The OpenAPI documents in third-party tools: clients from two generators log in, and a linter finds no fault.
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { cacheFor } from '../cache.ts'
import { DEMO, startServer } from '../examples/process.ts'
import { outsideTap } from '../helpers.ts'
import { needs } from '../needs.ts'

/** Later versions accept what this one rejects: `anyOf` with null, and a map beside named properties. */
const OPENAPI_GENERATOR = '7.14.0'

/** Maven, with a plugin that fetches files. */
const MAVEN = ['--quiet', '--batch-mode']
const MAVEN_DEPENDENCY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1'

/** The output of each client. */
const OUTPUT = `\
form: Card /auth/login username password
rejected: Wrong username or password.
accepted: Main Menu, Demo User
menu: Main Menu, Demo User
`

const pathOf = (relative: string) => fileURLToPath(new URL(`../../${relative}`, import.meta.url))

/** Creates an empty folder, and returns a function that runs commands in it. */
function project(name: string) {
  // Always at the same path, because compilers cache their results by path.
  const folder = cacheFor(name)
  rmSync(folder, { recursive: true })
  mkdirSync(folder)
  const run = async (command: string, ...args: string[]) => {
    const options = { cwd: folder, maxBuffer: 100_000_000 }
    return (await promisify(execFile)(...outsideTap(command, args), options)).stdout
  }
  return { folder, run }
}

/** Runs a client against the reference server, and checks its output. */
async function logsIn(t: Test, runClient: (args: string[]) => Promise<string>): Promise<void> {
  const { url } = await startServer(t, { SVC_AUTH_SECRET: 'secret-of-the-generated-clients!' })
  t.equal(await runClient([url, DEMO.username, DEMO.password]), OUTPUT)
}

const java = needs(t, 'mvn')

for (const name of ['openapi.json', 'openapi-3.0.json']) {
  const document = pathOf(`schemas/generated/${name}`)

  t.test(`a strict client with the types that openapi-typescript generates from ${name} logs in`, async t => {
    const { folder, run } = project(`openapi-typescript-${name}`)
    copyFileSync(pathOf('test/generators/main.ts'), join(folder, 'main.mts'))
    symlinkSync(pathOf('node_modules'), join(folder, 'node_modules'))
    const tools = ['--package', 'openapi-typescript@7.13.0', '--package', 'typescript@5.9.3']
    await run('npx', '--yes', ...tools, 'openapi-typescript', document, '--output', 'contract.ts')
    const strict = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'es2022', '--module', 'preserve']
    await run('node_modules/.bin/tsc', ...strict, '--types', 'node', 'main.mts')
    await logsIn(t, args => run('node_modules/.bin/tsx', 'main.mts', ...args))
  })

  if (java)
    t.test(`a Java client that openapi-generator generates from ${name} logs in`, async t => {
      const { folder, run } = project(`openapi-generator-java-${name}`)
      const tools = cacheFor(`openapi-generator-${OPENAPI_GENERATOR}`)
      const artifact = `-Dartifact=org.openapitools:openapi-generator-cli:${OPENAPI_GENERATOR}`
      await run('mvn', ...MAVEN, `${MAVEN_DEPENDENCY}:copy`, artifact, `-DoutputDirectory=${tools}`)
      const jar = join(tools, `openapi-generator-cli-${OPENAPI_GENERATOR}.jar`)
      const generate = ['generate', '--generator-name', 'java', '--library', 'native', '--output', '.']
      await run('java', '-jar', jar, ...generate, '--input-spec', document)
      copyFileSync(pathOf('test/generators/Main.java'), join(folder, 'src/main/java/Main.java'))
      await run('mvn', ...MAVEN, 'compile', `${MAVEN_DEPENDENCY}:copy-dependencies`)
      const classes = ['target/classes', 'target/dependency/*'].join(delimiter)
      await logsIn(t, args => run('java', '-cp', classes, 'Main', ...args))
    })

  t.test(`${name} passes the recommended rules of Redocly`, async t => {
    const redocly = ['REDOCLY_TELEMETRY=off', 'REDOCLY_SUPPRESS_UPDATE_NOTICE=true', 'npx', '--yes']
    const lint = ['@redocly/cli@2.77.0', 'lint', document, '--format=json']
    // Strictly, `nullable` beside `allOf` does not allow null in 3.0, but generators read it as if it did.
    if (name === 'openapi-3.0.json') lint.push('--skip-rule=no-invalid-media-type-examples')
    const stdout = await project('redocly').run('env', ...redocly, ...lint)
    t.match(JSON.parse(stdout), { totals: { errors: 0, warnings: 0, ignored: 0 } })
  })
}
