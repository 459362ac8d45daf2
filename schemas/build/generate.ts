// `npm run contract`: writes schemas/generated, the published contract and the code that the plugin loads.
import { mkdir, writeFile } from 'node:fs/promises'
import { generatedFiles } from './files.ts'

const generated = new URL('../generated/', import.meta.url)

await mkdir(new URL('json/', generated), { recursive: true })
for (const [path, text] of Object.entries(await generatedFiles())) await writeFile(new URL(path, generated), text)
