import { readFile } from 'node:fs/promises'
import { OptionError } from '../report/report.ts'

/**
 * Reads the file of `--expect-failures`: one id a line, and comments that begin with `#`.
 *
 * @returns the ids
 * @throws OptionError when the file cannot be read
 */
export async function readExpectedFailures(file?: string): Promise<string[]> {
  if (file === undefined) return []
  const text = await readFile(file, 'utf8').catch(({ message }) => {
    throw new OptionError(`--expect-failures cannot be read: ${message}`)
  })
  return text
    .split('\n')
    .map(line => line.replace(/#.*/, '').trim())
    .filter(line => line !== '')
}
