import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import t, { type Test } from 'tap'

/** Cases for each property: few in `npm test`, many in `npm run fuzz`. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 40)

/** Whether there are enough cases to expect that each kind of them came up. */
export const MANY = RUNS >= 1000

/** One seed for a whole file: set FUZZ_SEED, and FUZZ_RUNS too, to see a failure again. */
const SEED = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31))

let cases = 0

t.teardown(() => t.comment(`${cases} cases, FUZZ_SEED=${SEED}`))

/**
 * Runs a property and counts its cases. A failure shows the smallest counterexample and the seed.
 *
 * @param share how many of the usual number of cases: less for what is slow
 */
export async function holds<Input>(t: Test, property: fc.IRawProperty<Input>, share = 1): Promise<void> {
  const result = await fc.check(property, { numRuns: Math.max(5, Math.ceil(RUNS * share)), seed: SEED })
  cases += result.numRuns
  if (result.failed) throw new Error(`FUZZ_SEED=${SEED}\n${await fc.asyncDefaultReportMessage(result)}`)
  t.pass(`held for ${result.numRuns} cases`)
}
