import { rmSync, statSync, writeFileSync } from 'node:fs'
import { junit } from '../report/junit.ts'
import { CannotRunError, type Report } from '../report/report.ts'

/** A file in which a report is demanded. */
interface ReportFile {
  path: string
  format: (report: Report) => string
}

const FORMATS = { json: (report: Report) => `${JSON.stringify(report, null, 2)}\n`, junit }

/** Returns the files that the arguments of a command name, even if other arguments are wrong. */
export function reportFilesOf(given: { [name: string]: unknown }): ReportFile[] {
  return Object.entries(FORMATS).flatMap(([name, format]) => {
    const path = given[name]
    return typeof path === 'string' ? { path, format } : []
  })
}

/** Saves a report. A pipe or a device, such as /dev/stdout, gets only a final report, because it keeps each. */
export function save({ path, format }: ReportFile, report: Report, isFinal = true): void {
  try {
    if (isFinal || !isDevice(path)) writeFileSync(path, format(report))
  } catch (error) {
    throw new CannotRunError(`the report cannot be written: ${(error as Error).message}`)
  }
}

/** Saves a report, or removes the file: half a report, or an earlier one, could look like a success. */
export function saveOrRemove(file: ReportFile, report: Report): void {
  try {
    save(file, report)
    return
  } catch {
    // The file must go.
  }
  try {
    if (!isDevice(file.path)) rmSync(file.path)
  } catch {
    // It cannot go, or is a folder.
  }
}

function isDevice(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats !== undefined && !stats.isFile() && !stats.isDirectory()
}
