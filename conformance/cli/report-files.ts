import { statSync, unlink, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { html } from '../report/html.ts'
import { junit } from '../report/junit.ts'
import { CannotRunError, type Report } from '../report/report.ts'

const FORMATS = { json: (report: Report) => `${JSON.stringify(report, null, 2)}\n`, junit, html }

/**
 * Saves a report in the files that the arguments of a command name.
 *
 * @param isFinal a pipe or a device, such as /dev/stdout, gets only the final report, because it keeps all that it gets
 * @throws CannotRunError if a file cannot be written, or if two options name the same file
 */
export function save(given: { [format in keyof typeof FORMATS]?: unknown }, report: Report, isFinal = true): void {
  const errors: string[] = []
  const options = new Map<string, string>()
  for (const [option, format] of Object.entries(FORMATS)) {
    const path = given[option as keyof typeof FORMATS]
    if (typeof path !== 'string') continue
    const other = options.get(resolve(path))
    if (other !== undefined) errors.push(`--${other} and --${option} name the same file`)
    options.set(resolve(path), option)
    if (!isFinal && isDevice(path)) continue
    try {
      writeFileSync(path, format(report))
    } catch (error) {
      errors.push((error as Error).message)
      // Half a report, or an earlier one, could look like a success.
      if (!isDevice(path)) unlink(path, () => {})
    }
  }
  if (errors.length > 0) throw new CannotRunError(`the report cannot be written: ${errors[0]}`)
}

function isDevice(path: string): boolean {
  try {
    const stats = statSync(path)
    return !stats.isFile() && !stats.isDirectory()
  } catch {
    return false
  }
}
