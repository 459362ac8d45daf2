// Writes the data that is made when the kit is built. The same source makes the same bytes.
import { writeFileSync } from 'node:fs'
import { recordedAnswers } from './recorded-answers.ts'
import { tokenVectors } from './token-vectors.ts'

const made = { 'recorded-answers': await recordedAnswers(), 'token-vectors': tokenVectors() }
for (const [name, content] of Object.entries(made))
  writeFileSync(`${name}.json`, `${JSON.stringify(content, null, 2)}\n`)
