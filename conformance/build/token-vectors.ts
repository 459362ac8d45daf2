import { ALGORITHMS, type Algorithm, formsOf, testKey } from './keys.ts'
import { FROM, flags, tokenMaker, UNTIL, type Vector } from './vector.ts'
import { addContentVectors } from './vectors-of-content.ts'
import { addSignatureVectors } from './vectors-of-signature.ts'

export interface Group {
  alg: Algorithm
  key: ReturnType<typeof formsOf>
  tests: Vector[]
}

/** Returns the content of token-vectors.json. If the content changes, `dataVersion` must change as well. */
export function tokenVectors() {
  return {
    contractVersion: '1',
    dataVersion: '2.0.1',
    comment: [
      'JWTs to test the part of a server that verifies a token. Give it the alg and the key of a group, nothing else, and then each token, as what follows Bearer and a space.',
      'valid: the request is passed on. invalid: it gets 401. acceptable: either, because the RFCs leave it open, or allow what no server of this contract issues.',
      'The results hold while the clock, in seconds since 1970, is in the range of `now`. `flags` say what a token is about, and the RFC or the CVE that says so.',
      'The keys are published here: never use one of them for anything else.'
    ],
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
