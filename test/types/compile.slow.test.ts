// Programs of hosts: the mistakes in them are expected, so that each one which the compiler accepts is an error.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import ts from 'typescript'
import { readPage } from '../docs/page.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const fixture = (name: string) => fileURLToPath(new URL(`${name}.ts`, import.meta.url))

const FIXTURES = {
  'provider-6': 'a handler that returns no screen is refused with type provider 6 and typebox 1.x',
  provider: 'a handler that returns no screen is refused with type provider 5 and @sinclair/typebox',
  'no-provider': 'a handler that returns no screen is refused without a type provider',
  screens: 'a typing mistake in a strict screen is refused, at every level'
}

const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile)
const parsed = ts.parseJsonConfigFileContent(config, ts.sys, root)
// A sample declares what it does not use.
const options = { ...parsed.options, noUnusedLocals: false }

const page = readPage('docs/contract-for-tools.md').samples.filter(({ language }) => language === 'ts')
const samples = new Map(page.map(({ code, place }) => [fixture(place), code]))
// The same program for both generations.
const withProvider = readFileSync(fixture('provider'), 'utf8')
const withProvider6 = withProvider.replace("'@fastify/type-provider-typebox'", "'type-provider-typebox-6'")
const made = new Map([...samples, [fixture('provider-6'), withProvider6]])
const host = ts.createCompilerHost(options)
host.readFile = name => made.get(name) ?? ts.sys.readFile(name)
const program = ts.createProgram([...Object.keys(FIXTURES).map(fixture), ...samples.keys()], options, host)

t.test('the program for type provider 6 does not import type provider 5', async t => {
  t.match(withProvider6, /'type-provider-typebox-6'/)
  t.notMatch(withProvider6, /'@fastify\/type-provider-typebox'/)
})

for (const [name, sentence] of Object.entries(FIXTURES))
  t.test(sentence, async t => t.strictSame(faults(fixture(name)), []))

t.test('the samples of docs/contract-for-tools.md are refused only where they say so', async t => {
  t.ok(samples.size > 0)
  for (const name of samples.keys()) t.strictSame(faults(name), [])
})

/** What the compiler says of a file. */
function faults(name: string): string[] {
  const source = program.getSourceFile(name)
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(describe)
}

function describe({ file, start = 0, messageText }: ts.Diagnostic): string {
  const line = file?.getLineAndCharacterOfPosition(start).line ?? 0
  return `${file?.fileName}:${line + 1} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
}
