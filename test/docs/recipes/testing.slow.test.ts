import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { READER } from '../program.ts'

const RECIPE = fileURLToPath(new URL('../../../docs/recipes/testing.js', import.meta.url))

/** Runs the tests of a file as its reader would, and returns how many have passed and failed. */
function runTests(file: string): Promise<{ code: number | string; passed: number; failed: number }> {
  const count = (output: string, what: string) =>
    Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(output)?.[1])
  return new Promise(resolve => {
    const args = ['--test', '--test-reporter=tap', file]
    execFile(process.execPath, args, { env: READER }, (error, output) => {
      resolve({ code: error?.code ?? 0, passed: count(output, 'pass'), failed: count(output, 'fail') })
    })
  })
}

t.test('the tests pass', async t => {
  t.same(await runTests(RECIPE), { code: 0, passed: 4, failed: 0 })
})

t.test('the tests fail when the app is broken', async t => {
  const breakages = {
    'the route is public': [
      "get('/screen/profile', {",
      "get('/screen/profile', { config: { screenAuth: false },"
    ],
    'the route is away': ["'/screen/profile', {", "'/screen/profil', {"],
    'the screen has another schema': [', { schema: { response: { 200: ScreenContract } } },', ','],
    'any password is right': ["password === 'correct horse'", "password !== ''"],
    'no password is right': ["password === 'correct horse'", 'false']
  } as const
  const source = readFileSync(RECIPE, 'utf8')
  const copies = Object.entries(breakages).map(([name, [from, to]], index) => {
    const broken = source.replace(from, to)
    t.not(broken, source, `there is a place for: ${name}`)
    return [name, `${index}.js`, broken] as const
  })
  const directory = t.testdir(Object.fromEntries(copies.map(([, file, text]) => [file, text])))
  for (const [name, file] of copies) {
    const { code, failed } = await runTests(join(directory, file))
    t.equal(code, 1, name)
    t.ok(failed > 0 && failed < 4, `${failed} of the tests fail`)
  }
})
