import { readdirSync } from 'node:fs'

const root = new URL('../', import.meta.url)

/** Runs test files in this process, all but the slow ones. A process for each file would cost two seconds of CPU time. */
export async function run(isChosen: (path: string) => boolean): Promise<void> {
  const paths = readdirSync(root, { recursive: true }).map(path => String(path).replaceAll('\\', '/'))
  const files = paths.filter(path => /(?<!\.slow)\.test\.ts$/.test(path) && !/^groups|node_modules/.test(path))
  for (const file of files.filter(isChosen).sort()) await import(new URL(file, root).href)
}
