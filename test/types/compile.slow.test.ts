// Compiles programs of hosts with marked mistakes. A mistake that the compiler accepts is an error.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import ts from 'typescript'
import { readPage } from '../docs/page.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pathOf = (name: string) => fileURLToPath(new URL(`${name}.ts`, import.meta.url))
const source = (name: string) => readFileSync(pathOf(name), 'utf8')

// The same program with the other major version of the type provider, and without one.
const with6 = (code: string) => code.replace("'@fastify/type-provider-typebox'", "'type-provider-typebox-6'")
const without = (code: string) => code.replace(/\.withTypeProvider<\w+>\(\)/, '')

const programs = {
  'routes, with type provider 5 and @sinclair/typebox': source('routes'),
  'routes, with type provider 6 and typebox 1.x': with6(source('routes')),
  'routes, without a type provider': without(source('routes')),
  'schemas of the host, with type provider 5': source('provider'),
  'schemas of the host, with type provider 6': with6(source('provider')),
  'further routes, without a type provider': source('no-provider'),
  'strict screens': source('screens')
}

const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile)
const parsed = ts.parseJsonConfigFileContent(config, ts.sys, root)
// Samples have unused declarations.
const options = { ...parsed.options, noUnusedLocals: false }

const page = readPage('docs/contract-for-tools.md').samples.filter(({ language }) => language === 'ts')
const samples = page.map(({ code, place }) => [pathOf(place), code] as const)
const texts = new Map([...Object.entries(programs).map(([name, code]) => [pathOf(name), code] as const), ...samples])
const host = ts.createCompilerHost(options)
host.readFile = name => texts.get(name) ?? ts.sys.readFile(name)
const program = ts.createProgram([...texts.keys()], options, host)

for (const name of Object.keys(programs))
  t.test(`the compiler rejects each marked mistake: ${name}`, async t => t.strictSame(faults(pathOf(name)), []))

t.test('the samples of docs/contract-for-tools.md compile, except for their marked mistakes', async t => {
  t.ok(samples.length > 0)
  for (const [name] of samples) t.strictSame(faults(name), [])
})

function faults(name: string): string[] {
  const source = program.getSourceFile(name)
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(describe)
}

function describe({ file, start = 0, messageText }: ts.Diagnostic): string {
  const line = file?.getLineAndCharacterOfPosition(start).line ?? 0
  return `${file?.fileName}:${line + 1} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
}
