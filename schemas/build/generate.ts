// `npm run contract`: writes schemas/generated, the published contract and the code that the plugin loads.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { compiled, knownScreen } from './compile.ts'
import { publishedFiles } from './publish.ts'
import { screenTypes } from './screen-types.ts'

const generated = new URL('../generated/', import.meta.url)
const schema = await readFile(new URL('../known-screen.schema.json', import.meta.url), 'utf8')
const files: Record<string, string> = {
  ...publishedFiles(),
  'compiled.ts': compiled(),
  'known-screen.ts': knownScreen(schema),
  'screens.ts': await screenTypes(schema)
}

await mkdir(new URL('json/', generated), { recursive: true })
for (const [path, text] of Object.entries(files)) await writeFile(new URL(path, generated), text)
