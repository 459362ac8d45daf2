import { serverCases } from '../cases.ts'
import { ALGORITHMS, type Algorithm, formsOf, testKey } from './keys.ts'
import { FROM, flags, tokenMaker, UNTIL, type Vector } from './vector.ts'
import { addContentVectors } from './vectors-of-content.ts'
import { addSignatureVectors } from './vectors-of-signature.ts'

export interface Group {
  alg: Algorithm
  key: ReturnType<typeof formsOf>
  tests: Vector[]
}

/** Makes the content of token-vectors.json. */
export function tokenVectors() {
  return {
    $schema: './token-vectors.schema.json',
    contractVersion: serverCases.contractVersion,
    dataVersion: serverCases.dataVersion,
    comment: 'The keys are published with these tests: never use one of them for anything else.',
    now: { from: FROM, until: UNTIL - 1 },
    flags: Object.fromEntries(
      Object.entries(flags).map(([name, [description, source]]) => [name, { description, source }])
    ),
    groups: ALGORITHMS.map(group)
  }
}

function group(alg: Algorithm): Group {
  const maker = tokenMaker(alg)
  addContentVectors(maker)
  addSignatureVectors(maker)
  return { alg, key: formsOf(testKey('own', alg), alg), tests: maker.vectors }
}
