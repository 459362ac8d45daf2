import type { Report } from './report.ts'

/**
 * An earlier report with the results of a later one, which replace those of the same scenarios. Each new result keeps the
 * data of its own run, because the report has those of the earlier run.
 */
export function withResults(earlier: Report, { results, ...run }: Report): Report {
  const later = new Map(results.map(result => [result.scenario, { ...result, run: result.run ?? run }]))
  const kept = earlier.results.map(result => {
    const newer = later.get(result.scenario)
    later.delete(result.scenario)
    return newer ?? result
  })
  return { ...earlier, results: [...kept, ...later.values()] }
}
