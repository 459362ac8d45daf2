import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { logsIn, type Project } from './client.ts'

/** The path of something in our node_modules. */
export const installed = (path: string) =>
  fileURLToPath(new URL(`../../node_modules/${path}`, import.meta.url))

/** Type-checks `main.ts`, and lets it log in. */
export async function compilesAndLogsIn(t: Test, { run }: Project): Promise<void> {
  await run(installed('.bin/tsc'), ['--typeRoots', installed('@types')])
  await logsIn(t, args => run(installed('.bin/tsx'), ['main.ts', ...args]))
}
