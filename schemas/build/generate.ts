// `npm run contract`: writes schemas/generated, the published contract and the code that the plugin loads.
import { mkdir, writeFile } from 'node:fs/promises'
import { compiled } from './compile.ts'
import { publishedFiles } from './publish.ts'

const generated = new URL('../generated/', import.meta.url)
const files: Record<string, string> = { ...publishedFiles(), 'compiled.ts': compiled() }

await mkdir(new URL('json/', generated), { recursive: true })
for (const [path, text] of Object.entries(files)) await writeFile(new URL(path, generated), text)
