import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import t, { type Test } from 'tap'

/** Cases per property: few in `npm test`, many with FUZZ_RUNS, which CI sets. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 25)

/** Whether there are enough cases to expect that every kind occurs. */
export const MANY = RUNS >= 1000

/** One seed for a whole file. To repeat a failure, set FUZZ_SEED, and FUZZ_RUNS too. */
const SEED = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31))

let cases = 0

t.teardown(() => t.comment(`${cases} cases, FUZZ_SEED=${SEED}`))

/**
 * Checks that a property holds for all input, and counts its cases. A failure shows the smallest counterexample and the
 * seed.
 *
 * @param share factor for the number of cases, for example 0.2 for a slow property
 */
export async function holds<Input extends [unknown, ...unknown[]]>(
  t: Test,
  share: number,
  input: [...{ [Index in keyof Input]: fc.Arbitrary<Input[Index]> }],
  predicate: (...input: Input) => Promise<void>
): Promise<void> {
  const parameters = { numRuns: Math.max(5, Math.ceil(RUNS * share)), seed: SEED }
  const result = await fc.check(fc.asyncProperty<Input>(...input, predicate), parameters)
  cases += result.numRuns
  if (result.failed) throw new Error(`FUZZ_SEED=${SEED}\n${await fc.asyncDefaultReportMessage(result)}`)
  t.pass(`held for ${result.numRuns} cases`)
}
