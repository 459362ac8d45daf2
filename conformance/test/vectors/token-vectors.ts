import { serverCases } from '../../cases.ts'
import { type Flag, flags } from './flags.ts'
import { ALGORITHMS, type Algorithm, formsOf, testKey } from './keys.ts'
import { FROM, tokenMaker, UNTIL } from './token-maker.ts'
import { rows } from './token-rows.ts'

export interface Vector {
  id: string
  comment: string
  flags: Flag[]
  token: string
  result: 'valid' | 'invalid' | 'acceptable'
}

export interface Group {
  alg: Algorithm
  key: ReturnType<typeof formsOf>
  tests: Vector[]
}

/** Makes the content of conformance/token-vectors.json. */
export async function tokenVectors() {
  return {
    $schema: './token-vectors.schema.json',
    contractVersion: serverCases.contractVersion,
    dataVersion: serverCases.dataVersion,
    comment: 'The keys are published with these tests: never use one of them for anything else.',
    now: { from: FROM, until: UNTIL - 1 },
    flags: Object.fromEntries(
      Object.entries(flags).map(([name, [description, source]]) => [name, { description, source }])
    ),
    groups: await Promise.all(ALGORITHMS.map(group))
  }
}

async function group(alg: Algorithm): Promise<Group> {
  const all = await rows(tokenMaker(alg))
  const tests = all.map(
    ([id, comment, flag, token, result = 'invalid']): Vector => ({
      id: `${alg.toLowerCase()}-${id}`,
      comment,
      flags: [flag].flat(),
      token,
      result
    })
  )
  return { alg, key: formsOf(testKey('own', alg), alg), tests }
}
