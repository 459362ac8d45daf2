// Writes the published contract, and what the plugin loads of it: `npm run contract`.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { compiled } from './compile.ts'
import { publishedFiles } from './publish.ts'

const here = new URL('.', import.meta.url)
const { version } = JSON.parse(await readFile(new URL('../package.json', here), 'utf8'))

await mkdir(new URL('json/', here), { recursive: true })
for (const [path, text] of Object.entries(publishedFiles(version))) await writeFile(new URL(path, here), text)
await writeFile(new URL('compiled.ts', here), compiled())
