// Writes token-vectors.json: node --import tsx test/vectors/make-token-vectors.ts && npm run format
import { writeFileSync } from 'node:fs'
import { tokenVectors } from './token-vectors.ts'

const file = new URL('../../token-vectors.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(await tokenVectors(), null, 2)}\n`)
