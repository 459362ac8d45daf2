// `npm run contract`: writes schemas/generated, which are the published contract and the code that the plugin loads.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { compiled } from './compile.ts'
import { publishedFiles } from './publish.ts'

const generated = new URL('../generated/', import.meta.url)
const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
const files: Record<string, string> = { ...publishedFiles(version), 'compiled.ts': compiled() }

await mkdir(new URL('json/', generated), { recursive: true })
for (const [path, text] of Object.entries(files)) await writeFile(new URL(path, generated), text)
