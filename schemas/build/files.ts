import { readFile } from 'node:fs/promises'
import { compiled, knownScreen } from './compile.ts'
import { publishedFiles } from './publish.ts'
import { screenTypes } from './screen-types.ts'

/** The texts of all files in schemas/generated, by path. */
export async function generatedFiles(): Promise<Record<string, string>> {
  const schema = await readFile(new URL('../known-screen.schema.json', import.meta.url), 'utf8')
  return {
    ...publishedFiles(),
    'compiled.ts': compiled(),
    'known-screen.ts': knownScreen(schema),
    'screens.ts': await screenTypes(schema)
  }
}
