import { statSync, unlink, writeFileSync } from 'node:fs'
import { junit } from '../report/junit.ts'
import { CannotRunError, type Report } from '../report/report.ts'

/**
 * Saves a report in the files that the arguments of a command name.
 *
 * @param isFinal a pipe or a device, such as /dev/stdout, gets only the final report, because it keeps all that it gets
 * @throws CannotRunError if a file cannot be written
 */
export function save(given: { json?: unknown; junit?: unknown }, report: Report, isFinal = true): void {
  const errors: unknown[] = []
  for (const [path, text] of [
    [given.json, `${JSON.stringify(report, null, 2)}\n`],
    [given.junit, junit(report)]
  ] as const) {
    if (typeof path !== 'string' || (!isFinal && isDevice(path))) continue
    try {
      writeFileSync(path, text)
    } catch (error) {
      errors.push(error)
      // Half a report, or an earlier one, could look like a success.
      if (!isDevice(path)) unlink(path, () => {})
    }
  }
  if (typeof given.json === 'string' && given.json === given.junit)
    errors.push(new Error('--json and --junit name the same file'))
  if (errors.length > 0) throw new CannotRunError(`the report cannot be written: ${(errors[0] as Error).message}`)
}

function isDevice(path: string): boolean {
  try {
    const stats = statSync(path)
    return !stats.isFile() && !stats.isDirectory()
  } catch {
    return false
  }
}
